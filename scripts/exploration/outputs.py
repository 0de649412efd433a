"""What the tools write: files, folders, standard output. What cannot be written is told in one message with place and
cause."""

import os
import sys

from exploration.errors import UserError


def told(error, place=None):
    """An error of the system in words. Without a place of its own or a given one it is of standard output."""
    return f"{place or error.filename or 'standard output'}: {error.strerror or error}"


def write(path, data):
    """Writes a file whole or not at all; UserError where it cannot be written. What is no regular file, as a device or a
    pipe, is written to and stays what it is. "-" is standard output."""
    if path == "-":
        (sys.stdout if isinstance(data, str) else sys.stdout.buffer).write(data)
        return
    data = data.encode("utf-8", errors="replace") if isinstance(data, str) else data
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            _write(path, data)
        else:
            _replace(os.path.realpath(path), data)
    except OSError as error:
        raise UserError(told(error, path)) from error


def _write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def _replace(path, data):
    temporary = f"{path}.part"
    try:
        _write(temporary, data)
        os.replace(temporary, path)
    except OSError:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        raise


def make_folder(path):
    """Makes a folder and those around it where they are missing."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise UserError(told(error, path)) from error


def ended(prefix, run):
    """The exit status of run(), with everything printed; 2 with a message where standard output takes no more, but 0
    where its reader, head for instance, has seen enough."""
    if hasattr(sys.stdout, "reconfigure"):
        # Names of files may have bytes, and locales lack characters: they are printed as escapes, as in messages.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            return run()
        finally:
            sys.stdout.flush()
    except OSError as error:
        # What is left unprinted goes nowhere: Python would try again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0
        print(f"{prefix}{told(error)}", file=sys.stderr)
        return 2

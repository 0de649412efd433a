"""Output of the tools: files, folders, standard output. If something cannot be written, one message gives the place and the
cause."""

import os
import sys

from smsim.errors import UserError


def told(error, place=None):
    """A system error as text. Without a place of its own or a given one, it concerns standard output."""
    return f"{place or error.filename or 'standard output'}: {error.strerror or error}"


def write(path, data):
    """Writes a file completely or not at all; UserError if it cannot be written. Anything but a regular file, such as a device
    or a pipe, is written to and not replaced. "-" is standard output."""
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
    """Creates a folder, with missing parents."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise UserError(told(error, path)) from error


def ended(prefix, run):
    """The exit status of run(), after all output is printed; 2 with a message if standard output fails, but 0 if its reader,
    such as head, has closed it."""
    if hasattr(sys.stdout, "reconfigure"):
        # File names may contain arbitrary bytes, and locales may lack characters: both are printed as escapes, as in messages.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            return run()
        finally:
            sys.stdout.flush()
    except OSError as error:
        # Discards unprinted output: Python would otherwise try again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0
        print(f"{prefix}{told(error)}", file=sys.stderr)
        return 2

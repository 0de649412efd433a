"""What a worker does: run one command and return its outcome.

The text of this module is sent to the workers with each point, as cluster.py explains: a machine that joins needs only Dask and
the files of the repository at the same paths; nothing is installed. So this module imports only the standard library."""

import contextlib
import datetime
import functools
import os
import platform
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import zlib

# Placeholder in a command for a folder that is deleted: dumps of buffers are not kept.
FOLDER = "{folder}"
# Exit statuses of smsim (app/exit_status.h).
STATUS = {0: "completed", 1: "check_failed", 2: "refused", 3: "exception"}
# smsim exits with these statuses on SIGINT or SIGTERM.
STOPPED = {130: "SIGINT", 143: "SIGTERM"}
# Signals of errors in the program itself. All others come from outside: from a user, from the out-of-memory killer, or from a
# machine that shuts down. Such an end says nothing about the point.
OWN_SIGNALS = ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS")
# The longest message that is kept, in characters.
MESSAGE_LENGTH = 2000
# At this level, a report shrinks to about an eighth; higher levels take several times as long and gain little.
COMPRESSION = 1
# Seconds within which smsim must print its version.
VERSION_TIMEOUT = 60


class Unusable(Exception):
    """This worker cannot run points of this sweep; the text says why."""


def run_point(command, root, timeout, version, model):
    """Runs a command that prints its report, in the folder `root`, for at most `timeout` seconds. `version` is the version text
    of the sweep's smsim. Returns the columns of a result, or those of `unusable`."""
    worker = f"{socket.gethostname()}:{os.getpid()}"
    try:
        return outcome(worker, command, root, timeout, version, model)
    except Unusable as error:
        return unusable(f"{worker}: {error}")
    except Exception as error:  # whatever this Python may lack
        python = f"Python {platform.python_version()}"
        return unusable(f"{worker}: {python} cannot run points: {type(error).__name__}: {error}")


def outcome(worker, command, root, timeout, version, model):
    """The columns of a result. Raises Unusable."""
    program = os.path.join(root, command[0])
    if not os.access(program, os.X_OK):
        raise Unusable(f"there is no program {program}")
    if not os.path.isfile(os.path.join(root, command[-1])):
        raise Unusable(f"there is no file {os.path.join(root, command[-1])}")
    try:
        # Before the run: a rejected or crashed run does not show which program it was.
        assert_version(program, version_of(program, state(program)), version)
        start = time.monotonic()
        exit_status, report, messages = execute(command, root, timeout)
    except OSError as error:
        raise Unusable(f"{program} cannot be run: {error.strerror}") from None
    result = {
        "exit_status": exit_status,
        "seconds": round(time.monotonic() - start, 4),
        "worker": worker,
        "finished": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds"),
        "model": model,
        "report": None,
    }
    if exit_status is None:
        # Stores the limit, because it decides whether a longer one may help.
        return result | {"status": "timeout", "message": f"no end within {timeout:g} s", "seconds": timeout}
    if exit_status not in STATUS:
        status = "interrupted" if from_outside(exit_status) else "crashed"
        return result | {"status": status, "message": end_message(exit_status, messages)}
    result["status"] = STATUS[exit_status]
    result["message"] = messages if exit_status else ""
    if exit_status != 2:
        # Again: the program may have been replaced since its version was read.
        assert_version(program, version_in(report), version)
        result["report"] = zlib.compress(report, COMPRESSION)
    if exit_status == 1:
        result["message"] = failed_checks(report)
    return result


def state(path):
    """Changes when a file does."""
    found = os.stat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns


@functools.lru_cache(maxsize=8)
def version_of(program, _state):
    """The output of `smsim --version`, which is called once as long as the program does not change."""
    exit_status, told, messages = execute([program, "--version"], "/", VERSION_TIMEOUT)
    if exit_status != 0:
        why = "no answer" if exit_status is None else end_message(exit_status, messages)
        raise Unusable(f"{program} does not print its version: {why}")
    return told.decode("utf-8", "replace").partition("\n")[0]


def version_in(report):
    """The same for the program that wrote a report. The members have a fixed order, with these among the first."""
    found = re.search(rb'"smsim": "([^"]*)",\s*"model": "([^"]*)"', report[:4096])
    return "smsim {} (model {})".format(*(part.decode() for part in found.groups())) if found else "another program"


def assert_version(program, found, version):
    if found != version:
        raise Unusable(f"{program} is {found}; the sweep needs {version}")


def unusable(message):
    """The event of an unusable worker, with its address at the scheduler."""
    try:
        from distributed import get_worker

        address = get_worker().address
    except (ImportError, ValueError):
        address = ""
    return {"unusable": message, "address": address}


def execute(command, root, timeout):
    """(exit status, standard output, message) of a command; the status is None if it timed out.

    The run dies with its worker: a point that another worker computes again must not continue here. It has its own session, so
    that a Ctrl-C meant for the sweep does not end it as if it had crashed."""
    tied = ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []
    with contextlib.ExitStack() as stack:
        if FOLDER in command:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="smsim-point-"))
            command = [folder if argument == FOLDER else argument for argument in command]
        return communicate([*tied, *command], root, timeout)


def communicate(command, root, timeout):
    """Starts the command and waits for it. Its output goes to memory, so that it never waits for a reader."""
    with memory_file() as report, memory_file() as errors:
        child = subprocess.Popen(
            command, cwd=root, stdin=subprocess.DEVNULL, stdout=report, stderr=errors, start_new_session=True
        )
        try:
            in_time = ended(child, timeout)
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        if not in_time:
            return None, b"", ""
        return child.returncode, content(report), message(content(errors))


def memory_file():
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("smsim"), "w+b")
    return tempfile.TemporaryFile()


def content(file):
    file.seek(0)
    return file.read()


def message(text):
    """Why a run failed, in one line: what it printed, without warnings, which other runs have too."""
    kept = []
    warns = False
    for line in text.decode("utf-8", "replace").splitlines():
        if line.startswith("smsim: "):
            warns = line.startswith("smsim: warning: ")  # its further lines have no mark
        if not warns:
            kept.append(line)
    return " ".join(" ".join(kept).split()).removeprefix("smsim: error: ")[:MESSAGE_LENGTH]


def ended(child, timeout):
    """Waits for the end of a process without polling; False on timeout."""
    watch = os.pidfd_open(child.pid)
    try:
        poll = select.poll()
        poll.register(watch, select.POLLIN)
        return bool(poll.poll(timeout * 1000))
    finally:
        os.close(watch)


def signal_name(exit_status):
    """The signal that ended a program, or "" if it ended otherwise."""
    if exit_status >= 0:
        return STOPPED.get(exit_status, "")
    try:
        return signal.Signals(-exit_status).name
    except ValueError:
        return str(-exit_status)


def from_outside(exit_status):
    """Whether a run was ended from outside; then it has no result."""
    name = signal_name(exit_status)
    return name != "" and name not in OWN_SIGNALS


def end_message(exit_status, messages):
    name = signal_name(exit_status)
    if not name:
        return messages or f"exit status {exit_status}"
    return f"ended by signal {name}" + (f": {messages}" if messages else "")


def failed_checks(report):
    """The buffers that differ from what the launch file expects."""
    import json

    failed = [check for check in json.loads(report)["checks"] if not check["passed"]]
    told = [f"{check['buffer']} ({check['mismatches']} of {check['compared']})" for check in failed]
    return f"check of {', '.join(told)} failed"

"""Starts a tool: reads its options first, then imports what it works with, so that help and mistakes need no library
and do not wait for one."""

import importlib
import sys


def start(tool):
    """The exit status of "sweep" or "explore"."""
    try:
        arguments = importlib.import_module(f"exploration.{tool}_options").parse()
        command = importlib.import_module(f"exploration.{tool}_command")
    except ModuleNotFoundError as error:
        module = error.name.partition(".")[0]
        print(f"{tool}: error: Python has no module {module}; Debian's python3-{module} has it", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return command.run(arguments)

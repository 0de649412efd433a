"""Starts a tool: reads its options first, then imports its libraries, so that help and usage errors need no library and do not
wait for one."""

import importlib
import sys

from smsim import outputs, places

# The Debian package of each library; some libraries are in the package of another one.
PACKAGES = {
    "dask": "python3-distributed",
    "distributed": "python3-distributed",
    "jinja2": "python3-jinja2",
    "markupsafe": "python3-jinja2",
    "matplotlib": "python3-matplotlib",
    "pandas": "python3-pandas",
    "yaml": "python3-yaml",
}


def start(tool):
    """The exit status of "sweep" or "explore"."""
    return outputs.ended(f"{places.tool(tool)}: error: ", lambda: _run(tool))


def _run(tool):
    try:
        arguments = importlib.import_module(f"smsim.{tool}_options").parse()
        return importlib.import_module(f"smsim.{tool}_command").run(arguments)
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in PACKAGES:
            raise
        print(
            f"{places.tool(tool)}: error: Python has no module {module}; Debian's {PACKAGES[module]} has it",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        return 130

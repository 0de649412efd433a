"""The places of the files that sweeps and their analysis use: in the source tree, or as installed by `cmake --install`.

In the source tree, commands run from its root and use paths relative to it. Installed tools have no tree: they use absolute
paths, so that a command can be run from anywhere, and write below the current folder."""

import json
import os
from pathlib import Path

from smsim.errors import UserError

HERE = Path(__file__).resolve().parent
# In the installed package: the places of the program and of the folder with configurations and kernels, relative to this folder.
_INSTALLED = HERE / "installed.json"
INSTALLED = _INSTALLED.is_file()

if INSTALLED:
    _places = json.loads(_INSTALLED.read_text(encoding="utf-8"))
    PROGRAM = Path(os.path.normpath(HERE / _places["program"]))
    DATA = Path(os.path.normpath(HERE / _places["data"]))
    ROOT = Path("/")
    STALL_REASONS = HERE / "stall_reasons.json"
else:
    DATA = ROOT = HERE.parent.parent
    PROGRAM = ROOT / "build/release/smsim"
    STALL_REASONS = ROOT / "views/page/stall_reasons.json"


def is_utf8(path):
    """Whether a path can be printed and stored; Python accepts names with other bytes, too."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def from_root(path):
    """The path for commands: relative to the root of the source tree if it is inside, else absolute. Commands are run from
    ROOT, here and on every worker."""
    path = Path(os.path.abspath(path))
    if not is_utf8(path):
        raise UserError(f"{path}: the name is not UTF-8, so that no command can be stored with it")
    return str(path.relative_to(ROOT)) if not INSTALLED and path.is_relative_to(ROOT) else str(path)


def output_folder():
    """The folder for results without an explicit place."""
    return (Path.cwd() if INSTALLED else ROOT) / "out"


def tool(name):
    """The command that a user types for "sweep" and "explore"."""
    return f"smsim-{name}" if INSTALLED else f"scripts/{name}"

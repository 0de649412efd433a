"""Runs, reports and pages for the tests of `smsim report`, made once per test program and removed with it."""

import atexit
import copy
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SMSIM = os.environ.get("SMSIM_BINARY", str(ROOT / "build" / "release" / "smsim"))
sys.path.insert(0, str(ROOT / "tb" / "support"))
sys.dont_write_bytecode = True

FOLDER = Path(tempfile.mkdtemp(prefix="smsim-report-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def smsim(*arguments):
    """The finished process of `smsim ARGUMENTS`, in the folder of the tests."""
    return subprocess.run([SMSIM, *map(str, arguments)], cwd=FOLDER, capture_output=True, text=True, check=False)


def run_kernel(name, kernel, *settings, configuration=None, options=()):
    """The directory of a run of an example kernel, with a file of configs/ or the defaults; made on the first call."""
    directory = FOLDER / name
    if not directory.is_dir():
        options = [*options, *(word for setting in settings for word in ("--set", setting))]
        if configuration:
            options += ["-c", ROOT / "configs" / configuration]
        done = smsim("run", "--report", "none", "-o", directory, *options, next((ROOT / "kernels").glob(f"*/{kernel}/launch.yaml")))
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
    return directory


def load(directory):
    """The report of a run."""
    return json.loads((directory / "report.json").read_text(encoding="utf-8"))


def variant(name, report, change):
    """A directory with a copy of a report edited by `change`."""
    edited = copy.deepcopy(report)
    change(edited)
    directory = FOLDER / name
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "report.json").write_text(json.dumps(edited), encoding="utf-8")
    return directory


def page_of(name, *directories):
    """The HTML file that `smsim report` makes from the directories."""
    path = FOLDER / f"{name}.html"
    done = smsim("report", "-o", path, *directories)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return path


def hanging_run():
    """A run that ends with an exception: two warps wait at a barrier for a third that does not exist."""
    directory = FOLDER / "hanging"
    if not directory.is_dir():
        shutil.copy(ROOT / "tb" / "system" / "exceptions" / "barrier_deadlock.sasm", FOLDER / "k.sasm")
        (FOLDER / "k.yaml").write_text("program: k.sasm\ngrid: 1\nblock: 64\n", encoding="utf-8")
        smsim("run", "--report", "none", "-o", directory, FOLDER / "k.yaml")
    return directory


def run_outside(name, mode):
    """A run that reads and writes past the end of its only buffer, with --memory-check."""
    (FOLDER / "outside.sasm").write_text(".kernel k\n LDC.64 R[2:3], c[0x0][0x160];\n LDG R0, [R[2:3]+0x10];\n"
                                         " STG [R[2:3]+0x14], R0;\n EXIT;\n", encoding="utf-8")
    (FOLDER / "outside.yaml").write_text("program: outside.sasm\ngrid: 1\nblock: 32\narguments:\n"
                                         "  - {name: out, type: u32, count: 4}\n", encoding="utf-8")
    done = smsim("run", "--report", "none", "--memory-check", mode, "-o", FOLDER / name, FOLDER / "outside.yaml")
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return FOLDER / name


def count(text):
    """A count as the page formats it, without the separators."""
    return int(text.replace(",", "").replace("−", "-"))


def percent(fraction):
    """A share as the page formats it."""
    return "<\u00a00.1\u00a0%" if 0 < fraction < 0.0005 else f"{100 * fraction:,.1f}\u00a0%"


def ratio(numerator, denominator):
    """0 if the denominator is 0, as in the report."""
    return numerator / denominator if denominator else 0

"""`scripts/check-systems`: builds and tests the project with other compilers, on other systems and for another architecture, in
bare roots, and prints a table. docs/installation.md shows one.

In every row, the program, its unit tests and its lockstep tests are built; every kernel is run, and its output is compared with
that of the first row, byte for byte."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from systems.roots import TREE, Failed, Root
from systems.rows import ROWS
from systems.trial import Trial

COLUMNS = (("build", "built"), ("bytes", "bytes"), ("unit", "unit tests"), ("cosim", "lockstep tests"), ("sweep", "sweeps"))
VERSIONS = {"SystemC": "libsystemc-dev", "Verilator": "verilator", "Python": "python3", "Dask": "python3-distributed"}  # packages


def parse_arguments():
    parser = argparse.ArgumentParser(prog="check-systems", description=__doc__)
    parser.add_argument("--row", action="append", metavar="NAME", help="only this row (may be repeated; default: all)")
    parser.add_argument("--list", action="store_true", help="print the rows")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian", metavar="URL", help="of Debian (%(default)s)")
    parser.add_argument("--folder", type=pathlib.Path, metavar="DIR",
                        help="folder for roots, builds and logs, which is kept (default: a new one in /var/tmp, removed at the end)")
    options = parser.parse_args()
    names = [row.name for row in ROWS]
    for name in options.row or []:
        if name not in names:
            parser.error(f"there is no row '{name}'; expected {', '.join(names)}")
    return options


def versions(root):
    """The versions in a root, as text."""
    found = []
    for name, package in VERSIONS.items():
        version = root.run(f"dpkg-query -W -f='${{Version}}' {package} 2>/dev/null || true", "/").strip()
        found.append(f"{name} {re.sub(r'^[0-9]+:|[-+].*$', '', version) or 'missing'}")
    return ", ".join(found)


def print_table(trials, seconds):
    heads = ["row", "compiler", "Debian", *(title for _, title in COLUMNS)]
    print("| " + " | ".join(heads) + " |")
    print("|---" * len(heads) + "|")
    for trial in trials:
        cells = [trial.row.name, trial.row.compiler, trial.row.suite, *(trial.cells.get(column, "") for column, _ in COLUMNS)]
        print("| " + " | ".join(cells) + " |")
    print(f"\ncheck-systems: {len(trials)} rows, {seconds / 60:.0f} min")


def try_rows(rows, folder, mirror):
    """Tries each row; returns the trials, and how many have failed."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=TREE, stdout=subprocess.PIPE, text=True, check=True)
    record = folder / f"record-{commit.stdout.strip()}.json"
    roots = {}
    trials = []
    failed = 0
    for row in rows:
        place = f"{row.suite}-{row.architecture}" if row.architecture else row.suite
        root = roots.setdefault(place, Root(row.suite, folder / place, mirror))
        trial = Trial(row, root, folder, record)
        trials.append(trial)
        print(f"check-systems: {row.name}: {row.compiler} on {row.suite}", flush=True)
        start = time.monotonic()
        try:
            trial.run()
            print(f"check-systems: {row.name}: done in {time.monotonic() - start:.0f} s, {dict(trial.cells)}", flush=True)
        except Failed as error:
            failed += not row.ahead
            trial.cells.setdefault("build", "FAILED")
            print(f"check-systems: {row.name}: FAILED, {trial.log} has the whole:\n{error}", file=sys.stderr, flush=True)
    for place, root in roots.items():
        if place == root.suite:
            print(f"check-systems: {place}: {versions(root)}")
    return trials, failed


def main():
    options = parse_arguments()
    rows = [row for row in ROWS if not options.row or row.name in options.row]
    if options.list:
        for row in rows:
            print(f"{row.name}\t{row.compiler}\t{row.suite}\t{' '.join(row.steps or row.presets)}")
        return 0
    if os.geteuid() != 0:
        print("check-systems: needs root, for debootstrap and chroot", file=sys.stderr)
        return 2
    subprocess.run([TREE / "scripts/install-dependencies", "fresh"], check=True)
    start = time.monotonic()
    folder = options.folder
    if folder is None:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="smsim-systems.", dir="/var/tmp"))
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        trials, failed = try_rows(rows, folder, options.mirror)
    finally:
        if options.folder is None:
            subprocess.run(["rm", "-rf", "--one-file-system", folder], check=False)
    print_table(trials, time.monotonic() - start)
    return 1 if failed else 0

"""Shared by the tests of sweeps: a folder with small kernels, a program in place of smsim, and the sweep from
outside."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))
sys.dont_write_bytecode = True

try:
    import distributed  # noqa: F401
    import yaml  # noqa: F401
except ImportError as error:
    print(f"{error}; skipped")
    sys.exit(77)

SMSIM = os.environ.get("SMSIM_BINARY", str(ROOT / "build/release/smsim"))
# Long enough for a loaded machine; nothing waits that long in a passing test.
PATIENCE = 120

PROGRAM = ".kernel k\n MOV R0, 1;\n EXIT;\n"
LAUNCH = "program: kernel.sasm\ngrid: 1\nblock: 32\n"
# Runs of a gated kernel that start before the gate is opened.
BEFORE_GATE = 10
# Acts depending on the name of the launch file; otherwise runs smsim, with another version if the environment sets one. $PPID is
# the worker.
STUB = """#!/bin/sh
if [ "$1" = --version ] && [ -n "$OTHER_VERSION" ]; then
  echo "$OTHER_VERSION"
  exit
fi
if [ "$1" = run ]; then
  for last; do :; done
  echo "$$ $PPID $last" >> {folder}/calls
  case "$last" in
    *slow*) exec sleep 100 ;;
    *segfault*) kill -SEGV $$ ;;
    *abort*) kill -ABRT $$ ;;
    *killed*) kill -KILL $$ ;;
    *terminated*) kill -TERM $$ ;;
    *stopped*) exit 143 ;;
    *poison*) kill -KILL $PPID; sleep 100 ;;
    *steady*) sleep 0.2 ;;
    *gated*) [ $(wc -l < {folder}/calls) -le {before_gate} ] || until [ -e {folder}/gate ]; do sleep 0.1; done ;;
    *changed*) {smsim} "$@" | sed 's/"model": "[0-9a-f]*"/"model": "another"/'; exit 0 ;;
  esac
fi
exec {smsim} "$@"
"""


class SweepTest(unittest.TestCase):
    """A folder with a tiny kernel, and the sweep on it."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="smsim-test-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        self.stub = self.folder / "smsim"
        self.write("kernel.sasm", PROGRAM)
        self.write("launch.yaml", LAUNCH)
        self.write("smsim", STUB.format(folder=self.folder, smsim=SMSIM, before_gate=BEFORE_GATE))
        self.stub.chmod(0o755)
        self.file = self.folder / "results.sqlite"

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def arguments(self, *options):
        if not {"--workers", "--scheduler"} & set(options):
            options += ("--workers", "1")
        sweep = [str(ROOT / "scripts/sweep"), str(self.folder / "sweep.yaml")]
        return [sys.executable, *sweep, "--output", str(self.file), "--smsim", str(self.stub), *options]

    def start(self, *options):
        """Starts the sweep in a separate process and keeps its standard error."""
        process = subprocess.Popen(
            self.arguments(*options), cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(end, process)
        return process

    def sweep(self, *options, status):
        """Runs to the end; returns the output."""
        done = subprocess.run(
            self.arguments(*options), cwd=self.folder, capture_output=True, text=True, check=False, timeout=2 * PATIENCE
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr, done.stderr)
        return done.stdout + done.stderr

    def calls(self):
        """How many runs have been started."""
        path = self.folder / "calls"
        return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0

    def open_gate(self):
        self.write("gate", "")

    def rows(self, query):
        connection = sqlite3.connect(self.file)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def results(self):
        return self.rows("SELECT count(*) FROM result")[0][0] if self.file.exists() else 0

    def wait_for_results(self, count):
        self.wait_until(lambda: self.file.exists() and self.table_exists() and self.results() >= count)

    def kill_at_the_gate(self):
        """Starts the sweep of a gated kernel, and kills it when the runs before the gate have their results."""
        process = self.start()
        self.wait_for_results(BEFORE_GATE)
        self.wait_until(lambda: self.calls() > BEFORE_GATE)
        process.kill()
        process.communicate()
        self.assertEqual(self.results(), BEFORE_GATE)

    def go_on_through_the_gate(self, points):
        """Runs the rest of the sweep: every point completes, and none is run a second time that had its result."""
        started = self.calls()
        self.open_gate()
        self.assertIn(f"{points} points: {points} completed", self.sweep(status=0))
        self.assertEqual(self.calls() - started, points - BEFORE_GATE)

    def reports(self):
        """Values of the axes -> report, of every point."""
        rows = self.rows('SELECT "values", report FROM point JOIN result USING (key) ORDER BY number')
        return {tuple(json.loads(values).values()): json.loads(zlib.decompress(report)) for values, report in rows}

    def table_exists(self):
        return bool(self.rows("SELECT 1 FROM sqlite_master WHERE name = 'result'"))

    def wait_until(self, condition):
        start = time.monotonic()
        while not condition():
            self.assertLess(time.monotonic() - start, PATIENCE, "what was waited for did not come")
            time.sleep(0.02)


def end(process):
    if process.poll() is None:
        process.kill()
    process.communicate()


def main():
    if not os.access(SMSIM, os.X_OK):
        sys.exit(f"{SMSIM} is missing")
    unittest.main(verbosity=2)

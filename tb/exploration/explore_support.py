"""Shared by the tests of the analysis: files of sweeps with known figures, and runs of scripts/explore."""

import contextlib
import io
import json
import os
import sqlite3
import sys
import tempfile
import unittest
import zlib
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tb" / "support")]
sys.dont_write_bytecode = True

try:
    import jinja2  # noqa: F401
    import matplotlib  # noqa: F401
    import pandas  # noqa: F401
    import yaml  # noqa: F401
except ImportError as error:
    print(f"{error}; skipped")
    sys.exit(77)

from smsim import explore_command, explore_options, metrics, results, store  # noqa: E402

SMSIM = os.environ.get("SMSIM_BINARY", str(ROOT / "build/release/smsim"))
LAYOUT = f"PRAGMA synchronous = OFF; PRAGMA user_version = {store.VERSION}; {store.LAYOUT}"


def report(cycles, config=None, **changes):
    """A report with the members used by metrics: 100 warp instructions, stalls of equal length."""
    whole = {
        "cycles": cycles,
        "warp_instructions": 100,
        "warp_cycles": 100 * len(metrics.STALL_REASONS),
        "ipc": 100 / cycles,
        "simd_efficiency": 0.5,
        "stalls": {reason: 100 for reason in metrics.STALL_REASONS},
        "occupancy": {"mean_fraction": 0.25, "mean_warps": 16.0},
        "branch_unit": {"branches": [], "busy_cycles": 0, "yields": 0, "sleeps": 0, "warp_sleeps": 0},
        "barrier_unit": {"barriers": []},
        "memory": {
            "shared": {"accesses": 0, "conflict_passes": 0},
            "l1": {"sector_hits": 0, "sector_misses": 0, "hit_rate": 0.0, "mshr_merges": 0},
            "load_store": {"coalescing": 0.0, "moved_global_bytes": 0},
            "global": {"read_bytes": 0, "write_bytes": 0, "busy_cycles": 0},
        },
        "fetch": {"fetches": 0, "l0_hits": 0, "l0_misses": 0, "l0_hit_rate": 0.0, "discarded": 0},
        "hazards": {"count": 0},
        "config": {"sm": {"clock_ghz": 2.0}} | (config or {}),
    }
    return whole | changes


def completed(cycles, config=None, **changes):
    """The outcome of a point that completed."""
    return {"status": "completed", "report": report(cycles, config, **changes)}


def failed(status, message):
    return {"status": status, "message": message}


class ExploreTest(unittest.TestCase):
    """A folder in which sweep files are made and inspected. Every test closes the files that it opens."""

    def setUp(self):
        opened = []
        connect = sqlite3.connect
        self.enterContext(
            mock.patch("sqlite3.connect", lambda *words, **names: opened.append(connect(*words, **names)) or opened[-1])
        )
        self.addCleanup(self.check_closed, opened)
        holder = tempfile.TemporaryDirectory(prefix="smsim-test-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        self.file = self.folder / "sweep.sqlite"

    def check_closed(self, databases):
        for database in databases:
            with self.assertRaisesRegex(sqlite3.ProgrammingError, "closed database"):
                database.cursor()

    def write_sweep(self, axes, points, name="test", description="", definition=""):
        """axes: {name: values}. points: (kernel, values, outcome), where an outcome is a result of completed(), or None for
        a point that has not been run; its "settings" are those of the axes unless it names others, its base file is "config"."""
        new = not self.file.exists()
        with contextlib.closing(sqlite3.connect(self.file)) as database, database:
            if new:
                database.executescript(LAYOUT)
            database.execute("INSERT INTO sweep VALUES (?, ?, ?, '')", (name, description, definition))
            for position, (axis, values) in enumerate(axes.items()):
                database.execute("INSERT INTO axis VALUES (?, ?, ?, ?)", (name, position, axis, json.dumps(values)))
            for number, (kernel, values, outcome) in enumerate(points):
                self._write_point(database, name, number, kernel, dict(zip(axes, values)), outcome)
        return self.file

    @staticmethod
    def _write_point(database, name, number, kernel, values, outcome):
        key = f"{name}-{number}"
        settings = [f"{axis}={results.text(value)}" for axis, value in values.items()]
        settings = (outcome or {}).get("settings", settings)
        base = ["-c", outcome["config"]] if outcome and "config" in outcome else []
        command = " ".join(["smsim run", *base, *(f"--set {setting}" for setting in settings), f"{kernel}.yaml"])
        row = (name, number, kernel, f"{kernel}.yaml", json.dumps(values), json.dumps(settings), command, key)
        database.execute("INSERT INTO point VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        if outcome is None:
            return
        blob = outcome.get("blob") or outcome.get("report") and zlib.compress(json.dumps(outcome["report"]).encode())
        row = (key, outcome["status"], outcome.get("message", ""), 0, 0.5, "w", "", outcome.get("model", "m1"), blob)
        database.execute("INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def load(self, *arguments):
        return results.load(self.file, *arguments)

    def explore(self, *words, status=0):
        """Runs scripts/explore without starting a process: (standard output, standard error)."""
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            found = explore_command.run(explore_options.parse(list(map(str, words))))
        self.assertEqual(found, status, error.getvalue())
        return out.getvalue(), error.getvalue()

#!/usr/bin/env python3
"""Twelve kernels that are bound by one thing each, by design: the verdict of the report names it, and of the reliefs of
`smsim run --what-if` the one of just that gains most. A kernel and its launch file are called as the relief is."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SMSIM = os.environ["SMSIM_BINARY"]
FOLDER = pathlib.Path(__file__).resolve().parent
LAUNCHES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
# A relief that hardly gains anything tells nothing.
LEAST_SPEEDUP = 1.3


class Bottlenecks(unittest.TestCase):
    def analysed(self, name):
        """Report and ranking of a kernel."""
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run([SMSIM, "run", "--what-if", "-j", "2", "--report", "json", "-o", folder,
                                  str(FOLDER / f"{name}.yaml")], capture_output=True, text=True, check=False)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            report = json.loads(pathlib.Path(folder, "report.json").read_text(encoding="utf-8"))
            ranking = json.loads(pathlib.Path(folder, "what_if.json").read_text(encoding="utf-8"))
        self.assertEqual(json.loads(ran.stdout), ranking)
        return report, ranking

    def test_there_are_twelve(self):
        self.assertEqual(len(LAUNCHES), 12)


def bound_by(name):
    def test(self):
        report, ranking = self.analysed(name)
        verdict = report["verdict"]["candidates"]
        self.assertEqual(verdict[0]["relief"], name, [(each["relief"], round(each["score"], 2)) for each in verdict])
        self.assertNotEqual(report["verdict"]["certainty"], "open")
        reliefs = ranking["reliefs"]
        self.assertEqual(reliefs[0]["relief"], name, [(each["relief"], each["cycles"]) for each in reliefs[:4]])
        self.assertGreater(reliefs[0]["speedup"], LEAST_SPEEDUP)
        self.assertEqual(ranking["cycles"], report["cycles"])
        self.assertEqual(verdict[0]["settings"], reliefs[0]["settings"])
    return test


for launch in LAUNCHES:
    setattr(Bottlenecks, f"test_{launch}", bound_by(launch))

if __name__ == "__main__":
    unittest.main()

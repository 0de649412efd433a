#!/usr/bin/env python3
"""Kernels that are bound by one thing each, by design: the verdict of the report names it, and its relief gains most of
all reliefs of `smsim run --what-if`. A kernel and its launch file are named after the relief; where there are several,
another word distinguishes them. Other reliefs that help, such as a shorter latency with few misses under way, may gain a tenth more."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SMSIM = os.environ["SMSIM_BINARY"]
FOLDER = pathlib.Path(__file__).resolve().parent
LAUNCHES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
# A relief that gains hardly anything proves nothing.
LEAST_SPEEDUP = 1.3
# As a share of the largest gain.
NEARLY = 0.9


class Bottlenecks(unittest.TestCase):
    def report_of(self, name):
        ran = subprocess.run([SMSIM, "run", "--report", "json", str(FOLDER / f"{name}.yaml")], capture_output=True, text=True,
                             check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)

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

    def test_memory_has_several_of_each_part(self):
        self.assertEqual(len(LAUNCHES), 32)
        for part in ("l1_capacity", "mshrs", "global_path", "load_store", "memory_latency"):
            self.assertGreaterEqual(sum(launch.split("-")[0] == part for launch in LAUNCHES), 2, part)

    def test_scattered_accesses_are_named_by_line_and_coalesced_ones_are_not(self):
        for name, needed in (("l1_conflicts", 4), ("global_path-scatter", 4), ("mshrs-scatter", 4), ("load_store-scatter", 4),
                             ("l1_data-rows", None), ("global_path-stream", None), ("dram_path-stream", None)):
            scattered = self.report_of(name)["verdict"]["scattered"]
            if needed is None:
                self.assertEqual(scattered, [], name)
            else:
                self.assertEqual([(each["sectors_per_request"], each["sectors_needed"]) for each in scattered],
                                 [(32, needed)] * 3, name)
                lines = (FOLDER / f"{name}.sasm").read_text(encoding="utf-8").splitlines()
                for each in scattered:
                    self.assertIn("LDG", lines[each["line"] - 1])


def bound_by(name):
    def test(self):
        report, ranking = self.analysed(name)
        part, *variant = name.split("-")
        verdict = report["verdict"]["candidates"]
        self.assertEqual(verdict[0]["relief"], part, [(each["relief"], round(each["score"], 2)) for each in verdict])
        self.assertNotEqual(report["verdict"]["certainty"], "open")
        reliefs = ranking["reliefs"]
        gains = [(each["relief"], each["cycles"]) for each in reliefs[:4]]
        [relief] = [each for each in reliefs if each["relief"] == part]
        self.assertGreater(relief["speedup"], LEAST_SPEEDUP, gains)
        self.assertGreaterEqual(relief["speedup"], reliefs[0]["speedup"] * (NEARLY if variant else 1), gains)
        self.assertEqual(ranking["cycles"], report["cycles"])
        self.assertEqual(verdict[0]["settings"], relief["settings"])
    return test


for launch in LAUNCHES:
    setattr(Bottlenecks, f"test_{launch}", bound_by(launch))

if __name__ == "__main__":
    unittest.main()

"""scripts/timing-diagrams: an invalid source is reported with its place and never causes a traceback, `--check` finds
pictures that do not match their sources, and docs/pins.md shows all of them."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

GOOD = """
block: sleep_timer
title: a request
inputs: {cfg_granularity: 3}
first: 10
gaps: [20]
rows: |
  clk               p p p | p p
  req_valid[0]      0 1 0 | . .
  req_cycles[63:0]  x 5 x | . .
  expiry[0]         0 . . | 1 0
  <-> req_valid[0]@11 @12 {n} cycle
"""


class TimingDiagrams(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_on(self, text, *options):
        (self.folder / "one.yaml").write_text(text, encoding="utf-8")
        command = [sys.executable, ROOT / "scripts/timing-diagrams", "--sources", self.folder, "--pictures", self.folder]
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
        if done.returncode == 77:
            self.skipTest(done.stdout)
        return done

    def refused(self, old, new):
        self.assertIn(old, GOOD)
        done = self.run_on(GOOD.replace(old, new))
        self.assertEqual(done.returncode, 1)
        return done.stderr.removeprefix("timing-diagrams: ").rstrip("\n")

    def test_a_wrong_source_is_named_with_its_row(self):
        row = "one.yaml: row "
        for old, new, message in (
            ("0 1 0 | . .", "0 1 Z | . .", row + "req_valid[0]: unknown value 'Z' in cell 3"),
            ("x 5 x | . .", "x q x | . .", row + "req_cycles[63:0]: unknown value 'q' in cell 2"),
            ("clk               p p p", "clk               p p x", row + "clk: unknown value 'x' in cell 3"),
            ("0 1 0 | . .", "0 1 0 | .", row + "req_valid[0]: 5 cells, but clk has 6"),
            ("0 1 0 | . .", ". 1 0 | . .", row + "req_valid[0]: the first cell has none before it"),
            ("0 1 0 | . .", "0 1 0 0 . .", row + "req_valid[0]: cell 4: a gap goes through all rows"),
            ("expiry[0] ", "req_valid[0] ", row + "req_valid[0]: occurs twice"),
            ("x 5 x |", "x 1234567 x |", row + "req_cycles[63:0]: label '1234567' is too long for its box"),
            ("gaps: [20]", "gaps: []", "one.yaml: 0 gaps, but the rows have 1"),
            ("sleep_timer", "timer", "one.yaml: block 'timer'; expected one of bru, bcu, sleep_timer, shared_memory"),
            ("title: a request\n", "", "one.yaml: title is missing, or no text"),
            ("gaps:", "gap:", "one.yaml: unknown key 'gap'; expected before, block, cell, first, gaps, inputs, rows, title, values"),
        ):
            with self.subTest(new):
                self.assertEqual(self.refused(old, new), message)
        self.assertTrue(self.refused("inputs: {", "inputs: [").startswith("one.yaml: "))
        self.assertEqual(self.refused("inputs: {", f"inputs: {'[' * 5000}"), "one.yaml: nested too deeply")

    def test_an_arrow_says_what_is(self):
        arrow = "req_valid[0]@11 @12 {n} cycle"
        for new, message in (
            ("req_valid[0]@11 @13 1 cycle", "expected two cycles that are drawn"),
            ("req_cycles[63:0]@10 @12 late", "req_cycles[63:0] does not change in cycle 10"),
            ("busy@11 @12 late", "there is no row busy"),
            ("req_valid[0]@11 @12 cfg_granularity", "1 cycles, but the pin is 3"),
            ("req_valid[0] to 12", "expected PIN@CYCLE PIN@CYCLE TEXT"),
        ):
            with self.subTest(new):
                self.assertEqual(self.refused(arrow, new), f"one.yaml: '{new}': {message}")
        self.assertEqual(self.refused(arrow, "@10 @11 beside ; @11 @12 b"),
                         "one.yaml: 'b' overlaps the arrow before; give it a line of its own")

    def test_check_finds_what_the_sources_do_not_give(self):
        picture = self.folder / "timing-one.svg"
        missing = self.run_on(GOOD, "--check")
        self.assertEqual((missing.returncode, picture.exists()), (1, False))
        self.assertIn("timing-one.svg is not there", missing.stderr)
        self.assertEqual(self.run_on(GOOD).returncode, 0)
        self.assertEqual(self.run_on(GOOD, "--check").returncode, 0)
        changed = self.run_on(GOOD.replace("x 5 x", "x 6 x"), "--check")
        self.assertEqual(changed.returncode, 1)
        self.assertIn("timing-one.svg is not what its source gives", changed.stderr)
        picture.rename(self.folder / "timing-two.svg")
        self.assertIn("timing-two.svg has no source", self.run_on(GOOD, "--check").stderr)

    def test_the_document_shows_every_picture(self):
        text = (ROOT / "docs/pins.md").read_text(encoding="utf-8")
        there = {path.name for path in (ROOT / "docs/pictures").glob("timing-*.svg")}
        self.assertEqual(set(re.findall(r"!\[[^]]+\]\(pictures/(timing-[^)]+)\)", text)), there)


if __name__ == "__main__":
    unittest.main(verbosity=2)

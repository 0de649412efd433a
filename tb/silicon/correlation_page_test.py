#!/usr/bin/python3
"""The page of the recorded correlation in a browser is accessible: an accessibility checker finds nothing, keys
reach everything, paper shows all of it. Skipped (status 77) without a browser."""

import sys
import tempfile
import unittest
from pathlib import Path

from test_start import ROOT  # first: it ends the test if packages are missing

sys.path.insert(0, str(ROOT / "tb/support"))
import accessibility
import browser
import keyboard
import paper
from correlation import command, page, points, tables
from silicon import probes

NARROW = 420
# From the page's style, in millimetres.
MARGIN = 10


class CorrelationPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="smsim-test-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        cls.path = cls.folder / "index.html"
        found = points.read(probes.PROBES)
        values, messages = command.load(command.RECORD)
        cls.sections = [("Summary", tables.summary(found, values)), ("Points", tables.each(found, values)),
                        ("Without a figure", tables.without(found, values, messages)), ("A sentence", "With `code` in it.")]
        cls.path.write_text(page.page("smsim against silicon", found, values, cls.sections), encoding="utf-8")

    @unittest.skipIf(accessibility.missing(), accessibility.missing())
    def test_the_checker_finds_nothing(self):
        with browser.open_page(self.path) as shown:
            self.assertEqual(accessibility.violations_everywhere(shown), [])

    def test_keys_reach_and_scroll_its_tables(self):
        for width in (1280, NARROW):
            with browser.open_page(self.path, width=width, first=keyboard.WATCH) as shown:
                found = keyboard.walk(shown)
                self.assertEqual(found.problems(), [])
                self.assertEqual(len(found.stops), sum(text.count("\n|---") for _, text in self.sections))
                self.assertEqual(keyboard.operate(shown), [])
                self.assertLessEqual(shown.script("return document.documentElement.scrollWidth"), width)

    @unittest.skipIf(paper.missing(), paper.missing())
    def test_paper_holds_it_all(self):
        file = self.folder / "sheets.pdf"
        with browser.open_page(self.path) as shown:
            self.assertEqual(paper.cut_off(shown, MARGIN, "dark"), [])
            self.assertEqual(paper.lost(shown, file, "dark"), [])
        means, corner = paper.brightness(file, self.folder)
        self.assertGreater(min(means), 0.8)
        self.assertEqual(corner, 1)


if __name__ == "__main__":
    if browser.missing():
        print(f"skipped: {browser.missing()}")
        sys.exit(browser.SKIPPED)
    unittest.main()

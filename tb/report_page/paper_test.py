#!/usr/bin/python3
"""Every page of `smsim report` on paper, printed from the dark scheme: everything shown is on the sheets, nothing is cut
off, and the sheets are light. Skipped (status 77) without a browser or without poppler's programs."""

import sys
import unittest

import runs
import unusual_reports_test as unusual
import browser
import comparison_test as comparison
import page_test as usual
import paper
from page_case import main

# From style/print.css, in millimetres.
MARGIN = 12


class Printed(unittest.TestCase):
    """Each page as opened, and unfolded."""

    def check(self, case, sections):
        with browser.open_page(case.make()) as page:
            self.check_sheets(page)
            self.assertEqual(page.count("main section"), sections)
            page.unfold()
            self.check_sheets(page)

    def check_sheets(self, page):
        file = runs.FOLDER / "sheets.pdf"
        self.assertEqual(paper.cut_off(page, MARGIN, "dark"), [])
        self.assertEqual(paper.lost(page, file, "dark"), [])
        means, corner = paper.brightness(file, runs.FOLDER)
        self.assertGreater(min(means), 0.8)
        self.assertEqual(corner, 1)

    def test_one_run(self):
        self.check(usual.OneRun, 15)

    def test_several_runs(self):
        self.check(comparison.Comparison, 12)

    def test_a_run_that_ended_with_an_exception(self):
        self.check(unusual.CutShort, 15)

    def test_accesses_outside_every_buffer(self):
        self.check(unusual.AccessesOutside, 15)

    def test_names_that_are_long(self):
        self.check(unusual.HostileTexts, 15)


class Sheets(unittest.TestCase):
    """The checks of the sheets find errors."""

    def test_it_finds_what_is_cut_off_lost_or_dark(self):
        path, file = runs.FOLDER / "wrong.html", runs.FOLDER / "wrong.pdf"
        path.write_text("<!doctype html><html lang='en'><title>t</title>"
                        "<body style='background: #222; -webkit-print-color-adjust: exact'><div class='wide' style='width: 300mm'>"
                        "wide</div><div class='frame' style='overflow: auto; height: 2rem'><h2>first</h2><h2 style='margin: 30rem 0'>hidden</h2></div>", encoding="utf-8")
        with browser.open_page(path) as page:
            self.assertEqual([each.split(" ")[0] for each in paper.cut_off(page, MARGIN)], ["div.wide", "div.frame"])
            self.assertIn("hidden", paper.lost(page, file))
        self.assertLess(min(paper.brightness(file, runs.FOLDER)[0]), 0.3)


if __name__ == "__main__":
    if paper.missing():
        print(f"skipped: {paper.missing()}")
        sys.exit(browser.SKIPPED)
    main()

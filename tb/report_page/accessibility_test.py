#!/usr/bin/python3
"""An accessibility checker finds nothing wrong in any page of `smsim report`: of one run, of several, and of reports that are
unusual in every way. Skipped (status 77) without a browser or without the checker."""

import sys
import unittest

import runs
import unusual_reports_test as unusual
import accessibility
import browser
import comparison_test as comparison
import page_test as usual
from page_case import main


class Checked(unittest.TestCase):
    """Each page with everything unfolded, light and dark, wide and narrow."""

    def check(self, case):
        with browser.open_page(case.make()) as page:
            self.assertEqual(accessibility.violations_everywhere(page), [])

    def test_one_run(self):
        self.check(usual.OneRun)

    def test_a_run_with_a_stack_and_a_hazard_checker(self):
        self.check(usual.RunWithAStack)

    def test_a_run_with_a_validated_configuration(self):
        self.check(usual.RunWithAValidatedConfiguration)

    def test_a_run_with_a_critical_path(self):
        self.check(usual.RunWithACriticalPath)

    def test_several_runs(self):
        self.check(comparison.Comparison)

    def test_runs_of_different_kernels(self):
        self.check(comparison.OtherPrograms)

    def test_a_run_that_ended_with_an_exception(self):
        self.check(unusual.CutShort)

    def test_thousands_of_warps(self):
        self.check(unusual.ManyWarps)

    def test_accesses_outside_every_buffer(self):
        self.check(unusual.AccessesOutside)

    def test_a_run_in_which_nothing_happened(self):
        self.check(unusual.EmptyRun)

    def test_a_damaged_report(self):
        self.check(unusual.DamagedSection)

    def test_a_report_of_an_earlier_version(self):
        self.check(unusual.OlderReport)

    def test_names_that_are_markup(self):
        self.check(unusual.HostileTexts)


class Checker(unittest.TestCase):
    """The checker itself works."""

    def test_it_finds_what_is_wrong(self):
        path = runs.FOLDER / "wrong.html"
        path.write_text("<!doctype html><html><head><title>t</title></head><body><main><h1>h</h1>"
                        "<p style='color: #ccc'>pale</p><img src='data:,'></main></body></html>", encoding="utf-8")
        with browser.open_page(path) as page:
            found = {line.split(":")[0] for line in accessibility.violations(page)}
            self.assertEqual(page.script("return axe.version"), accessibility.pinned())
        self.assertEqual(found, {"color-contrast", "html-has-lang", "image-alt"})


if __name__ == "__main__":
    if accessibility.missing():
        print(f"skipped: {accessibility.missing()}")
        sys.exit(browser.SKIPPED)
    main()

#!/usr/bin/python3
"""The checks of keyboard_test.py on further pages; this takes long. Skipped (status 77) without a browser."""

import unittest

import unusual_reports_test as unusual
import comparison_test as comparison
import page_test as usual
from keyboard_test import NARROW, operated
from page_case import main


class OperatedFurther(unittest.TestCase):
    """Pages of several runs, of many rows, and in a narrow window."""

    def test_one_run_in_a_narrow_window(self):
        operated(self, usual.OneRun, width=NARROW)

    def test_several_runs(self):
        operated(self, comparison.Comparison)

    def test_thousands_of_warps(self):
        operated(self, unusual.ManyWarps)


if __name__ == "__main__":
    main()

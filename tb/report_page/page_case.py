"""Shared by the tests of the page: a page that is opened once for all tests of a class, and its tables as numbers."""

import sys
import unittest

import runs
import browser
from runs import count

LANES = 32


def place(entry):
    """A source line as the page names it."""
    return f"{entry['file'].split('/')[-1]}:{entry['line']}"


class PageCase(unittest.TestCase):
    """A page that is opened once for all tests of a class; `make` returns its file."""

    @classmethod
    def setUpClass(cls):
        cls.path = cls.make()
        opened = browser.open_page(cls.path)
        cls.page = opened.__enter__()
        cls.addClassCleanup(opened.__exit__, None, None, None)

    def tearDown(self):
        self.assertEqual(self.page.errors(), [])
        self.assertEqual(self.page.texts(".problem"), self.problems())

    def problems(self):
        """The errors that the page is expected to show."""
        return []

    def rows(self, selector):
        """The body of a table."""
        return self.page.table(selector + " tbody")

    def column(self, selector, *positions):
        """Columns of a table's body as numbers."""
        return [tuple(count(row[position]) for position in positions) for row in self.rows(selector)]


def main():
    """Runs the tests of the program, or exits with the status of a skipped test if there is no browser."""
    if browser.missing():
        print(f"skipped: {browser.missing()}")
        sys.exit(browser.SKIPPED)
    unittest.main()

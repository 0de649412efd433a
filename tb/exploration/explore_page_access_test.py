"""The page of a sweep is accessible: an accessibility checker finds nothing, keys reach and operate everything, paper
shows all of it."""

import sys
import unittest

from explore_page_test import AXES, HOSTILE, points
from explore_support import ExploreTest, completed, failed

import accessibility
import browser
import keyboard
import paper
from smsim import page

NARROW = 420
# From page.css, in millimetres.
MARGIN = 14
# More points than the table shows at first.
MANY = {"ibuffer.depth": list(range(1, 61)), "memory": ["near", "far"]}


class Access(ExploreTest):
    def render(self, axes, found, **texts):
        self.write_sweep(axes, found, **texts)
        path = self.folder / "page.html"
        path.write_text(page.render(self.load()), encoding="utf-8")
        return path

    def usual(self):
        return self.render(AXES, points(), description="What a sweep is for", definition="axes: [a, b]")

    def large(self):
        found = [
            ("k", (depth, memory), completed(1000 + depth, {"sm": {"clock_ghz": 2.0}, "ibuffer": {"depth": depth}}))
            for depth in MANY["ibuffer.depth"]
            for memory in MANY["memory"]
        ]
        return self.render(MANY, found)

    def empty(self):
        return self.render(AXES, [("k", (1, "near"), None), ("k", (3, "near"), failed("refused", "no"))])

    def hostile(self):
        found = [(HOSTILE, (HOSTILE,), completed(10)), (HOSTILE, ("b",), failed("crashed", HOSTILE))]
        return self.render({HOSTILE: [HOSTILE, "b"]}, found, description=HOSTILE, definition=HOSTILE)

    @unittest.skipIf(accessibility.missing(), accessibility.missing())
    def test_the_checker_finds_nothing(self):
        for make in (self.usual, self.large, self.empty, self.hostile):
            with self.subTest(make.__name__):
                self.file.unlink(missing_ok=True)
                with browser.open_page(make()) as shown:
                    self.assertEqual(accessibility.violations_everywhere(shown), [])

    def test_tab_walks_through_it(self):
        path = self.usual()
        for width in (1280, NARROW):
            with browser.open_page(path, width=width, first=keyboard.WATCH) as shown:
                found = keyboard.walk(shown)
                found.back()
                self.assertEqual(found.problems(), [])
                self.assertGreater(len(found.stops), 20)

    def test_everything_obeys_its_keys(self):
        for make in (self.usual, self.large):
            with self.subTest(make.__name__):
                self.file.unlink(missing_ok=True)
                with browser.open_page(make(), first=keyboard.WATCH) as shown:
                    self.assertEqual(keyboard.operate(shown), [])
                    self.assertEqual(shown.errors(), [])

    def test_in_a_narrow_window_too(self):
        with browser.open_page(self.usual(), width=NARROW, first=keyboard.WATCH) as shown:
            self.assertEqual(keyboard.operate(shown), [])

    @unittest.skipIf(paper.missing(), paper.missing())
    def test_paper_holds_it_all(self):
        file = self.folder / "sheets.pdf"
        for make in (self.usual, self.large, self.hostile):
            with self.subTest(make.__name__):
                self.file.unlink(missing_ok=True)
                with browser.open_page(make()) as shown:
                    self.assertEqual(paper.cut_off(shown, MARGIN, "dark"), [])
                    self.assertEqual(paper.lost(shown, file, "dark"), [])
                means, corner = paper.brightness(file, self.folder)
                self.assertGreater(min(means), 0.8)
                self.assertEqual(corner, 1)

    def test_paper_has_the_rows_and_the_texts_that_the_screen_folds(self):
        with browser.open_page(self.large()) as shown:
            self.assertEqual(shown.count("#points-table tr.beyond"), 20)
            shown.media("print")
            self.assertEqual(shown.style("#points-table tr.beyond", "display"), "table-row")
            shown.script("dispatchEvent(new Event('beforeprint'))")
            self.assertEqual(shown.count("details:not([open])"), 0)
            shown.script("dispatchEvent(new Event('afterprint'))")
            self.assertEqual(shown.count("details[open]"), 0)


if __name__ == "__main__":
    if browser.missing():
        print(f"{browser.missing()}; skipped")
        sys.exit(77)
    unittest.main()

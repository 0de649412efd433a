#!/usr/bin/python3
"""Every page of `smsim report` by keyboard alone: Tab reaches everything that can be operated, in visual order, with a focus ring
and no trap; and whatever is reached obeys its keys. Skipped (status 77) without a browser."""

import unittest

import runs
import unusual_reports_test as unusual
import browser
import comparison_test as comparison
import keyboard
import page_test as usual
from keyboard import Keys
from page_case import PageCase, main

NARROW = 420


class Walked(unittest.TestCase):
    """Pages from their top to their end."""

    def walk(self, case, unfolded=False, back=False, **window):
        with browser.open_page(case.make(), first=keyboard.WATCH, **window) as page:
            if unfolded:
                page.unfold()
            found = keyboard.walk(page)
            if back:
                found.back()
            self.assertEqual(found.problems(), [])
            self.assertGreater(len(found.stops), 20)

    def test_one_run_there_and_back(self):
        self.walk(usual.OneRun, back=True)

    def test_one_run_with_all_that_is_folded(self):
        self.walk(usual.OneRun, unfolded=True)

    def test_one_run_in_a_narrow_window(self):
        self.walk(usual.OneRun, width=NARROW)

    def test_several_runs(self):
        self.walk(comparison.Comparison)

    def test_several_runs_with_all_that_is_folded_in_a_narrow_window(self):
        self.walk(comparison.Comparison, unfolded=True, width=NARROW)

    def test_a_run_that_ended_with_an_exception(self):
        self.walk(unusual.CutShort)

    def test_thousands_of_warps(self):
        self.walk(unusual.ManyWarps)

    def test_a_report_of_an_earlier_version(self):
        self.walk(unusual.OlderReport)

    def test_a_run_in_which_nothing_happened(self):
        self.walk(unusual.EmptyRun)


def operated(test, case, **window):
    """Tests every stop of a page with the keys for its kind: links, folds, choices, numbers, heads, buttons, bars, charts, frames."""
    with browser.open_page(case.make(), first=keyboard.WATCH, **window) as page:
        test.assertEqual(keyboard.operate(page), [])
        test.assertEqual(page.errors(), [])


class Operated(unittest.TestCase):
    """Reached elements obey their keys; keyboard_further_test.py has more pages."""

    def test_one_run(self):
        operated(self, usual.OneRun)


class Shown(PageCase):
    """The keys show what the pointer shows."""

    @classmethod
    def make(cls):
        directory = runs.run_kernel("sleeps", "spin_lock_nanosleep")
        cls.report = runs.load(directory)
        return runs.page_of("sleeps", directory)

    def focus(self, selector):
        """Gives the focus to the first match, as Tab does."""
        keyboard.press(self.page, Keys.TAB)
        self.page.script("document.activeElement.blur(); document.querySelector(arguments[0]).focus({focusVisible: true});"
                         "return new Promise((done) => requestAnimationFrame(() => setTimeout(done)))", selector)

    def tip(self):
        """The text next to the focused element; empty if there is none."""
        return self.page.script("const tip = document.getElementById('tip'); return tip && !tip.hidden ? tip.textContent : ''")

    def test_the_pieces_of_a_bar(self):
        self.focus("table.sub-partitions .bar")
        titles = self.page.attributes("table.sub-partitions tbody tr:first-child .piece", "title")
        self.assertGreater(len(titles), 2)
        seen = [self.tip()]
        for _ in titles[1:]:
            keyboard.press(self.page, Keys.ARROW_RIGHT)
            seen.append(self.tip())
        self.assertEqual(seen, titles)
        keyboard.press(self.page, Keys.HOME)
        self.assertEqual(self.tip(), titles[0])
        self.assertEqual(self.page.script("return document.activeElement.getAttribute('aria-valuetext')"), titles[0])

    def test_the_bars_of_a_table(self):
        self.focus("table.sub-partitions .bar")
        labels = self.page.attributes("table.sub-partitions .bar", "aria-label")
        seen = []
        for _ in labels:
            seen.append(self.page.script("return document.activeElement.getAttribute('aria-label')"))
            keyboard.press(self.page, Keys.ARROW_DOWN)
        self.assertEqual(seen, labels)
        keyboard.press(self.page, Keys.ARROW_UP)
        self.assertEqual(self.page.script("return document.activeElement.getAttribute('aria-label')"), labels[-2])
        self.assertEqual(self.page.count("table.sub-partitions .bar[tabindex='0']"), 1)

    def test_the_intervals_of_a_chart(self):
        self.focus("#run-a-time .chart > svg")
        counters = self.report["over_time"]
        width = counters["interval_cycles"]
        def text(interval):
            begin, end = interval * width, min((interval + 1) * width, self.report["cycles"])
            issued = sum(part["warp_instructions"][interval] for part in counters["sub_partitions"])
            return f"cycles {begin:,} to {end - 1:,}: {issued / (end - begin):.2f}"
        for keys, interval in (((), 0), ((Keys.ARROW_RIGHT, Keys.ARROW_RIGHT), 2), ((Keys.ARROW_LEFT,), 1),
                               ((Keys.END,), counters["intervals"] - 1), ((Keys.HOME,), 0)):
            if keys:
                keyboard.press(self.page, *keys)
            self.assertEqual(self.page.texts("#run-a-time .readout")[0], text(interval))
        keyboard.press(self.page, Keys.TAB)
        self.assertEqual(self.page.texts("#run-a-time .readout")[0], "")

    def test_what_a_head_means(self):
        self.focus("table.utilisation th:nth-child(4) .sort")
        self.assertEqual(self.tip(), "in the busiest interval")
        keyboard.press(self.page, Keys.ESCAPE)
        self.assertEqual(self.tip(), "")

    def test_the_pointer_brings_no_second_tip(self):
        self.page.script("document.activeElement.blur()")
        self.page.click("table.utilisation th:nth-child(4) .sort")
        self.assertEqual(self.tip(), "")


class Walk(unittest.TestCase):
    """The walk itself: it finds errors."""

    PAGE = """<!doctype html><html lang="en"><title>t</title><body style="background: white"><main>
        <style>:focus-visible { outline: 2px solid black; } .pale:focus { outline-color: #eee; } .bare:focus { outline: none; }</style>
        <p><a id="low" href="#end" style="position: relative; top: 9rem">low</a> <a id="high" href="#end">high</a></p>
        <p><button id="pale" class="pale">pale</button> <button id="bare" class="bare">bare</button></p>
        <p id="pointed">only by pointer</p><p><span id="skipped" role="button" tabindex="-1">skipped</span></p>
        <p><button id="dead">dead</button> <button id="lost" onclick="this.remove()">lost</button></p>
        <p><input id="trap"></p><p><a id="end" href="#end">end</a></p></main>
        <script>document.getElementById("pointed").addEventListener("click", () => {});
        document.getElementById("trap").addEventListener("keydown", (event) => event.preventDefault());</script>"""

    @classmethod
    def setUpClass(cls):
        cls.path = runs.FOLDER / "wrong.html"
        cls.path.write_text(cls.PAGE, encoding="utf-8")

    def test_it_finds_what_is_not_reached_and_what_is_lost_from_sight(self):
        with browser.open_page(self.path, first=keyboard.WATCH) as page:
            problems = " | ".join(keyboard.walk(page).problems())
        for expected in ('button#pale "pale" in #pale has a ring that is too pale', 'button#bare "bare" in #bare has no ring',
                         'p#pointed "only by pointer" in #pointed is not reached', 'span#skipped "skipped" in #skipped is not reached',
                         'a#high "high" in #high after a#low "low" in #low is out of order', 'input#trap "" in #trap is reached twice',
                         'a#end "end" in #end is not reached'):
            self.assertIn(expected, problems)

    def test_it_finds_what_does_not_obey(self):
        with browser.open_page(self.path, first=keyboard.WATCH) as page:
            page.script("document.getElementById('trap').remove()")
            wrong = keyboard.operate(page)
        self.assertIn('button#dead "dead" in #dead does not obey', " | ".join(wrong))
        self.assertIn('button#lost "lost" in #lost loses the focus', wrong)


if __name__ == "__main__":
    main()

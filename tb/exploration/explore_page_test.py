"""The page of a sweep in a browser: no errors, no network, the numbers of the points, sorting and filtering."""

import re
import sys
import unittest
from pathlib import Path

from explore_support import ExploreTest, completed, failed

import browser
from smsim import page, style

HOSTILE = "<script>document.title = 'taken'</script>"
AXES = {"ibuffer.depth": [1, 3, 8], "memory": ["near", "far"]}


def cycles_of(kernel, depth, memory):
    return (1000 if kernel == "long" else 50) + 10 * depth + (500 if memory == "far" else 0)


def points():
    found = []
    for kernel in ("long", "short"):
        for depth in AXES["ibuffer.depth"]:
            for memory in AXES["memory"]:
                config = {"sm": {"clock_ghz": 2.0}, "ibuffer": {"depth": depth}}
                found.append((kernel, (depth, memory), completed(cycles_of(kernel, depth, memory), config)))
    found[1] = (*found[1][:2], failed("exception", f"Watchdog {HOSTILE}\nmore of it"))
    found[2] = (*found[2][:2], None)
    return found


def style_sheet():
    return (Path(page.__file__).parent / "page.css").read_text(encoding="utf-8")


def luminance(colour):
    """Relative luminance of #rrggbb, as WCAG 2 defines it."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    bright, dull = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dull + 0.05)


class Page(ExploreTest):
    def render(self, *arguments):
        path = self.folder / "page.html"
        path.write_text(page.render(self.load(*arguments)), encoding="utf-8")
        return path

    def test_a_sweep_is_shown_with_its_numbers_failures_and_gaps(self):
        self.write_sweep(AXES, points(), description="What a sweep is for", definition="axes: [a, b]")
        with browser.open_page(self.render()) as shown:
            self.assertEqual((shown.errors(), shown.requests()), ([], []))
            self.check_numbers(shown)
            self.check_headline(shown)
            self.check_controls(shown)
            self.check_schemes(shown)
            self.check_narrow_window(shown)

    def check_numbers(self, shown):
        head, *rows = shown.table("#points-table")
        self.assertEqual(head[:5], ["#", "kernel", "ibuffer.depth", "memory", "cycles"])
        self.assertEqual(len(rows), 12)
        by_number = {int(row[0]): row for row in rows}
        for number, (kernel, (depth, memory), outcome) in enumerate(points()):
            cycles = str(cycles_of(kernel, depth, memory)) if outcome and outcome["status"] == "completed" else "-"
            self.assertEqual(by_number[number][1:5], [kernel, str(depth), memory, cycles])
        self.assertEqual(by_number[2][-2], "not_run")
        self.assertEqual([row[3] for row in shown.table("#failures-table")], ["status", "exception"])
        self.assertTrue(shown.texts("#failures-table td")[4].startswith("Watchdog"))

    def check_headline(self, shown):
        self.assertEqual(
            [re.sub(r"\s+", " ", tile) for tile in shown.texts(".tiles li")][:4],
            ["12 points", "10 completed", "1 failed", "1 not run"],
        )
        self.assertIn("1 of 12 points have not been run", " ".join(shown.texts(".warning")))
        best = dict((row[0], row[1:4]) for row in shown.table("#best-table")[1:])
        self.assertEqual(best["long"], ["ibuffer.depth=1", str(cycles_of("long", 1, "near")), "–"])
        ratio = cycles_of("short", 3, "near") / cycles_of("short", 1, "near")
        self.assertEqual(best["short"], ["ibuffer.depth=1", str(cycles_of("short", 1, "near")), f"{ratio:.3f}"])
        self.assertIn("smsim run --set ibuffer.depth=1 --set memory=near short.yaml", shown.texts(".best pre")[0])
        self.assertEqual(shown.texts("#definition-text"), ["axes: [a, b]"])
        # Sensitivity, two pictures per axis, one pair, one front.
        self.assertEqual(shown.count("figure svg"), 7)

    def check_controls(self, shown):
        cycles = "Array.from(document.querySelectorAll('#points-table tbody tr'), row => row.cells[4].textContent)"
        heads = "document.querySelectorAll('#points-table th .sort')"
        shown.script(f"{heads}[4].click(); {heads}[4].click()")
        falling = shown.script(f"return {cycles}")
        figures = [int(cell) for cell in falling if cell != "-"]
        self.assertEqual(figures, sorted(figures, reverse=True))
        # Missing figures stay last.
        self.assertEqual(falling[-2:], ["-", "-"])
        shown.script(
            "const f = document.getElementById('filter'); f.value = 'short far'; f.dispatchEvent(new Event('input'))"
        )
        visible = "document.querySelectorAll('#points-table tbody tr:not(.hidden)').length"
        self.assertEqual(shown.script(f"return {visible}"), 3)
        self.assertEqual(shown.texts("#count"), ["3 of 3 shown"])
        self.assertEqual(shown.errors(), [])

    def check_schemes(self, shown):
        light = shown.style("body", "background-color")
        shown.scheme("dark")
        self.assertNotEqual(shown.style("body", "background-color"), light)
        shown.media("print")
        self.assertEqual(shown.style("nav", "display"), "none")
        shown.media("screen")

    def check_narrow_window(self, shown):
        shown.resize(420)
        width, widest, heights = shown.script(
            "document.querySelectorAll('details:has(table)').forEach(each => each.open = true);"
            "return [document.documentElement.scrollWidth,"
            " Math.max(...Array.from(document.querySelectorAll('section'), each => each.getBoundingClientRect().right)),"
            " Array.from(document.querySelectorAll('tbody tr'), row => row.getBoundingClientRect().height)]"
        )
        self.assertLessEqual(width, 420)
        self.assertLessEqual(widest, 420)
        self.assertLess(max(heights), 160)
        shown.resize(1280)

    def test_heat_maps_can_be_read_in_both_schemes(self):
        light, dark = (
            dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6})", part))
            for part in style_sheet().split("@media screen and (prefers-color-scheme: dark)")
        )
        self.assertEqual([light[f"--heat-{step}"] for step in range(len(style.HEAT))], list(style.HEAT))
        for scheme in (light, dark):
            cells = [scheme[f"--heat-{step}"] for step in range(len(style.HEAT))]
            order = [luminance(cell) for cell in cells]
            self.assertEqual(order, sorted(order, reverse=scheme is light))
            for step, cell in enumerate(cells):
                ink = scheme["--on-deep" if step >= style.FIRST_DEEP else "--on-pale"]
                self.assertGreaterEqual(contrast(cell, ink), 4.5, (cell, ink))

    def test_heat_maps_take_the_colours_of_the_page(self):
        self.write_sweep(AXES, points())
        text = page.render(self.load())
        for variable in ("--heat-0", f"--heat-{len(style.HEAT) - 1}", "--on-pale", "--on-deep"):
            self.assertIn(f"var({variable})", text)

    def test_hostile_names_and_messages_are_text(self):
        kernel = f"k{HOSTILE}&\"'"
        self.write_sweep(
            {HOSTILE: [HOSTILE, "b"]},
            [(kernel, (HOSTILE,), completed(10)), (kernel, ("b",), failed("crashed", HOSTILE))],
            description=HOSTILE,
            definition=HOSTILE,
        )
        with browser.open_page(self.render()) as shown:
            self.assertEqual(shown.count("script"), 1)
            self.assertEqual(shown.script("return document.title"), "Sweep test")
            self.assertEqual(shown.errors(), [])
            self.assertEqual(shown.table("#points-table")[1][1], kernel)

    def test_a_sweep_without_results_has_a_page(self):
        self.write_sweep(AXES, [("k", (1, "near"), None), ("k", (3, "near"), failed("refused", "no"))])
        text = self.render().read_text(encoding="utf-8")
        self.assertIn("there is no best one over all", text)
        self.assertIn("no completed point", text)

    def test_the_page_stands_alone(self):
        self.write_sweep(AXES, points())
        text = page.render(self.load())
        self.assertNotIn("http", text)
        self.assertIsNone(re.search(r"\b(src|@import)\b", text))
        for place in re.findall(r'href="([^"]*)"', text) + re.findall(r"url\(([^)]*)\)", text):
            self.assertTrue(place.startswith("#"), place)
        names = re.findall(r'\bid="([^"]*)"', text)
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue(page.render(self.load()) == text, "the same results give the same page")


if __name__ == "__main__":
    if browser.missing():
        print(f"{browser.missing()}; skipped")
        sys.exit(77)
    unittest.main()

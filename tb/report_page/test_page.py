#!/usr/bin/python3
"""The page of `smsim report` in a browser: its tables hold the figures of the report's JSON, computed here anew; texts of
reports stay texts; it can be read in both colour schemes and on paper. Skipped (status 77) without a browser."""

import sys
import unittest

import runs
import browser
from runs import count, percent, ratio

LANES = 32
WARPS_PER_PAGE = 32


def place(entry):
    """A source line as the page names it."""
    return f"{entry['file'].split('/')[-1]}:{entry['line']}"


class PageCase(unittest.TestCase):
    """A page that is opened once for all tests of a class; `make` gives its file."""

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
        """What the page is expected to say has gone wrong."""
        return []

    def rows(self, selector):
        """The body of a table."""
        return self.page.table(selector + " tbody")

    def column(self, selector, *positions):
        """Columns of a table's body as numbers."""
        return [tuple(count(row[position]) for position in positions) for row in self.rows(selector)]


class OneRun(PageCase):
    """A run with sleeps, barriers, bank conflicts, divergence and syncs."""

    @classmethod
    def make(cls):
        directory = runs.run_kernel("sleeps", "spin_lock_nanosleep")
        cls.report = runs.load(directory)
        return runs.page_of("sleeps", directory)

    def tile(self, key):
        return self.page.texts(f"[data-figure={key}] dd")[0]

    def test_headline_figures(self):
        report = self.report
        memory = report["memory"]
        branches = report["branch_unit"]["branches"]
        counts = {
            "cycles": report["cycles"],
            "warp_instructions": report["warp_instructions"],
            "thread_instructions": report["thread_instructions"],
            "ctas": report["ctas"],
            "warp_cycles": sum(warp["end"] - warp["start"] for warp in report["warps"]),
            "conflict_passes": memory["shared"]["passes"] - memory["shared"]["accesses"],
            "global_bytes": memory["global"]["read_bytes"] + memory["global"]["write_bytes"],
            "diverged": sum(branch["diverged"] for branch in branches),
            "barrier_wait": sum(barrier["wait_cycles"] for barrier in report["barrier_unit"]["barriers"]),
            "hazards": report["hazards"]["count"],
        }
        self.assertEqual({key: count(self.tile(key)) for key in counts}, counts)
        rates = {
            "simd_efficiency": report["thread_instructions"] / (LANES * report["warp_instructions"]),
            "occupancy": report["occupancy"]["mean_fraction"],
            "l1_hit_rate": ratio(memory["l1"]["hits"], memory["l1"]["hits"] + memory["l1"]["misses"]),
            "coalescing": memory["load_store"]["coalescing"],
            "l0_hit_rate": report["fetch"]["l0_hit_rate"],
        }
        self.assertEqual({key: self.tile(key) for key in rates}, {key: percent(rate) for key, rate in rates.items()})
        self.assertEqual(self.tile("ipc"), f"{report['warp_instructions'] / report['cycles']:.3f}")

    def test_kernel_and_status(self):
        text = self.page.texts(".identity")[0]
        self.assertIn("completed kernel spin_lock_nanosleep, grid 2 × 1 × 1, block 128 × 1 × 1", text)
        self.assertIn("spin_lock_nanosleep", self.page.texts("h1")[0])

    def test_story_names_the_largest_reasons_and_lines(self):
        text = " ".join(self.page.texts(".story"))
        stalls = self.report["stalls"]
        for reason in sorted(set(stalls) - {"selected"}, key=lambda name: -stalls[name])[:3]:
            self.assertIn(f"{reason} {percent(stalls[reason] / self.report['warp_cycles'])}", text)
        self.assertIn(self.lines()[0][0], text)

    def test_stall_reasons(self):
        expected = sorted(((name, cycles) for name, cycles in self.report["stalls"].items() if cycles),
                          key=lambda item: -item[1])
        rows = self.rows("table.stalls")
        self.assertEqual([(row[0], count(row[1])) for row in rows], expected)
        self.assertEqual([row[2] for row in rows],
                         [percent(cycles / self.report["warp_cycles"]) for _, cycles in expected])
        for position, part in enumerate(self.report["sub_partitions"]):
            self.assertEqual([row[3 + position] for row in rows],
                             [percent(part["stalls"][name] / part["warp_cycles"]) for name, _ in expected])

    def test_sub_partitions(self):
        self.assertEqual(self.column("table.sub-partitions", 0, 1, 2, 4), [
            (part["sub_partition"], part["warps"], part["warp_instructions"], part["warp_cycles"])
            for part in self.report["sub_partitions"]])

    def test_bars_are_as_long_as_their_cycles(self):
        widths = self.page.script(
            "return Array.from(document.querySelectorAll('table.sub-partitions .bar'), bar =>"
            " Array.from(bar.children, piece => piece.getBoundingClientRect().width / bar.getBoundingClientRect().width))")
        longest = max(part["warp_cycles"] for part in self.report["sub_partitions"])
        for shares, part in zip(widths, self.report["sub_partitions"], strict=True):
            cycles = [value for value in part["stalls"].values() if value]
            self.assertEqual(len(shares), len(cycles))
            for share, value in zip(sorted(shares), sorted(cycles)):
                self.assertAlmostEqual(share, value / longest, delta=0.002)

    def lines(self):
        """(place, warp-cycles, issues, active lanes, executed lanes) of every line, most warp-cycles first."""
        lines = {}
        for entry in self.report["instructions"]["all"]:
            sums = lines.setdefault(place(entry), [0, 0, 0, 0])
            for i, key in enumerate(("warp_cycles", "issues", "active_lanes", "executed_lanes")):
                sums[i] += entry[key]
        return [(name, *sums) for name, sums in sorted(lines.items(), key=lambda item: -item[1][0])]

    def test_hot_spots(self):
        rows = self.rows("table.hot-spots")
        expected = self.lines()
        whole = self.report["warp_cycles"]
        self.assertEqual(sorted((row[0], count(row[2]), count(row[4])) for row in rows),
                         sorted((name, cycles, issues) for name, cycles, issues, _, _ in expected))
        self.assertEqual([count(row[2]) for row in rows], [line[1] for line in expected])
        by_name = {line[0]: line for line in expected}
        for row in rows:
            _, cycles, issues, active, executed = by_name[row[0]]
            self.assertEqual(row[3], percent(cycles / whole))
            self.assertEqual(row[5], f"{active / issues:.1f}")
            self.assertEqual(row[6], percent(executed / issues / LANES))

    def test_a_line_opens_into_its_instructions(self):
        self.page.click("table.hot-spots .opener")
        name = self.rows("table.hot-spots")[0][0]
        expected = [(f"0x{entry['pc']:04x}", entry["text"], entry["warp_cycles"], entry["issues"])
                    for entry in self.report["instructions"]["all"] if place(entry) == name]
        shown = self.rows("table.hot-spots")[1:1 + len(expected)]
        self.assertEqual([(row[0], row[1], count(row[2]), count(row[4])) for row in shown], expected)
        self.assertEqual(self.page.count("table.hot-spots tr.part"), len(expected))
        self.page.script("document.querySelectorAll('table.hot-spots tr.part').forEach(row => row.remove())")

    def test_sorting_by_a_column(self):
        heads = "table.hot-spots th .sort"
        index = self.page.texts(heads).index("Issues")
        self.page.script("document.querySelectorAll(arguments[0])[arguments[1]].click()", heads, index)
        issues = [count(row[4]) for row in self.rows("table.hot-spots")]
        self.assertEqual(issues, sorted(issues, reverse=True))
        self.page.script("document.querySelectorAll(arguments[0])[0].click()", heads)

    def test_warps(self):
        rows = self.rows("table.warps")
        self.assertEqual([(row[0], *map(count, (row[1], row[2], row[3], row[5]))) for row in rows], [
            (f"{warp['cta']}.{warp['warp']}", warp["start"], warp["end"], warp["warp_instructions"],
             warp["end"] - warp["start"]) for warp in self.report["warps"]])

    def test_branches(self):
        expected = sorted(self.report["branch_unit"]["branches"],
                          key=lambda branch: (-branch["diverged"], -branch["executions"]))
        self.assertEqual(self.column("table.branches", 3, 4, 6, 8, 10), [
            tuple(branch[key] for key in ("executions", "taken", "diverged", "reconverged", "path_max"))
            for branch in expected])
        rows = self.rows("table.branches")
        self.assertEqual([row[0] for row in rows], [place(branch) for branch in expected])
        self.assertEqual([row[9] for row in rows], [
            f"{branch['path_instructions'] / branch['reconverged']:,.1f}" if branch["reconverged"] else "–"
            for branch in expected])

    def test_syncs_by_kind_of_release(self):
        expected = sorted(self.report["branch_unit"]["syncs"], key=lambda sync: -sync["executions"])
        kinds = ("complete", "yield", "sleep", "turn", "blocked")
        self.assertEqual(self.column("table.syncs", 3, 4, 5, 6, 7, 8, 9, 10), [
            (sync["executions"], sync["passed"], sync["switched"], *(sync["releases"][kind] for kind in kinds))
            for sync in expected])

    def test_yields_and_sleeps(self):
        unit = self.report["branch_unit"]
        self.assertEqual(self.column("table.branch-unit", 1), [(unit[key],) for key in (
            "yields", "yields_converged", "sleeps", "warp_sleeps", "wakes", "parked", "syscalls", "instructions",
            "busy_cycles")])

    def test_barriers(self):
        self.assertEqual(self.column("table.barriers", 0, 1, 2, 3, 4, 5, 8), [
            tuple(barrier[key] for key in ("barrier", "arrivals", "arrivals_nonblocking", "completions", "reductions",
                                           "wait_cycles", "imbalance_max"))
            for barrier in self.report["barrier_unit"]["barriers"]])

    def test_warps_at_the_barriers(self):
        barriers = self.report["barrier_unit"]["barriers"]
        self.assertEqual(self.column("table.barrier-warps", 0, 1, 2, 3, 4, 6), [
            (barrier["barrier"], warp["warp"], warp["arrivals"], warp["arrivals_nonblocking"], warp["wait_cycles"],
             warp["last_arrivals"]) for barrier in barriers for warp in barrier["warps"]])
        for barrier in barriers:
            self.assertEqual(sum(warp["wait_cycles"] for warp in barrier["warps"]), barrier["wait_cycles"])

    def test_bank_conflicts(self):
        histogram = self.report["memory"]["shared"]["passes_histogram"]
        self.assertEqual(self.column("table.conflicts", 0, 1, 4), [
            (passes, accesses, (passes - 1) * accesses) for passes, accesses in enumerate(histogram) if accesses])

    def test_memory_and_fetch(self):
        memory, fetch = self.report["memory"], self.report["fetch"]
        shown = {row[0]: row[1] for row in self.page.table("table.global")}
        self.assertEqual([count(shown[name]) for name in ("L1 hits", "L1 misses", "Merged misses", "Reads", "Writes",
                                                          "Busy cycles")],
                         [memory["l1"]["hits"], memory["l1"]["misses"], memory["l1"]["mshr_merges"],
                          memory["global"]["reads"], memory["global"]["writes"], memory["global"]["busy_cycles"]])
        self.assertEqual(self.column("table.fetch", 1),
                         [(fetch[key],) for key in ("fetches", "l0_hits", "l0_misses", "discarded")])

    def test_instruction_mix(self):
        expected = {name: number for name, number in self.report["instructions"]["by_unit"].items() if number}
        expected |= self.report["memory"]["load_store"]["instructions"]
        self.assertEqual({row[1]: count(row[2]) for row in self.rows("table.mix")}, expected)

    def test_intervals_over_time(self):
        self.page.script("document.querySelector('#run-a-time details').open = true")
        self.page.script("return new Promise(done => setTimeout(done, 50))")
        timeline = self.report["timeline"]
        parts = timeline["sub_partitions"]
        expected = [(i * timeline["interval_cycles"],
                     sum(part["warp_instructions"][i] for part in parts),
                     sum(part["thread_instructions"][i] for part in parts),
                     sum(values[i] for part in parts for values in part["stalls"].values()))
                    for i in range(timeline["intervals"])]
        self.assertEqual(self.column("table.timeline", 0, 1, 2, 6), expected)

    def test_charts_over_time_are_drawn_and_bounded(self):
        self.assertEqual(self.page.count("#run-a-time svg[role=img]"), 3)
        drawn = {reason for part in self.report["timeline"]["sub_partitions"] for reason in part["stalls"]}
        self.assertEqual(set(self.page.texts("#run-a-time svg path title")), drawn)
        self.assertLess(self.page.count("svg *"), 1000)

    def test_checks_and_configuration(self):
        self.assertEqual([(row[0], row[1], count(row[2])) for row in self.rows("table.checks")],
                         [(check["buffer"], "passed", check["compared"]) for check in self.report["checks"]])
        self.assertIn("Every key has its default value.", self.page.texts("#run-a-configuration p"))

    def test_contents_lead_to_every_section(self):
        links = self.page.attributes("#contents a", "href")
        self.assertEqual(links, ["#" + name for name in self.page.attributes("main section", "id")])
        self.assertEqual(self.page.style("#contents", "position"), "sticky")

    def test_nothing_is_loaded(self):
        self.assertEqual(self.page.requests(), [])

    def test_dark_and_light_follow_the_reader(self):
        colours = {}
        for scheme in ("light", "dark"):
            self.page.scheme(scheme)
            colours[scheme] = (self.page.style("body", "background-color"), self.page.style("body", "color"))
        self.page.scheme("light")
        self.assertEqual(colours["light"][0], "rgb(255, 255, 255)")
        self.assertNotEqual(colours["light"][0], colours["dark"][0])
        self.assertNotEqual(colours["light"][1], colours["dark"][1])

    def test_reasons_have_one_colour_everywhere(self):
        colours = self.page.script(
            "const found = {};"
            "for (const item of document.querySelectorAll('.legend li, table.stalls td:first-child')) {"
            "  const swatch = item.querySelector('.swatch');"
            "  if (swatch) (found[item.textContent] ||= new Set()).add(getComputedStyle(swatch).background);"
            "}"
            "return Object.entries(found).map(([name, set]) => [name, Array.from(set)]);")
        self.assertGreaterEqual(len(colours), 8)
        for name, backgrounds in colours:
            self.assertEqual(len(backgrounds), 1, name)
        self.assertEqual(len({backgrounds[0] for _, backgrounds in colours}), len(colours))

    def test_paper_shows_the_rows_that_the_screen_folds(self):
        folded = "table.hot-spots tr.beyond"
        self.assertGreater(self.page.count(folded), 0)
        self.assertEqual(self.page.style(folded, "display"), "none")
        self.page.command("Emulation.setEmulatedMedia", media="print")
        self.assertEqual(self.page.style(folded, "display"), "table-row")
        self.assertEqual(self.page.style("#contents", "display"), "none")
        self.page.resize(720)  # A4 without its margins
        wide = self.page.script("return Array.from(document.querySelectorAll('table'))"
                                ".filter(table => table.getBoundingClientRect().right > innerWidth + 1)"
                                ".map(table => table.className)")
        self.page.command("Emulation.setEmulatedMedia", media="")
        self.page.resize(1280)
        self.assertEqual(wide, [])

    def test_prints_as_pdf(self):
        data = self.page.print_pdf(runs.FOLDER / "page.pdf").read_bytes()
        self.assertTrue(data.startswith(b"%PDF-"))
        self.assertGreater(len(data), 20000)

    def test_a_window_of_1200_pixels_shows_it_without_scrolling_sideways(self):
        self.page.resize(1200)
        self.assertLessEqual(self.page.script("return document.documentElement.scrollWidth"), 1200)
        self.page.resize(1280)


class ManyWarps(PageCase):
    """Ten thousand warps: a page of them is drawn, and all are counted."""

    CTAS, WARPS = 1250, 8

    @classmethod
    def make(cls):
        report = runs.load(runs.run_kernel("first", "nested_divergence"))
        first = report["warps"][0]
        report["warps"] = [dict(first, cta=cta, warp=warp, end=first["end"] + cta)
                           for cta in range(cls.CTAS) for warp in range(cls.WARPS)]
        cls.report = report
        return runs.page_of("many", runs.variant("many", report, lambda same: None))

    def choose(self, position, value):
        self.page.script("const select = document.querySelectorAll('#run-a-warps select')[arguments[0]];"
                         "select.value = arguments[1]; select.dispatchEvent(new Event('change'));", position, value)

    def test_one_page_is_drawn_at_a_time(self):
        self.choose(0, "warp")
        self.assertEqual([row[0] for row in self.rows("table.warps")],
                         [f"{i // self.WARPS}.{i % self.WARPS}" for i in range(WARPS_PER_PAGE)])
        self.page.click("#run-a-warps .pager button:last-child")
        self.assertEqual([row[0] for row in self.rows("table.warps")],
                         [f"{i // self.WARPS}.{i % self.WARPS}" for i in range(WARPS_PER_PAGE, 2 * WARPS_PER_PAGE)])
        self.assertIn("33 to 64 of 10,000", self.page.texts(".pager")[0])
        self.assertLess(self.page.count("*"), 6000)

    def test_groups_add_their_warps_up(self):
        self.choose(0, "cta")
        first = self.report["warps"][0]
        self.assertEqual(self.column("table.warps", 0, 1, 4, 6)[:3], [
            (cta, self.WARPS, self.WARPS * first["warp_instructions"],
             self.WARPS * (first["end"] - first["start"] + cta)) for cta in range(3)])
        self.choose(0, "number")
        self.assertEqual(self.column("table.warps", 0, 1), [(warp, self.CTAS) for warp in range(self.WARPS)])

    def test_the_longest_come_first_when_asked(self):
        self.choose(0, "cta")
        self.choose(1, "longest")
        self.assertEqual(self.column("table.warps", 0)[0], (self.CTAS - 1,))
        self.choose(1, "number")


class Comparison(PageCase):
    """Three runs of one kernel with two settings changed."""

    SETTINGS = ((), ("bru.branch_latency=8",), ("bru.branch_latency=8", "ibuffer.policy=loose_round_robin"))

    @classmethod
    def make(cls):
        directories = [runs.run_kernel(f"sweep/point-{i}", "nested_divergence", *settings)
                       for i, settings in enumerate(cls.SETTINGS)]
        cls.reports = [runs.load(directory) for directory in directories]
        return runs.page_of("comparison-of-three", *directories)

    def figures(self):
        return {row[0]: row[1:] for row in self.rows("table.figures")}

    def baseline(self, index):
        self.page.script("const select = document.querySelector('#comparison select');"
                         "select.value = arguments[0]; select.dispatchEvent(new Event('change'));", str(index))

    def test_headline_figures_with_their_changes(self):
        cycles = [report["cycles"] for report in self.reports]
        change = [f"+{100 * (value / cycles[0] - 1):.1f}\u00a0%" for value in cycles[1:]]
        self.assertEqual(self.figures()["Cycles"],
                         [f"{cycles[0]:,}", f"{cycles[1]:,}{change[0]}", f"{cycles[2]:,}{change[1]}"])
        self.assertEqual(self.figures()["Warp instructions"][1], f"{self.reports[1]['warp_instructions']:,}=")
        self.assertEqual(self.page.texts("table.figures thead th")[1:],
                         ["A point-0 (baseline)", "B point-1", "C point-2"])

    def test_another_baseline(self):
        self.baseline(1)
        cycles = [report["cycles"] for report in self.reports]
        change = 100 * (cycles[0] / cycles[1] - 1)
        self.assertEqual(self.figures()["Cycles"][0], f"{cycles[0]:,}−{-change:.1f}\u00a0%")
        self.assertEqual(self.figures()["Cycles"][1], f"{cycles[1]:,}")
        self.baseline(0)

    def test_only_keys_that_differ(self):
        rows = sorted(row[:4] for row in self.rows("table.settings"))
        self.assertEqual(rows, [
            ["bru.branch_latency", "2", "8", "8"],
            ["ibuffer.policy", "greedy_then_youngest", "greedy_then_youngest", "loose_round_robin"]])

    def test_stall_reasons_and_their_changes(self):
        stalls = [report["stalls"] for report in self.reports]
        rows = {row[0]: [count(cell) for cell in row[1:]] for row in self.rows("table.stall-changes")}
        self.assertEqual(rows, {
            name: [stalls[0][name], stalls[1][name], stalls[1][name] - stalls[0][name], stalls[2][name],
                   stalls[2][name] - stalls[0][name]]
            for name in stalls[0] if any(each[name] for each in stalls)})
        self.assertEqual(self.column("table.stall-bars", 1, 2),
                         [(report["cycles"], report["warp_cycles"]) for report in self.reports])

    def test_source_lines_and_their_changes(self):
        lines = {}
        for index, report in enumerate(self.reports):
            for entry in report["instructions"]["all"]:
                lines.setdefault(place(entry), [0, 0, 0])[index] += entry["warp_cycles"]
        rows = self.rows("table.line-changes")
        self.assertEqual({row[0]: [count(cell) for cell in row[2:]] for row in rows},
                         {name: [a, b, b - a, c, c - a] for name, (a, b, c) in lines.items()})
        changes = [max(abs(count(row[4])), abs(count(row[6]))) for row in rows]
        self.assertEqual(changes, sorted(changes, reverse=True))

    def test_lines_over_time_differ_in_more_than_colour(self):
        lines = self.page.attributes("#comparison-time figure:first-of-type path.line", "stroke-dasharray")
        self.assertEqual(len(lines), 3)
        self.assertEqual(len(set(lines)), 3)

    def test_the_story_says_how_the_runs_differ(self):
        cycles = [report["cycles"] for report in self.reports]
        self.assertIn(f"B point-1 takes {cycles[1] - cycles[0]:,} cycles more", self.page.texts(".story")[0])

    def test_a_run_opens_into_its_own_part(self):
        self.page.script("document.querySelector('#run-b details').open = true")
        self.page.script("return new Promise(done => setTimeout(done, 50))")
        self.assertEqual(count(self.page.texts("#run-b [data-figure=cycles] dd")[0]), self.reports[1]["cycles"])
        self.assertIn("#run-b-lines", self.page.attributes("#contents a", "href"))
        self.assertEqual(self.page.table("#run-b .changed-keys tbody")[0][:3], ["bru.branch_latency", "8", "2"])


class OtherPrograms(PageCase):
    """Runs of two kernels: what has no meaning is not compared."""

    @classmethod
    def make(cls):
        return runs.page_of("kernels", runs.run_kernel("first", "nested_divergence"),
                            runs.run_kernel("sleeps", "spin_lock_nanosleep"))

    def test_lines_are_not_compared(self):
        self.assertEqual(self.page.count("table.line-changes"), 0)
        self.assertIn("different programs", " ".join(self.page.texts("#comparison-lines p")))

    def test_the_kernels_are_named_as_a_difference(self):
        self.assertEqual(self.rows("table.settings")[0][:3], ["kernel", "nested_divergence", "spin_lock_nanosleep"])


class Exception_(PageCase):
    """A run that ended with an exception."""

    @classmethod
    def make(cls):
        cls.report = runs.load(runs.hanging_run())
        return runs.page_of("hanging", runs.hanging_run())

    def problems(self):
        return [self.report["run"]["exception"]]

    def test_the_exception_stands_at_the_beginning(self):
        self.assertEqual(self.page.texts(".status"), ["ended with an exception"])
        self.assertLess(self.page.script("return document.querySelector('.problem').getBoundingClientRect().top"), 400)

    def test_nothing_was_compared(self):
        self.assertIn("after an exception", " ".join(self.page.texts("#run-a-checks p")))


class OlderReport(PageCase):
    """A report of the same layout without what was added to it later."""

    @classmethod
    def make(cls):
        def age(report):
            del report["timeline"]
            for barrier in report["barrier_unit"]["barriers"]:
                del barrier["warps"]
        report = runs.load(runs.run_kernel("sleeps", "spin_lock_nanosleep"))
        return runs.page_of("older", runs.variant("older", report, age))

    def test_what_is_missing_is_said(self):
        self.assertIn("no timeline", " ".join(self.page.texts("#run-a-time p")))
        self.assertEqual(self.page.count("table.barriers"), 1)
        self.assertEqual(self.page.count("table.barrier-warps"), 0)


class HostileTexts(PageCase):
    """Names and source lines that try to be markup or script."""

    ATTACK = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=2'><!--&lt;b&gt;"

    @classmethod
    def make(cls):
        def poison(report):
            report["run"].update(kernel=cls.ATTACK, program=cls.ATTACK, launch=cls.ATTACK, status="exception",
                                 exception=cls.ATTACK)
            report["smsim"] = cls.ATTACK
            for entry in (*report["instructions"]["all"], *report["branch_unit"]["branches"],
                          *report["branch_unit"]["syncs"]):
                entry.update(file=cls.ATTACK, source=cls.ATTACK, text=cls.ATTACK)
            report["checks"] = [{"buffer": cls.ATTACK, "passed": False, "compared": 2, "mismatches": 1,
                                 "first": [{"index": 1, "got": cls.ATTACK, "expected": cls.ATTACK}]}]
            report["config"][cls.ATTACK] = cls.ATTACK
        report = runs.load(runs.run_kernel("sleeps", "spin_lock_nanosleep"))
        directory = runs.variant("<img src=x onerror=alert(1)>", report, poison)
        return runs.page_of("hostile", directory)

    def problems(self):
        return [self.ATTACK, f"Check of {self.ATTACK}: 1 of 2 elements differ."]

    def test_no_text_becomes_markup(self):
        self.assertEqual(self.page.count("img"), 0)
        self.assertEqual(self.page.count("script"), 3)
        self.assertIsNone(self.page.script("return window.hacked === undefined ? null : window.hacked"))

    def test_the_texts_are_shown_as_they_are(self):
        self.assertIn(self.ATTACK, self.page.texts("h1")[0])
        self.assertEqual(self.rows("table.hot-spots")[0][1], self.ATTACK)
        self.assertEqual(self.rows("table.checks")[0][0], self.ATTACK)
        self.assertEqual(self.rows("table.changed-keys")[0][:2], [self.ATTACK, self.ATTACK])
        self.assertIn("<img src=x onerror=alert(1)>", self.page.texts(".origin")[0])


if __name__ == "__main__":
    if browser.missing():
        print(f"test_page: skipped: {browser.missing()}")
        sys.exit(browser.SKIPPED)
    unittest.main()

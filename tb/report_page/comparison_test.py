#!/usr/bin/python3
"""The page of several runs in a browser: figures, settings, stall reasons and lines side by side, and what is not
compared. Skipped (status 77) without a browser."""

import runs
from page_case import PageCase, main, place
from runs import count, percent


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

    def test_what_each_run_is_bound_by(self):
        first = [report["verdict"]["candidates"][0] for report in self.reports]
        self.assertEqual([row[:3] + row[5:] for row in self.rows("table.verdicts")], [
            [name, each["relief"], f"{each['score']:.2f}", each["evidence"]]
            for name, each in zip(("A point-0 (baseline)", "B point-1", "C point-2"), first, strict=True)])
        story = self.page.texts("#comparison-verdict .story")[0]
        for each in first:
            self.assertIn(each["relief"], story)

    def test_scores_of_all_candidates(self):
        scores = [{each["relief"]: each["score"] for each in report["verdict"]["candidates"]} for report in self.reports]
        rows = self.rows("table.candidates")
        self.assertEqual({row[0]: row[1:] for row in rows}, {
            relief: [f"{run[relief]:.2f}" if relief in run else "–" for run in scores]
            for relief in set().union(*scores)})
        baseline = [scores[0].get(row[0], 0) for row in rows]
        self.assertEqual(baseline, sorted(baseline, reverse=True))

    def test_utilisation_side_by_side(self):
        units = [{unit["unit"]: unit for unit in report["utilisation"]} for report in self.reports]
        def points(before, now):
            change = 100 * (now - before)
            return "=" if abs(change) < 0.05 else f"{'+' if change > 0 else '−'}{abs(change):.1f}\u00a0pp"
        expected = {}
        for name in units[0]:
            if any(run[name]["busy"] for run in units):
                a, b, c = (run[name]["utilisation"] for run in units)
                expected[name] = [percent(a), percent(b), points(a, b), percent(c), points(a, c)]
        rows = self.rows("table.units")
        self.assertEqual({row[0]: row[2:] for row in rows}, expected)
        most = [max(run[row[0]]["utilisation"] for run in units) for row in rows]
        self.assertEqual(most, sorted(most, reverse=True))

    def test_bars_of_utilisation_are_as_long_as_their_shares(self):
        widths = self.page.script(
            "return Array.from(document.querySelectorAll('table.units tbody tr:first-child .piece'), piece =>"
            " piece.getBoundingClientRect().width / piece.parentNode.getBoundingClientRect().width)")
        name = self.rows("table.units")[0][0]
        shares = [next(unit["utilisation"] for unit in report["utilisation"] if unit["unit"] == name) for report in self.reports]
        for width, share in zip(widths, shares, strict=True):
            self.assertAlmostEqual(width, share, delta=0.005)

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
        lines = self.page.attributes("#comparison-time svg[aria-label=IPC] path.line", "stroke-dasharray")
        self.assertEqual(len(lines), 3)
        self.assertEqual(len(set(lines)), 3)

    def test_the_story_says_how_the_runs_differ(self):
        cycles = [report["cycles"] for report in self.reports]
        self.assertIn(f"B point-1 takes {cycles[1] - cycles[0]:,} cycles more", self.page.texts(".story")[0])

    def test_a_run_opens_into_its_own_part(self):
        self.page.unfold("#run-b > details")
        self.assertEqual(count(self.page.texts("#run-b [data-figure=cycles] dd")[0]), self.reports[1]["cycles"])
        self.assertIn("#run-b-lines", self.page.attributes("#contents a", "href"))
        self.assertEqual(self.page.table("#run-b .changed-keys tbody")[0][:3], ["bru.branch_latency", "8", "2"])


class OtherPrograms(PageCase):
    """Runs of two kernels: meaningless figures are not compared."""

    @classmethod
    def make(cls):
        return runs.page_of("kernels", runs.run_kernel("first", "nested_divergence"),
                            runs.run_kernel("sleeps", "spin_lock_nanosleep"))

    def test_lines_are_not_compared(self):
        self.assertEqual(self.page.count("table.line-changes"), 0)
        self.assertIn("different programs", " ".join(self.page.texts("#comparison-lines p")))

    def test_the_kernels_are_named_as_a_difference(self):
        self.assertEqual(self.rows("table.settings")[0][:3], ["kernel", "nested_divergence", "spin_lock_nanosleep"])

    def test_no_figure_of_another_kernel_is_better(self):
        self.assertEqual(self.page.count(".better, .worse"), 0)
        self.assertGreater(self.page.count("table.figures .change"), 0)
        self.assertIn("none is better or worse", " ".join(self.page.texts("#comparison-figures p.note")))


class OtherSource(PageCase):
    """Runs of one kernel, once from CUDA C and once from its PTX: their lines have nothing in common."""

    @classmethod
    def make(cls):
        def from_another_file(report):
            for entry in report["instructions"]["all"]:
                entry["file"] = entry["file"].replace(".sasm", ".ptx")
        directory = runs.run_kernel("first", "nested_divergence")
        return runs.page_of("sources", directory, runs.variant("ptx", runs.load(directory), from_another_file))

    def test_lines_are_not_compared(self):
        self.assertEqual(self.page.count("table.line-changes"), 0)
        self.assertIn("different sources (nested_divergence.sasm and nested_divergence.ptx)",
                      " ".join(self.page.texts("#comparison-lines p")))


def age(report):
    """Removes what an earlier smsim did not write."""
    del report["verdict"]
    del report["utilisation"]


class RunsAtOtherClocks(PageCase):
    """A run with the files of two generations, whose clocks differ."""

    @classmethod
    def make(cls):
        directories = [runs.run_kernel(f"clock-{name}", "nested_divergence", configuration=f"{name}.yaml")
                       for name in ("v100", "ada")]
        cls.reports = [runs.load(directory) for directory in directories]
        return runs.page_of("clocks", *directories)

    def test_times_are_compared_beside_cycles(self):
        times = [report["microseconds"] for report in self.reports]
        self.assertEqual([report["cycles"] / (1000 * ghz) for report, ghz in zip(self.reports, (1.53, 2.61), strict=True)], times)
        row = {row[0]: row[1:] for row in self.rows("table.figures")}["Microseconds"]
        self.assertEqual(row[0], f"{times[0]:.3f}")
        self.assertTrue(row[1].startswith(f"{times[1]:.3f}"), row)
        self.assertIn(f"2.61 and 1.53 GHz, these are {times[1]:.3f} and {times[0]:.3f} microseconds",
                      " ".join(self.page.texts("#comparison-figures .story")))


class OlderRuns(PageCase):
    """Two runs of an earlier smsim."""

    @classmethod
    def make(cls):
        report = runs.load(runs.run_kernel("first", "nested_divergence"))
        return runs.page_of("both_aged", runs.variant("aged_a", report, age), runs.variant("aged_b", report, age))

    def test_what_both_lack_is_said_once(self):
        self.assertEqual(self.page.texts("#comparison-verdict p, #comparison-utilisation p"),
                         ["None of the reports has a verdict; they were written by an earlier smsim.",
                          "Without utilisation, written by an earlier smsim: A aged_a, B aged_b."])


class OlderRun(PageCase):
    """A run of an earlier smsim next to one of the current version."""

    @classmethod
    def make(cls):
        directory = runs.run_kernel("first", "nested_divergence")
        cls.report = runs.load(directory)
        return runs.page_of("aged", directory, runs.variant("aged", cls.report, age))

    def test_what_one_lacks_is_said_and_the_other_is_shown(self):
        self.assertEqual(self.rows("table.verdicts")[1][1:3], ["no verdict in this report", "–"])
        self.assertIn("written by an earlier smsim: B aged", " ".join(self.page.texts("#comparison-utilisation p")))
        used = [unit for unit in self.report["utilisation"] if unit["busy"]]
        self.assertEqual([row[3:] for row in self.rows("table.units")], [["–", "–"]] * len(used))


class EditedProgram(PageCase):
    """Runs of one kernel between which a line was edited."""

    @classmethod
    def make(cls):
        def edit(report):
            report["instructions"]["all"][3]["source"] += " // edited"
        report = runs.load(runs.run_kernel("first", "nested_divergence"))
        return runs.page_of("edited", runs.run_kernel("first", "nested_divergence"),
                            runs.variant("edited", report, edit))

    def test_lines_are_not_compared(self):
        self.assertEqual(self.page.count("table.line-changes"), 0)
        self.assertIn("different programs", " ".join(self.page.texts("#comparison-lines p")))


if __name__ == "__main__":
    main()

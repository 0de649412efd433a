#!/usr/bin/python3
"""The page of one run in a browser: its tables hold the figures of the report's JSON, recomputed here; it can be
read in both colour schemes and on paper. Skipped (status 77) without a browser."""

import json

import runs
from page_case import LANES, PageCase, main, place
from runs import count, percent, ratio


class RunWithAStack(PageCase):
    """A run whose reconvergence engine has its own counters and measures its stacks over time."""

    @classmethod
    def make(cls):
        directory = runs.run_kernel("stack", "token_stack_recursion", "sm.hazard_check=true")
        cls.report = runs.load(directory)
        return runs.page_of("stack", directory)

    def test_a_checker_that_was_on_and_found_nothing_says_so(self):
        self.assertEqual(self.page.texts("[data-figure=hazards] dd")[0], "0")
        self.assertIn("The hazard checker found nothing", " ".join(self.page.texts("#run-a-checks p")))

    def test_counters_of_the_engine_stand_with_those_of_the_unit(self):
        names = [row[0] for row in self.rows("table.branch-unit")]
        counters = self.report["branch_unit"]["engine"]
        self.assertEqual(names[-len(counters):], list(counters))
        self.assertEqual([value for value, in self.column("table.branch-unit", 1)][-len(counters):],
                         list(counters.values()))
        self.assertGreater(counters["tokens_spilled"], 0)

    def test_sizes_over_time(self):
        measured = self.report["branch_unit"]["measured"]
        self.assertGreater(len(measured["sizes"]), 4)
        self.assertEqual(self.column("table.measured", 0, 1),
                         [(row["size"], row["warp_cycles"]) for row in measured["sizes"]])
        self.assertEqual(self.column("table.measured-warps", 0, 1, 2), [(0, 0, measured["most"])])
        self.assertIn(f"at most {measured['most']}, on average {measured['mean']:.2f} over", " ".join(self.page.texts("p")))


class RunWithAnExperiment(PageCase):
    """A run with the result of `smsim run --what-if` next to its report."""

    @classmethod
    def make(cls):
        directory = runs.run_kernel("what-if", "nested_divergence", options=("--what-if", "-j", "2"))
        cls.what_if = json.loads((directory / "what_if.json").read_text(encoding="utf-8"))
        return runs.page_of("what-if", directory)

    def test_what_each_relief_gains(self):
        shown = [each for each in self.what_if["reliefs"] if each["speedup"] is None or abs(each["speedup"] - 1) >= 0.005]
        self.assertGreater(len(shown), 3)
        self.assertEqual([(row[0], row[1], row[2], *row[4:]) for row in self.rows("#run-a-verdict table.what-if")], [
            (each["relief"] + (" *" if each["changes_results"] else ""), f"{each['cycles']:,}", f"{each['speedup']:.3f}",
             each["meaning"], " ".join(each["settings"])) for each in shown])
        slight = len(self.what_if["reliefs"]) - len(shown)
        self.assertIn(f"{slight} reliefs change the cycles by less than 0.5 %", " ".join(self.page.texts("#run-a-verdict p")))


class RunWithAnExperimentOfAnother(PageCase):
    """A result of --what-if from another run next to the report, and reliefs without a figure."""

    @classmethod
    def make(cls):
        report = runs.load(runs.run_kernel("first", "nested_divergence"))
        directory = runs.variant("what-if-other", report, lambda _: None)
        relief = {"relief": "alu", "meaning": "<b>wider</b>", "settings": [], "changes_results": False, "status": "refused",
                  "cycles": None, "speedup": None}
        (directory / "what_if.json").write_text(json.dumps({"cycles": 17, "reliefs": [relief]}), encoding="utf-8")
        return runs.page_of("what-if-other", directory)

    def test_that_is_said(self):
        self.assertIn("of another run, of 17 cycles", " ".join(self.page.texts("#run-a-verdict p")))
        self.assertEqual(self.rows("table.what-if"), [["alu", "refused", "–", "", "<b>wider</b>", ""]])


class RunWithAValidatedConfiguration(PageCase):
    """A run with the configuration of a generation for which points were published."""

    @classmethod
    def make(cls):
        directory = runs.run_kernel("validated", "reduction", configuration="h100.yaml")
        cls.report = runs.load(directory)
        cls.validation = cls.report["validation"]
        return runs.page_of("validated", directory)

    def test_it_is_said_with_its_points(self):
        self.assertEqual(self.validation["status"], "validated")
        self.assertEqual(self.page.texts("[data-figure=microseconds] dd"), [f"{self.report['microseconds']:.3f}", "at 1.98 GHz"])
        self.assertEqual(self.page.texts("#run-a-validation p")[0],
                         f"Configuration {self.validation['configuration']}: {self.validation['statement']}.")

    def test_kinds_of_instructions_have_their_figures(self):
        def error(value):
            return "–" if value is None else f"{value:.1f}\u00a0%"
        self.assertEqual([[row[0], count(row[1]), row[2], count(row[3]), *row[4:]] for row in self.rows("table.validation")],
                         [[row["kind"], row["issued"], f"{100 * row['share']:.1f}\u00a0%", row["points"], error(row["median_percent"]),
                           error(row["p90_percent"]), row["remark"]] for row in self.validation["instructions"]])

    def test_what_lies_outside_is_listed(self):
        self.assertGreater(len(self.validation["outside"]), 0)
        self.assertEqual(self.page.texts("ul.outside-validation li"), self.validation["outside"])


class RunWithACriticalPath(PageCase):
    """A run that recorded the path of its last CTA."""

    @classmethod
    def make(cls):
        directory = runs.run_kernel("path", "barrier_reduction", options=("--critical-path", "last"))
        cls.critical = runs.load(directory)["critical_path"]
        return runs.page_of("path", directory)

    def test_its_costs_add_up_to_the_time_of_the_cta(self):
        rows = self.rows("table.path-costs")
        self.assertEqual([[row[0], count(row[1])] for row in rows],
                         [[cost["reason"], cost["cycles"]] for cost in self.critical["costs"]])
        self.assertEqual(sum(count(row[1]) for row in rows) + self.critical["before"], self.critical["cycles"])

    def test_its_warps_stand_in_the_order_of_time(self):
        self.assertEqual([[count(row[0]), count(row[1]), count(row[2])] for row in self.rows("table.path-stretches")],
                         [[each["begin"], each["warp"], each["end"] - each["begin"]] for each in self.critical["stretches"]])
        self.assertGreater(len(self.critical["stretches"]), 1)

    def test_an_instruction_stands_with_the_one_that_it_waited_for(self):
        waits = [row for row in self.rows("table.path-costs") if row[0].endswith("scoreboard")]
        self.assertTrue(waits)
        for row in waits:
            self.assertRegex(row[7], "^0x[0-9a-f]{4} [A-Z]")


class OneRun(PageCase):
    """A run with sleeps, barriers, bank conflicts, divergence and syncs."""

    @classmethod
    def make(cls):
        directory = runs.run_kernel("sleeps", "spin_lock_nanosleep")
        cls.report = runs.load(directory)
        return runs.page_of("sleeps", directory)

    def tile(self, key):
        return self.page.texts(f"[data-figure={key}] dd")[0]

    def test_a_bar_that_is_folded_away_leaves_its_tab_stop_to_its_row(self):
        stops = """
            const section = document.getElementById("run-a-lines");
            const opener = section.querySelector("button.opener");
            const bar = opener.closest("tr").querySelector(".bar[tabindex]");
            const table = bar.closest("table");
            const seen = () => Array.from(table.querySelectorAll(".bar[tabindex='0']"))
                .filter((each) => each.getClientRects().length > 0).length;
            opener.click();
            table.querySelectorAll(".bar[tabindex]").forEach((each) => { each.tabIndex = each === bar ? 0 : -1; });
            bar.focus();
            bar.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}));
            const below = document.activeElement !== bar && document.activeElement.closest("tr.part") !== null;
            opener.click();
            return [below, seen()];
        """
        self.assertEqual(self.page.script(stops), [True, 1])

    def test_each_work_stands_over_the_bytes_of_each_level(self):
        self.assertEqual([[row[0], row[1], float(row[2]), row[5]] for row in self.rows("table.roofline")],
                         [[point["work"], point["traffic"], float(f"{point['intensity']:.3f}"),
                           f"{100 * point['achieved'] / point['attainable']:.1f}\u00a0%"]
                          for point in self.report["roofline"]["points"]])
        [chart] = [title for title in self.page.texts("figcaption") if "per byte" in title]
        self.assertEqual(chart, "instructions of threads per cycle over operations per byte")
        levels = len(self.report["roofline"]["traffic"])
        self.assertEqual(self.page.count("#run-a-roofline circle"), levels)
        self.assertEqual(self.page.count("#run-a-roofline path.line"), levels)

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
            "conflict_passes": memory["shared"]["conflict_passes"],
            "global_bytes": memory["global"]["read_bytes"] + memory["global"]["write_bytes"],
            "diverged": sum(branch["diverged"] for branch in branches),
            "barrier_wait": sum(barrier["wait_cycles"] for barrier in report["barrier_unit"]["barriers"]),
        }
        self.assertEqual(self.tile("hazards"), "–")  # the checker is off
        self.assertEqual({key: count(self.tile(key)) for key in counts}, counts)
        rates = {
            "simd_efficiency": report["thread_instructions"] / (LANES * report["warp_instructions"]),
            "occupancy": report["occupancy"]["mean_fraction"],
            "l1_hit_rate": ratio(memory["l1"]["sector_hits"], memory["l1"]["sector_hits"] + memory["l1"]["sector_misses"]),
            "coalescing": memory["load_store"]["coalescing"],
            "l0_hit_rate": report["fetch"]["l0_hit_rate"],
        }
        self.assertEqual({key: self.tile(key) for key in rates}, {key: percent(rate) for key, rate in rates.items()})
        self.assertEqual(self.tile("ipc"), f"{report['warp_instructions'] / report['cycles']:.3f}")

    def test_a_checker_that_was_off_has_found_nothing_out(self):
        self.assertIn("The hazard checker was off", " ".join(self.page.texts("#run-a-checks p")))

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
            " Array.from(bar.children, piece => piece.getBoundingClientRect().width"
            " / bar.getBoundingClientRect().width))")
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
        self.assertEqual(self.column("table.conflicts", 0, 1), [
            (passes, accesses) for passes, accesses in enumerate(histogram) if accesses])

    def test_memory_and_fetch(self):
        memory, fetch = self.report["memory"], self.report["fetch"]
        shown = {row[0]: row[1] for row in self.page.table("table.global")}
        self.assertEqual([count(shown[name]) for name in ("L1 sector hits", "L1 sector misses", "L1 hits", "L1 misses",
                                                          "Merged misses", "Reads", "Writes", "Busy cycles")],
                         [memory["l1"]["sector_hits"], memory["l1"]["sector_misses"], memory["l1"]["hits"],
                          memory["l1"]["misses"], memory["l1"]["mshr_merges"], memory["global"]["reads"], memory["global"]["writes"], memory["global"]["busy_cycles"]])
        self.assertEqual(self.column("table.fetch", 1),
                         [(fetch[key],) for key in ("fetches", "l0_hits", "l0_misses", "discarded", "l1_hits",
                                                    "l1_misses", "prefetches")])
        causes = {row[0]: count(row[1]) for row in self.page.table("table.causes")}
        self.assertEqual(causes, {name: cycles for name, cycles in self.report["no_instruction"].items() if cycles})
        self.assertEqual(sum(causes.values()), self.report["stalls"]["no_instruction"])

    def test_accesses_by_source_line(self):
        lines = {}
        for instruction in self.report["instructions"]["all"]:
            for key, value in instruction.get("memory", {}).items():
                line = lines.setdefault(place(instruction), {})
                line[key] = line.get(key, 0) + value
        keys = ("accesses", "transactions", "sectors", "shared_passes", "bank_conflicts", "l1_hits")
        shown = {row[0]: tuple(count(row[position]) for position in (2, 3, 5, 6, 7, 8)) for row in self.rows("table.accesses")}
        self.assertEqual(shown, {name: tuple(line[key] for key in keys) for name, line in lines.items()})

    def test_the_engine_stands_below_what_the_kernel_did(self):
        places = [self.page.texts("main section h2").index(title) for title in (
            "Bound by", "Divergence and branches", "Memory and fetch", "Branch unit and reconvergence engine")]
        self.assertEqual(places, sorted(places))
        self.assertEqual(self.page.count("#run-a-divergence table.branch-unit"), 0)
        self.assertEqual(self.page.count("#run-a-engine table.branch-unit"), 1)

    def test_verdict(self):
        candidates = self.report["verdict"]["candidates"]
        self.assertGreater(len(candidates), 0)
        self.assertEqual([(row[0], row[1], row[3]) for row in self.rows("table.verdict")],
                         [(each["relief"], f"{each['score']:.2f}", each["evidence"]) for each in candidates])

    def test_utilisation(self):
        used = sorted((unit for unit in self.report["utilisation"] if unit["busy"]), key=lambda unit: -unit["utilisation"])
        self.assertEqual([(row[0], count(row[4]), count(row[5])) for row in self.rows("table.utilisation")],
                         [(unit["unit"], unit["busy"], unit["idle"]) for unit in used])
        story = self.page.texts("#run-a-utilisation .story")[0]
        self.assertIn(f"The unit in use most is {used[0]['unit']}, at", story)

    def test_lanes_latencies_and_limits(self):
        self.assertEqual(self.column("table.lanes", 0, 1), [
            (lanes, issues) for lanes, issues in reversed(list(enumerate(self.report["lanes"]))) if issues])
        self.assertEqual([(row[0], count(row[1]), count(row[3]), count(row[4])) for row in self.rows("table.latencies")],
                         [(name, each["count"], each["least"], each["most"])
                          for name, each in self.report["latencies"].items()])
        limits = self.report["occupancy"]["limits"]
        self.assertEqual([row[1] for row in self.page.table("table.limits")], [
            "–" if limits[key] is None else f"{limits[key]:,}"
            for key in ("by_warp_slots", "by_threads", "by_cta_slots", "by_registers", "by_shared_memory")])

    def test_instruction_mix(self):
        expected = {name: number for name, number in self.report["instructions"]["by_unit"].items() if number}
        expected |= self.report["memory"]["load_store"]["instructions"]
        self.assertEqual({row[1]: count(row[2]) for row in self.rows("table.mix")}, expected)

    def test_intervals_over_time(self):
        self.page.unfold("#run-a-time details")
        counters = self.report["over_time"]
        parts = counters["sub_partitions"]
        expected = [(i * counters["interval_cycles"],
                     sum(part["warp_instructions"][i] for part in parts),
                     sum(part["thread_instructions"][i] for part in parts),
                     sum(values[i] for part in parts for values in part["stalls"].values()))
                    for i in range(counters["intervals"])]
        self.assertEqual(self.column("table.intervals", 0, 1, 2, 6), expected)

    def test_charts_over_time_are_drawn_and_bounded(self):
        self.assertEqual(self.page.count("#run-a-time .chart > svg"), 3)
        drawn = {reason for part in self.report["over_time"]["sub_partitions"] for reason in part["stalls"]}
        self.assertEqual(set(self.page.texts("#run-a-time svg path title")), drawn)
        self.assertLess(self.page.count("svg *"), 1000)

    def test_checks_and_configuration(self):
        self.assertEqual([(row[0], row[1], count(row[2])) for row in self.rows("table.checks")],
                         [(check["buffer"], "passed", check["compared"]) for check in self.report["checks"]])
        self.assertIn("Every key has its default value.", self.page.texts("#run-a-configuration p"))

    def test_the_default_configuration_is_not_validated(self):
        validation = self.report["validation"]
        self.assertIn("Configuration default: not validated against silicon", self.page.texts("#run-a-validation p")[0])
        self.assertEqual(self.page.count("table.validation"), 0)
        self.page.click("#run-a-validation summary")
        self.assertEqual(self.rows("table.differing-keys"),
                         [[row["key"], row["value"], row["validated"]] for row in validation["differing_keys"]])

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
        self.page.resize(720)  # A4 minus its margins
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

    def test_what_scrolls_in_a_narrow_window_scrolls_by_keys(self):
        self.page.resize(420)
        self.page.until("Array.from(document.querySelectorAll('.scroll'))"
                        ".every((frame) => (frame.scrollWidth > frame.clientWidth) === (frame.tabIndex === 0))")
        frames = self.page.script("return Array.from(document.querySelectorAll('.scroll'), frame =>"
                                  " [frame.scrollWidth > frame.clientWidth, frame.getAttribute('aria-label')])")
        self.page.resize(1280)
        self.assertIn(True, [scrolls for scrolls, _ in frames])
        for _, label in frames:
            self.assertTrue(label.startswith("table: "))

    def test_a_narrow_window_can_be_read(self):
        self.page.resize(420)
        wide, scales, heights = self.page.script(
            "return [document.documentElement.scrollWidth,"
            " Array.from(document.querySelectorAll('.chart > svg'), svg => svg.getScreenCTM().a),"
            " Array.from(document.querySelectorAll('tbody tr'), row => row.getBoundingClientRect().height)]")
        self.page.resize(1280)
        self.assertLessEqual(wide, 420)
        self.assertEqual(len(scales), 5)
        for scale in scales:
            self.assertGreater(scale, 0.85)  # of the 13 pixels of an axis' text
        self.assertLess(max(heights), 90)


if __name__ == "__main__":
    main()

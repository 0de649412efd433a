#!/usr/bin/python3
"""Tests of scripts/correlate: figures computed by hand, control fields of the probes, rejected points, three points
through the command."""

import fnmatch
import importlib.util
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from test_start import ROOT  # first: it ends the test if packages are missing

import yaml
from correlation import bounds, causes, command, compiled, figures, page, points, tables, validation
from silicon import probes
from silicon.device import catalogue
from silicon.probes import MACHINES, schedule

SMSIM = os.environ.get("SMSIM_BINARY", ROOT / "build/release/smsim")
# A chain, an access, a loop.
FEW = ["t4.mufu", "a6000_tables.lds.32.regular.raw", "v100_one_cta.accumulators.12"]


def point(name, value, **members):
    return points.Point(name, "device", members.pop("generation", "7.0"), "source", "measured", "group", value, "cycles",
                        probe="latency", **members)


class Figures(unittest.TestCase):
    def test_median_mean_p90_and_worst_are_of_absolute_errors(self):
        measured = [(point(f"p{i}", 100), 100 + error) for i, error in enumerate((1, -2, 3, -4, 5, -6, 7, -8, 9, -20))]
        found = figures.summary(measured)
        self.assertAlmostEqual(found.median, 5.5)
        self.assertAlmostEqual(found.mean, 6.5)
        self.assertAlmostEqual(found.p90, 9)
        self.assertAlmostEqual(found.worst, 20)
        self.assertEqual(found.worst_name, "p9")

    def test_the_rank_correlation_is_spearmans_with_ties(self):
        self.assertAlmostEqual(figures.rank_correlation([(1, 10), (2, 20), (3, 1000)]), 1)
        self.assertAlmostEqual(figures.rank_correlation([(1, 3), (2, 2), (3, 1)]), -1)
        # Ranks 1.5, 1.5, 3, 4 and 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5.
        self.assertAlmostEqual(figures.rank_correlation([(5, 1), (5, 2), (6, 3), (7, 4)]), 4.5 / (4.5 * 5) ** 0.5)
        self.assertIsNone(figures.rank_correlation([(1, 1), (2, 2)]))
        self.assertIsNone(figures.rank_correlation([(1, 1), (2, 1), (3, 1)]))

    def test_points_that_control_fields_give_are_not_counted(self):
        some = [point("a", 4, stated=True), point("b", 4), point("c", 4)]
        self.assertEqual([p.name for p, _ in figures.counted(some, {"a": 4, "b": 5, "c": None})], ["b"])

    def test_differences_name_what_moved_with_the_worst_first(self):
        some = [point("better", 100), point("worse", 100), point("same", 100), point("gone", 100)]
        text = tables.differences(some, {"better": 101, "worse": 120, "same": 105, "gone": None},
                                  {"better": 110, "worse": 101, "same": 105, "gone": 100})
        rows = [line.split("|")[1].strip() for line in text.split("\n\n")[-1].splitlines()[2:]]
        self.assertEqual(rows, ["`gone`", "`worse`", "`better`"])
        self.assertIn("| all | 3 | 5.0 -> 5.0 % |", text)

    def test_the_page_has_the_picture_and_escapes_what_is_in_tables(self):
        some = [point("a", 4, fitted=True), point("b", 5, generation="9.0")]
        text = page.page("title <x>", some, {"a": 4, "b": 0}, [("Points", "| a<b | `c` |\n|---|---|\n| 1 | 2 |")])
        self.assertIn("<svg", text)
        self.assertIn("title &lt;x&gt;", text)
        self.assertIn('<th scope="col">a&lt;b</th><th scope="col"><code>c</code></th>', text)


class Bounds(unittest.TestCase):
    def some(self):
        limits = [bounds.Bounds("both", ["f.a.*", "f.b"], {"median": 5, "worst": 20})]
        return limits, [point("f.a.1", 100), point("f.a.2", 100), point("f.b", 100), point("f.c", 100)]

    def test_a_set_beyond_its_bounds_is_named_with_figure_and_bound(self):
        limits, some = self.some()
        self.assertEqual(bounds.exceeded(limits, some, {"f.a.1": 104.9, "f.a.2": 80.1, "f.b": 104, "f.c": 400}), [])
        self.assertEqual(bounds.exceeded(limits, some, {"f.a.1": 106, "f.a.2": 79, "f.b": 104, "f.c": 400}),
                         ["beyond its bound: both: median 6.0 %, at most 5 %", "beyond its bound: both: worst 21.0 %, at most 20 %"])
        self.assertEqual(list(bounds.rows(limits, some, {"f.a.1": 106, "f.a.2": 79, "f.b": 104})),
                         [["both", "3", "6.0 %", "5 %", "21.0 %", "–", "21.0 %", "20 %"]])

    def test_part_of_a_set_is_not_judged(self):
        limits, some = self.some()
        self.assertEqual(bounds.exceeded(limits, some, {"f.a.1": 200}), [])

    def test_every_pattern_has_points_and_the_record_keeps_to_all_bounds(self):
        known = points.read(probes.PROBES)
        for each in bounds.read():
            for pattern in each.patterns:
                self.assertTrue(bounds.Bounds("", [pattern], {}).members(known), pattern)
        values, _ = command.load(command.RECORD)
        self.assertEqual(len(list(bounds.rows(bounds.read(), known, values))), len(bounds.read()), "all can be judged")
        self.assertEqual(bounds.exceeded(bounds.read(), known, values), [])


class Compiled(unittest.TestCase):
    def test_figures_beyond_their_bounds_are_named(self):
        self.assertEqual(compiled.exceeded(compiled.median_and_worst([0.5, -2, 4])), [])
        self.assertEqual(compiled.exceeded(compiled.median_and_worst([-6, 1, 30])), ["compiled probes are off by 6.0 % in the median, at most 5 %",
                                                          "compiled probes are off by 30.0 % in the worst, at most 20 %"])

    def test_every_point_of_one_cta_has_a_twin_in_cuda_c_and_others_a_reason_why_not(self):
        known = points.read(probes.PROBES)
        chosen = {point.name for point in compiled.select(known)}
        self.assertEqual({point.name for point in known if "_one_cta." in point.name and point.probe} - chosen, set())
        self.assertGreater(len(chosen), 240)
        left = [point for point in known if point.probe and point.name not in chosen]
        self.assertEqual(sum(int(line.split(":")[0].split()[0]) for line in compiled.without(known)), len(left))
        none = {line.split(":")[0].split()[-1] for line in compiled.without(known)[:-1]}
        self.assertEqual(none, set(yaml.safe_load(compiled.FILE.read_text())["none"]))


class Causes(unittest.TestCase):
    def test_points_of_one_cause_share_a_row_with_the_greatest_error_first(self):
        some = [point(name, 100) for name in "abcde"]
        known = [{"points": ["a", "b"], "cause": "x"}, {"points": ["c"], "cause": "y"}]
        values = {"a": 105, "b": 92, "c": 110, "d": 103, "e": 94}
        self.assertEqual(list(causes.rows(4, known, some, values)),
                         [["`c`", "+10.0 %", "y"], ["`a`, `b`", "+5.0 % to -8.0 %", "x"], ["`e`", "-6.0 %", ""]])
        self.assertEqual(causes.mistakes(4, known, some, values | {"a": 103.9}),
                         ["e: -6.0 %, and 0 causes", "a: has a cause, but is not far off"])

    def test_every_point_that_is_far_off_in_the_record_has_a_cause_and_no_other(self):
        values, _ = command.load(command.RECORD)
        self.assertEqual(causes.mistakes(*causes.read(), points.read(probes.PROBES), values), [])


class Scheduling(unittest.TestCase):
    def fields(self, texts, generation):
        return [line.split("?", 1)[1].rstrip(";") for line in schedule.in_order(texts, MACHINES[generation])]

    def test_stalls_are_latencies_and_intervals_of_the_generation(self):
        chain = ["IADD3 R1, R1, R2, RZ", "FADD R3, R1, R4", "FADD R5, R6, R7", "FADD R8, R3, R5", "STS [R1], R8"]
        self.assertEqual(self.fields(chain, "7.0"), ["stall5", "stall2", "stall4", "stall6", "stall1"])
        self.assertEqual(self.fields(chain, "8.6"), ["stall5", "stall1", "stall4", "stall5", "stall1"])

    def test_a_consumer_right_behind_a_load_leaves_time_for_the_scoreboard(self):
        self.assertEqual(self.fields(["LDS R1, [R2]", "FADD R3, R1, R1"], "7.0"), ["stall2 &wsb=0", "stall1 &req={0}"])

    def test_the_second_iteration_waits_for_the_loads_of_the_first(self):
        self.assertEqual(self.fields(["FADD R3, R1, R1", "LDS R1, [R2]", "NOP"], "7.0")[0], "stall1 &req={0}")

    def test_a_compare_late_in_a_loop_is_waited_for_with_what_compilers_write(self):
        lines = schedule.in_order(["ISETP.LT.AND P0, PT, R1, R2, PT", "@P0 BRA loop"], MACHINES["9.0"])
        self.assertEqual(lines[0].split("?")[1], "stall11;")
        self.assertEqual(lines[1], "NOP ?stall2;")

    def test_written_fields_stay(self):
        # It also waits for its own scoreboard: the load of the previous iteration may still write the register.
        self.assertEqual(self.fields(["LDS R1, [R2] &wsb=3 &req={5}", "NOP ?yield", "STS [R2], R3 &rsb=5"], "7.0"),
                         ["stall1 &wsb=3 &req={3,5}", "stall1 ?yield", "stall1 &rsb=5"])

    def test_measured_loops_begin_a_line_of_the_instruction_cache(self):
        for name, arguments in (("ready_warps", {"warps": 5}), ("shared_chase", {}), ("barrier_loop", {"block": 64})):
            text = probes.make(name, "9.0", arguments).launches[0].text
            before = [line for line in text.split("loop0:")[0].splitlines() if line.startswith("    ")]
            self.assertEqual(len(before) % 8, 0, name)


class Points(unittest.TestCase):
    def test_every_point_has_a_probe_or_a_reason_and_its_probe_can_be_made(self):
        for found in points.read(probes.PROBES):
            if found.probe:
                self.assertIn(found.generation, points.configurations(), found.name)
                self.assertTrue(probes.make(found.probe, found.generation, found.arguments).launches, found.name)
            else:
                self.assertTrue(found.reason, found.name)

    def test_a_bad_point_is_refused_with_its_place(self):
        with tempfile.TemporaryDirectory() as folder:
            old, points.SILICON = points.SILICON, pathlib.Path(folder)
            old_root, points.ROOT = points.ROOT, pathlib.Path(folder)
            try:
                (pathlib.Path(folder) / "points").mkdir()
                for entry, message in (("{name: p, group: g, value: 1, unit: u}", "points/x.yaml: p: needs either"),
                                       ("{name: p, group: g, value: 1, unit: u, probe: none}", "no probe 'none'"),
                                       ("{name: p, group: g, value: 1, unit: u, reason: r, colour: red}", "no member 'colour'")):
                    (pathlib.Path(folder) / "points/x.yaml").write_text(
                        f'device: d\ngeneration: "7.0"\nsource: s\nconfidence: measured\npoints:\n  - {entry}\n')
                    with self.assertRaisesRegex(points.PointError, message):
                        points.read(probes.PROBES)
            finally:
                points.SILICON, points.ROOT = old, old_root


class Validation(unittest.TestCase):
    def test_what_reports_say_is_of_the_record_and_of_the_configurations_as_they_are(self):
        values, _ = command.load(command.RECORD)
        self.assertEqual(validation.FILE.read_text(), validation.text(points.read(probes.PROBES), values),
                         "configs/validation.json is old: scripts/correlate --record writes it")

    def test_figures_are_of_the_points_of_a_generation_and_of_a_kind(self):
        some = [point("f.lat_double", 100), point("f.chain", 100), point("f.other", 100), point("f.new", 100, generation="9.0"),
                point("f.documented", 100)]
        for each, group in zip(some, ("arithmetic", "arithmetic", "arithmetic", "L1", "rates")):
            each.group, each.arguments = group, {"operation": "FFMA"}
        some[-1].confidence = "documented"
        found = validation.content(some, {"f.lat_double": 130, "f.chain": 101, "f.other": 104, "f.new": 100, "f.documented": 1})
        self.assertEqual([each["file"] for each in found["configurations"]], ["v100.yaml", "h100.yaml"])
        v100 = found["configurations"][0]
        self.assertEqual((v100["points"], v100["median_percent"], v100["p90_percent"]), (3, 4, 30))
        self.assertEqual(v100["kinds"], {"arithmetic": {"points": 2, "median_percent": 2.5, "p90_percent": 4},
                                         "double precision": {"points": 1, "median_percent": 30, "p90_percent": 30}})
        self.assertEqual((v100["ctas"], v100["warps"]), (1, 1))
        self.assertEqual(v100["keys"]["pipes.fma.latency"], "4")

    def test_what_benchmarks_of_a_gpu_do_counts_as_what_points_have(self):
        some = [point("f.ways", 100), point("f.whole", 100)]
        for each, group, benchmark in zip(some, ("divergence", "whole kernels"), ("control.ways.4", "kernels.reduction.1024")):
            each.group, each.probe, each.arguments = group, "device", {"benchmark": benchmark}
        found = validation.content(some, {"f.ways": 100, "f.whole": 110})["configurations"][0]
        self.assertEqual((found["points"], found["warps"], found["diverged"]), (2, 8, True))
        self.assertEqual(found["kinds"], {"reconvergence and other control": {"points": 1, "median_percent": 0, "p90_percent": 0}})

    def test_a_point_of_no_kind_is_named(self):
        with self.assertRaisesRegex(points.PointError, "p: belongs to no kind"):
            validation.kind_of(point("p", 1), validation.kinds())

    def test_every_point_with_a_probe_belongs_to_one_kind(self):
        validation.check(points.read(probes.PROBES))

    def test_every_pattern_of_a_kind_has_a_point_or_a_benchmark(self):
        known = points.read(probes.PROBES)
        of_benchmarks = {benchmark.group for benchmark in catalogue.BENCHMARKS.values()}
        for kind in validation.kinds():
            for text in set(kind["points"]) - of_benchmarks:
                self.assertTrue(any(fnmatch.fnmatchcase(each.name, text) or each.group == text for each in known), text)


@unittest.skipUnless(importlib.util.find_spec("scipy"), "scipy is not installed")
class Fitting(unittest.TestCase):
    """Searches over artificial models: figures are functions of the values."""

    def fit(self, published, model, **keys):
        """The search and its findings by key. `keys`: (values, current value)."""
        from correlation import fitting
        self.runs = []

        def measure(all_settings, some):
            self.runs += [(point.name, tuple(settings.values())) for settings in all_settings for point in some]
            return [{point.name: model(settings)[point.name] for point in some} for settings in all_settings]
        some = [point(name, value) for name, value in published.items()]
        search = fitting.Search([fitting.Key(name, list(values), list(values).index(present), ordered=not isinstance(present, str))
                                 for name, (values, present) in keys.items()], some, measure)
        places = search.run()
        return search, {each.key.name: each for each in fitting.findings(search, places)}

    def value(self, finding):
        return finding.key.values[finding.best]

    def test_keys_that_points_tell_apart_are_found_and_determined(self):
        _, found = self.fit({"sum": 38, "first": 17}, lambda of: {"sum": 10 + of["a"] + 3 * of["b"], "first": 10 + of["a"]},
                            a=(range(40), 30), b=(range(40), 2))
        self.assertEqual([(self.value(found[key]), found[key].verdict) for key in "ab"], [(7, "yes"), (7, "yes")])
        self.assertEqual(found["b"].points, ["sum"])

    def test_keys_that_make_up_for_one_another_are_determined_together_only(self):
        _, found = self.fit({"p": 60, "q": 110}, lambda of: {"p": 20 + of["a"] + of["b"], "q": 70 + of["a"] + of["b"]},
                            a=(range(50), 5), b=(range(50), 5))
        self.assertEqual(self.value(found["a"]) + self.value(found["b"]), 40)
        self.assertEqual(found["a"].verdict, "only together with `b`")
        self.assertEqual(found["b"].verdict, "only together with `a`")

    def test_a_key_that_changes_no_point_stays_and_is_said_to(self):
        _, found = self.fit({"p": 30}, lambda of: {"p": 20 + of["a"]}, a=(range(50), 5), b=(range(50), 5))
        self.assertEqual((self.value(found["a"]), self.value(found["b"])), (10, 5))
        self.assertEqual((found["b"].verdict, found["b"].low, found["b"].high), ("no point depends on it", 0, 49))

    def test_values_that_are_as_good_are_told(self):
        _, found = self.fit({"p": 104}, lambda of: {"p": 100 + of["a"] // 4 * 4}, a=(range(30), 20))
        self.assertEqual((found["a"].low, found["a"].high, found["a"].verdict), (4, 7, "not between these"))

    def test_names_are_tried_one_by_one_with_numbers_for_each(self):
        slope = {"slow": 5, "fast": 2, "none": 0}
        _, found = self.fit({"p": 61, "q": 10}, lambda of: {"p": 1 + slope[of["n"]] * of["a"], "q": 10 if of["n"] == "fast" else 12},
                            n=(slope, "slow"), a=(range(100), 3))
        self.assertEqual((self.value(found["n"]), self.value(found["a"])), ("fast", 30))

    def test_points_that_no_key_moves_are_run_for_the_ends_only(self):
        search, _ = self.fit({"p": 30, "still": 8}, lambda of: {"p": 20 + of["a"], "still": 9}, a=(range(50), 5), b=(range(20), 5))
        self.assertEqual(sum(name == "still" for name, _ in self.runs), 5)
        self.assertAlmostEqual(search.error({"p": 33, "still": 9}), (10 + 12.5) / 2)

    def test_a_point_without_a_figure_counts_more_than_any_error(self):
        _, found = self.fit({"p": 100}, lambda of: {"p": None if of["a"] > 5 else 1 + of["a"]}, a=(range(20), 3))
        self.assertEqual(self.value(found["a"]), 5)

    def test_keys_and_bounds_are_taken_from_the_schema(self):
        from correlation import fit
        schema = {"l.n": {"type": "unsigned", "low": 1, "high": 64, "multiple_of": 1, "power_of_two": True},
                  "l.on": {"type": "flag"}, "l.name": {"type": "name", "values": ["x", "y"]}, "l.clock": {"type": "number"}}
        present = {"l": {"n": 8, "on": True, "name": "y", "clock": 1.5}}
        self.assertEqual(fit.key_of("l.n", schema, present).values, [4, 8, 16])
        self.assertEqual(fit.key_of("l.n=16:99", schema, present).values, [8, 16, 32, 64])
        self.assertEqual(fit.key_of("l.on", schema, present).present, 1)
        self.assertFalse(fit.key_of("l.name", schema, present).ordered)
        for text, message in (("l.m", "there is no key"), ("l.n=3", "expected KEY=LOW:HIGH"), ("l.on=0:1", "has no bounds"),
                              ("l.clock", "neither a whole number"), ("l.n=8:8", "one value only")):
            with self.assertRaisesRegex(fit.FitError, message):
                fit.key_of(text, schema, present)

    def test_a_configuration_is_written_with_marks_and_nothing_else_changed(self):
        from correlation import fit
        text = "# head\na:\n  b: 1   # old\n  c: {d: 2, e: 3}  # both\n  f:\n    g: 4\nh:\n  i: 5\n"
        written = fit.write(text, {"a.b": (7, "m"), "a.c.e": (8, "m"), "a.f.new": (9, "m"), "a.k.l": (True, "m"), "z.y": (6, "m")})
        self.assertEqual(yaml.safe_load(written), {"a": {"b": 7, "c": {"d": 2, "e": 8}, "f": {"g": 4, "new": 9}, "k": {"l": True}},
                                                   "h": {"i": 5}, "z": {"y": 6}})
        self.assertTrue(written.startswith("# head\na:\n  b: 7"))
        self.assertIn("# both", written)
        self.assertNotIn("# old", written)
        self.assertEqual(fit.write(text, {}), text)


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.output = pathlib.Path(self.folder.name)

    def correlate(self, *arguments, status=0):
        done = subprocess.run([ROOT / "scripts/correlate", "--smsim", SMSIM, "-o", self.output, *arguments],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def few(self):
        return [word for name in FEW for word in ("--only", name)]

    def test_three_points_are_measured_written_and_no_worse_than_recorded(self):
        self.correlate("--check", *self.few())
        results = json.loads((self.output / "results.json").read_text())["points"]
        self.assertEqual(sorted(results), sorted(FEW))
        for name in FEW:
            self.assertGreater(results[name]["value"], 0)
            self.assertIn(name, (self.output / "table.md").read_text())
            self.assertIn(name, (self.output / "index.html").read_text())

    def test_a_worse_figure_fails_the_check_and_is_named(self):
        self.correlate("--only", FEW[0])
        results = json.loads((self.output / "results.json").read_text())
        bounds = self.output / "bounds.json"
        bounds.write_text(json.dumps(results))
        done = self.correlate("--only", FEW[0], "--check", bounds, "--set", "pipes.xu.latency=40", status=1)
        self.assertIn(f"worse than recorded: {FEW[0]}: published 15", done.stderr)
        against = self.correlate("--only", FEW[0], "--against", bounds, "--set", "pipes.xu.latency=40")
        self.assertIn(f"| `{FEW[0]}` | 15 |", against.stdout)

    def test_a_point_that_is_not_recorded_fails_the_check(self):
        bounds = self.output / "bounds.json"
        bounds.write_text('{"points": {}}')
        self.assertIn(f"{FEW[0]}: is not recorded", self.correlate("--only", FEW[0], "--check", bounds, status=1).stderr)

    def test_a_probe_that_the_model_refuses_has_no_figure_but_a_reason(self):
        self.correlate("--only", FEW[0], "--set", "pipes.xu.colour=3")
        self.assertIn("unknown key 'pipes.xu.colour'", (self.output / "table.md").read_text())

    def test_points_of_another_file_take_the_place_of_the_published_ones(self):
        file = self.output / "own.yaml"
        head = 'device: d\ngeneration: "7.5"\nsource: s\nconfidence: measured\n'
        file.write_text(head + "conditions: {card: d}\nfailed: []\npoints:\n  - {name: chain, group: arithmetic, value: 4, unit: cycles, "
                        "probe: latency, arguments: {operation: FADD}, spread: {p10: 4, p90: 4, min: 4, max: 4, runs: 31}}\n")
        self.correlate("--points", file)
        results = json.loads((self.output / "results.json").read_text())["points"]
        self.assertEqual(list(results), ["own.chain"])
        for text, message in ((head + "colour: red\npoints: []", "no member 'colour'"), ("points: [{name: p}]", "p: has no 'confidence'"),
                              ("[]", "holds no list of points"), (head + "points: [{name: p}]", "p: has no 'group'"), ("a: [", "cannot be read"),
                              ("[" * 5000, "cannot be read (nested deeper than 32 levels"), (f"points: {'9' * 5000}", "cannot be read"),
                              ("points: 2026-13-45", "cannot be read (this is no value"), ("points: [1]", "a point is no mapping"),
                              (head + "points: [{name: p, group: g, unit: u, reason: r, value: .inf}]", "p: 'value' is no number")):
            file.write_text(text)
            self.assertIn(message, self.correlate("--points", file, status=2).stderr)

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "scipy is not installed")
    def test_a_key_is_fitted_and_the_configuration_written(self):
        done = self.correlate("--only", FEW[0], "--set", "pipes.xu.latency=18", "--fit", "pipes.xu.latency=13:19")
        self.assertIn("| `pipes.xu.latency` | 13 to 19 | 18 | 15 | 15 | 1 of 1 | yes |", done.stdout)
        fitted = yaml.safe_load((self.output / "fitted.yaml").read_text())
        self.assertEqual(fitted, yaml.safe_load((ROOT / "configs/turing.yaml").read_text()), "18 was not, 15 is the value there")
        self.assertRegex((self.output / "fitted.yaml").read_text(), r"latency: 15 +# fitted: t4.mufu\n")
        for arguments, message in ((("--fit", "pipes.xu.latency", "--record"), "--fit goes with neither"),
                                   (("--fit", "pipes.xu.colour"), "there is no key 'pipes.xu.colour'"),
                                   (("--fit", "pipes.xu.latency", "--only", "v100_one_cta.fence"), "--fit needs a single generation")):
            self.assertIn(message, self.correlate("--only", FEW[0], *arguments, status=2).stderr)

    def test_mistakes_are_told(self):
        self.assertIn("no such point is of generation 9.0", self.correlate("--only", FEW[0], "--generation", "9.0", status=2).stderr)
        self.assertIn("no point's name contains 'nothing'", self.correlate("--only", "nothing", status=2).stderr)
        self.assertIn("not the results of a correlation",
                      self.correlate("--recorded", "--against", ROOT / "README.md", status=2).stderr)
        file = self.output / "other.json"
        for text in ("[" * 100000, '{"points": []}', '{"points": {"a": {"value": 1e999}}}', '{"points": {"a": {"value": "1"}}}', "9" * 5000):
            file.write_text(text)
            self.assertIn(f"{file}: not the results of a correlation",
                          self.correlate("--recorded", "--against", file, status=2).stderr)
        self.assertIn("--record is of a run of all points", self.correlate("--recorded", "--record", status=2).stderr)

    def test_what_cannot_be_written_is_told_in_one_line(self):
        file = self.output / "file"
        file.touch()
        self.assertEqual(self.correlate("--only", FEW[0], "-o", file, status=2).stderr, f"correlate: {file}: File exists\n")
        (self.output / "table.md").symlink_to("/dev/full")
        self.assertEqual(self.correlate("--only", FEW[0], status=2).stderr,
                         f"correlate: {self.output / 'table.md'}: No space left on device\n")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([ROOT / "scripts/correlate", "--recorded"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, "correlate: standard output: No space left on device\n"))


if __name__ == "__main__":
    unittest.main()

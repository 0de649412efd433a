"""What is read from a file of results: metrics, failed and missing points, baseline and speedup, selections."""

import contextlib
import json
import math
import sqlite3
import subprocess
import unittest
import zlib

from explore_support import ROOT, SMSIM, ExploreTest, completed, failed, report

from smsim import metrics, results, store, tables
from smsim.errors import UserError

AXIS = {"ibuffer.depth": [1, 3, 8]}


class Metrics(ExploreTest):
    def run_kernel(self, name):
        """The report as the model writes it."""
        command = [SMSIM, "run", "--report", "none", "--no-progress", "-o", self.folder / "out"]
        subprocess.run(
            [*command, next((ROOT / "kernels").glob(f"*/{name}/launch.yaml"))], check=True, capture_output=True
        )
        return json.loads((self.folder / "out" / "report.json").read_text(encoding="utf-8"))

    def test_metrics_are_those_of_the_models_report(self):
        real = self.run_kernel("barrier_reduction")
        found = metrics.of_report(real)
        self.assertEqual(found["cycles"], real["cycles"])
        self.assertEqual(found["ns"], real["cycles"] / real["config"]["sm"]["clock_ghz"])
        self.assertEqual(found["ipc"], real["ipc"])
        self.assertEqual(found["occupancy"], real["occupancy"]["mean_fraction"])
        self.assertEqual(found["barrier.wait_cycles"], sum(b["wait_cycles"] for b in real["barrier_unit"]["barriers"]))
        self.assertGreater(found["barrier.wait_cycles"], 0)
        self.assertEqual(
            found["global.bytes"], real["memory"]["global"]["read_bytes"] + real["memory"]["global"]["write_bytes"]
        )
        self.assertAlmostEqual(found["stall.membar"], 100 * real["stalls"]["membar"] / real["warp_cycles"])
        self.assertAlmostEqual(sum(found[f"stall.{reason}"] for reason in metrics.STALL_REASONS), 100)
        self.assertEqual(set(metrics.STALL_REASONS), set(real["stalls"]))
        used = {unit["unit"]: 100 * unit["utilisation"] for unit in real["utilisation"]}
        self.assertGreater(used["issue"], 0)
        self.assertLessEqual(set(used), set(metrics.UNITS))
        self.assertEqual({name: found[f"use.{name}"] for name in metrics.UNITS},
                         {name: used.get(name) for name in metrics.UNITS})

    def test_branches_and_conflicts_are_summed(self):
        branches = [
            {"executions": 6, "diverged": 2, "path_instructions": 30, "reconverged": 2},
            {"executions": 2, "diverged": 0, "path_instructions": 0, "reconverged": 0},
        ]
        unit = {"branches": branches, "busy_cycles": 5, "yields": 1, "sleeps": 2, "warp_sleeps": 1}
        memory = report(10)["memory"] | {"shared": {"accesses": 4, "conflict_passes": 6}}
        found = metrics.of_report(report(10, branch_unit=unit, memory=memory))
        self.assertEqual((found["branch.executions"], found["branch.divergence"]), (8, 25))
        self.assertEqual(found["branch.path_mean"], 15)
        self.assertEqual(found["shared.conflicts_per_access"], 1.5)

    def test_a_rate_of_nothing_is_missing_and_not_zero(self):
        found = metrics.of_report(report(10))
        for name in ("l1.hit_rate", "l0.hit_rate", "coalescing", "branch.divergence", "shared.conflicts_per_access"):
            self.assertIsNone(found[name], name)

    def test_every_metric_says_what_it_is(self):
        for metric in metrics.ALL.values():
            self.assertTrue(metric.unit and metric.description, metric.name)
            self.assertIn(metric.better, ("lower", "higher", ""))
            self.assertIn(metric.mean, ("geometric", "arithmetic"))

    def test_means_leave_out_what_is_missing(self):
        self.assertAlmostEqual(metrics.mean([10, None, 1000, math.nan], "geometric"), 100)
        self.assertEqual(metrics.mean([1, 2, 6], "arithmetic"), 3)
        self.assertEqual(metrics.mean([0, 5], "geometric"), 0)
        self.assertIsNone(metrics.mean([None], "geometric"))


class Points(ExploreTest):
    def test_failed_and_missing_points_keep_their_rows_without_figures(self):
        points = [
            ("k", (1,), completed(100)),
            ("k", (3,), failed("refused", "ibuffer.depth is too small")),
            ("k", (8,), None),
            ("l", (1,), {"status": "check_failed", "message": "c differs", "report": report(50)}),
        ]
        self.write_sweep(AXIS, points)
        found = self.load()
        self.assertEqual(list(found.table["status"]), ["completed", "refused", "not_run", "check_failed"])
        self.assertEqual(list(found.table["message"])[1], "ibuffer.depth is too small")
        # A run with wrong results has a report, but its cycles must not be compared.
        self.assertTrue(found.table["cycles"].isna().tolist()[1:] == [True, True, True])
        self.assertEqual(list(found.failed["number"]), [1, 3])
        self.assertIn("4 points, 1 completed, 2 failed, 1 not run", tables.summary(found)[0])

    def test_a_report_that_cannot_be_read_makes_a_failed_point(self):
        half = {"status": "completed", "report": {"cycles": 5}}
        self.write_sweep(AXIS, [("k", (1,), {"status": "completed", "blob": b"rubbish"}), ("k", (3,), half)])
        found = self.load()
        self.assertEqual(list(found.table["status"]), ["unreadable", "unreadable"])
        self.assertIn("cannot be read", found.table["message"][0])

    def test_a_report_with_figures_beyond_all_numbers_makes_a_failed_point(self):
        texts = ['{"model": 1e999}', '{"model": NaN}', '{"model": 1%s}' % ("0" * 5000), '{"model": 1%s}' % ("0" * 400)]
        texts += ["[" * 100000, '{"model":' * 900 + "1" + "}" * 900]
        blobs = [zlib.compress(text.encode()) for text in texts]
        self.write_sweep(AXIS, [("k", (place,), {"status": "completed", "blob": blob}) for place, blob in enumerate(blobs)])
        found = self.load()
        self.assertEqual(list(found.table["status"]), ["unreadable"] * len(texts))
        self.assertFalse(any(store.readable(blob) for blob in blobs[:-1]))

    def test_values_that_cannot_be_read_are_refused(self):
        self.write_sweep(AXIS, [("k", (1,), completed(100))])
        for table, column, what in (
            ("axis", "values", "the values of axis ibuffer.depth"),
            ("point", "values", "the values of point 0"),
            ("point", "settings", "the settings of point 0"),
        ):
            opening, closing = ('{"a": ', "}") if what == "the values of point 0" else ("[", "]")
            inner = ["1e999", "NaN", "9" * 5000, "1" + "0" * 400, '"\\ud800"', "null", "[1]", "{}"]
            for text in ["", "3", "[" * 100000, None, *(opening + value + closing for value in inner)]:
                with self.subTest(table=table, column=column, text=text and text[:20]):
                    before = self.replace(table, column, text)
                    if text or column != "settings":
                        with self.assertRaisesRegex(UserError, f"sweep.sqlite: {what} cannot be read: "):
                            self.load()
                    self.replace(table, column, before)
        self.load()

    def test_names_that_are_missing_are_refused(self):
        self.write_sweep(AXIS, [("k", (1,), completed(100))])
        for table, column, message in (
            ("sweep", "name", "the name of a sweep is no text"),
            ("point", "kernel", "the kernel of point 0 is no text"),
            ("axis", "name", "no point has a value of axis None"),
        ):
            before = self.replace(table, column, None)
            with self.assertRaisesRegex(UserError, f"sweep.sqlite: {message}"):
                self.load()
            self.replace(table, column, before)

    def replace(self, table, column, text):
        """Writes a column of the only row and returns its previous value."""
        with contextlib.closing(sqlite3.connect(self.file)) as database, database:
            before = database.execute(f'SELECT "{column}" FROM {table} LIMIT 1').fetchone()[0]
            database.execute(f'UPDATE {table} SET "{column}" = ? WHERE rowid = 1', (text,))
        return before

    def test_integers_stay_integers(self):
        self.write_sweep(AXIS, [("k", (1,), completed(12345678901)), ("k", (3,), None)])
        self.assertEqual(self.load().table["cycles"][0], 12345678901)
        self.assertIn(",12345678901,", tables.csv_text(self.load()))

    def test_axes_named_like_a_column_do_not_hide_it(self):
        self.write_sweep({"cycles": [1, 2]}, [("k", (1,), completed(100)), ("k", (2,), completed(50))])
        found = self.load()
        self.assertEqual(found.axes[0].column, "axis.cycles")
        self.assertEqual([list(found.table[name]) for name in ("axis.cycles", "cycles")], [[1, 2], [100, 50]])

    def test_evenly_multiplied_values_are_logarithmic(self):
        for values, expected in (([1, 2, 4, 8], True), ([10, 20, 30, 40], False), ([0, 1, 10], False), ([1, 8], False)):
            self.assertEqual(results.Axis("a", "a", tuple(values)).logarithmic, expected, values)
        self.assertFalse(results.Axis("a", "a", (False, True)).numeric)
        self.assertFalse(results.Axis("a", "a", (1, "auto")).numeric)

    def test_a_file_with_several_sweeps_needs_a_name(self):
        self.write_sweep(AXIS, [("k", (1,), completed(100))], name="one")
        self.write_sweep(AXIS, [("k", (1,), completed(70))], name="two")
        with self.assertRaisesRegex(UserError, "2 sweeps; choose one with --sweep: one, two"):
            self.load()
        self.assertEqual(list(self.load("two").table["cycles"]), [70])
        with self.assertRaisesRegex(UserError, "no sweep 'three'"):
            self.load("three")

    def test_other_files_are_refused(self):
        with self.assertRaisesRegex(UserError, "no such file"):
            results.load(self.folder / "none.sqlite")
        self.assertFalse((self.folder / "none.sqlite").exists())
        self.file.write_text("text", encoding="utf-8")
        with self.assertRaisesRegex(UserError, "no file of a sweep"):
            self.load()
        self.file.unlink()
        with contextlib.closing(sqlite3.connect(self.file)) as database:
            database.execute("CREATE TABLE other (a)")
        with self.assertRaisesRegex(UserError, "no file of a sweep of layout 1"):
            self.load()
        with self.assertRaisesRegex(UserError, "no file of results of layout 1"):
            store.Store(self.file)


class Baseline(ExploreTest):
    def change(self, script):
        with contextlib.closing(sqlite3.connect(self.file)) as database:
            database.executescript(script)

    def test_speedup_is_over_the_default_value_of_the_axis(self):
        self.write_sweep(AXIS, [("k", (depth,), completed(cycles)) for depth, cycles in ((1, 100), (3, 80), (8, 40))])
        found = self.load()
        self.assertEqual(found.baseline, {"ibuffer.depth": 3})
        self.assertEqual(list(found.table["speedup"]), [0.8, 1, 2])

    def test_a_zipped_axis_has_its_default_where_all_its_keys_have(self):
        def point(name, sub_partitions, pipelines):
            settings = [f"sm.sub_partitions={sub_partitions}", f"bru.pipelines={pipelines}"]
            return ("k", (name,), completed(10) | {"settings": settings})

        self.write_sweep(
            {"size": ["half", "odd", "full"]}, [point("half", 2, 2), point("odd", 4, 2), point("full", 4, 4)]
        )
        self.assertEqual(self.load().baseline, {"size": "full"})

    def test_a_base_file_of_the_sweep_stands_over_the_defaults(self):
        config = self.folder / "base.yaml"
        config.write_text("ibuffer: {depth: 5}\n", encoding="utf-8")
        for name, base, expected in (("with", config, 5), ("gone", self.folder / "missing.yaml", 3)):
            points = [("k", (depth,), completed(100) | {"config": str(base)}) for depth in (2, 3, 5)]
            self.write_sweep({"ibuffer.depth": [2, 3, 5]}, points, name=name)
            self.assertEqual(results.load(self.file, name).baseline, {"ibuffer.depth": expected})

    def test_without_a_default_the_first_value_is_the_baseline(self):
        self.write_sweep({"ibuffer.depth": [8, 1]}, [("k", (8,), completed(10)), ("k", (1,), completed(20))])
        self.assertEqual(self.load().baseline, {"ibuffer.depth": 8})

    def test_another_baseline_can_be_chosen(self):
        self.write_sweep(AXIS, [("k", (depth,), completed(cycles)) for depth, cycles in ((1, 100), (3, 80), (8, 40))])
        found = self.load()
        found.set_baseline({"ibuffer.depth": "8.0"})
        self.assertEqual(list(found.table["speedup"]), [0.4, 0.5, 1])
        with self.assertRaisesRegex(UserError, "axis ibuffer.depth has no value '5'; it has 1, 3, 8"):
            found.set_baseline({"ibuffer.depth": "5"})

    def test_a_baseline_must_be_a_point(self):
        axes = {"ibuffer.depth": [1, 3], "shared.banks": [16, 32]}
        self.write_sweep(axes, [("k", values, completed(9)) for values in ((1, 32), (3, 32), (3, 16))])
        found = self.load()
        with self.assertRaisesRegex(UserError, "the baseline is no point of the sweep: ibuffer.depth=1, shared.banks=16"):
            found.set_baseline({"ibuffer.depth": "1", "shared.banks": "16"})
        self.assertEqual(found.baseline, {"ibuffer.depth": 3, "shared.banks": 32})

    def test_the_baseline_that_a_sweep_has_chosen_is_the_one(self):
        self.write_sweep(AXIS, [("k", (depth,), completed(cycles)) for depth, cycles in ((1, 100), (3, 80), (8, 40))])
        for written, expected in (('{"ibuffer.depth": 8, "gone": 1}', 8), ('{"ibuffer.depth": 1}', 1)):
            self.change(f"{store.BASELINE} INSERT OR REPLACE INTO baseline VALUES ('test', '{written}');")
            self.assertEqual(self.load().baseline, {"ibuffer.depth": expected})
        for written, message in (("[1]", "the baseline cannot be read: an object"), ('{"ibuffer.depth": 2}', "has no value '2'")):
            self.change(f"INSERT OR REPLACE INTO baseline VALUES ('test', '{written}');")
            with self.assertRaisesRegex(UserError, message):
                self.load()

    def test_without_its_baseline_point_a_kernel_has_no_speedup(self):
        points = [
            ("k", (1,), completed(100)),
            ("k", (3,), failed("crashed", "")),
            ("l", (1,), completed(9)),
            ("l", (3,), completed(3)),
        ]
        self.write_sweep(AXIS, points)
        found = self.load()
        self.assertTrue(math.isnan(found.table["speedup"][0]))
        self.assertAlmostEqual(found.table["speedup"][2], 1 / 3)
        self.assertTrue(any("no speedup" in line and line.endswith(": k") for line in tables.summary(found)))

    def test_a_selection_keeps_the_speedups_of_the_whole(self):
        self.write_sweep(AXIS, [("k", (depth,), completed(cycles)) for depth, cycles in ((1, 100), (3, 80), (8, 40))])
        chosen = self.load().select({"ibuffer.depth": ["1", "8"]}, ["k"])
        self.assertEqual(list(chosen.table["speedup"]), [0.8, 2])
        for where, kernels, message in (({"x": ["1"]}, [], "no axis 'x'"), ({}, ["m"], "no kernel 'm'")):
            with self.assertRaisesRegex(UserError, message):
                self.load().select(where, kernels)

    def test_the_best_of_equal_points_is_the_one_nearest_to_the_baseline(self):
        self.write_sweep(AXIS, [("k", (depth,), completed(50)) for depth in (1, 3, 8)])
        found = self.load()
        self.assertEqual(tables.best_per_kernel(found)[0]["ibuffer.depth"], 3)
        self.assertEqual(tables.best_overall(found)["ibuffer.depth"], 3)

    def test_a_slight_gain_is_no_better_than_the_baseline(self):
        self.write_sweep(
            AXIS, [("k", (depth,), completed(cycles)) for depth, cycles in ((1, 9995), (3, 10000), (8, 9994))]
        )
        self.assertEqual(tables.best_per_kernel(self.load())[0]["ibuffer.depth"], 3)

    def test_the_best_configuration_has_the_smallest_geometric_mean_over_kernels(self):
        # Geometric means 100, 90 and 80; the last one did not complete for l.
        cycles = {"k": (10, 9, 1), "l": (1000, 900, None)}
        points = [
            (kernel, (depth,), completed(value) if value else failed("timeout", ""))
            for kernel, values in cycles.items()
            for depth, value in zip(AXIS["ibuffer.depth"], values)
        ]
        self.write_sweep(AXIS, points)
        best = tables.best_overall(self.load())
        self.assertEqual(best["ibuffer.depth"], 3)
        self.assertAlmostEqual(best["value:cycles"], 90)


if __name__ == "__main__":
    unittest.main()

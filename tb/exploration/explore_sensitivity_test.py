"""Sensitivity and Pareto fronts agree with figures computed by hand."""

import math
import unittest

from explore_support import ExploreTest, completed, failed

from smsim import pareto, ranking_plots, sensitivity

GRID = {"a": [0, 1], "b": [0, 1]}


def grid_of(function):
    """The points of GRID with the cycles returned by the function."""
    return [("k", (a, b), completed(function(a, b))) for a in GRID["a"] for b in GRID["b"]]


class Sensitivity(ExploreTest):
    def effects(self, axes, points, metric="cycles"):
        self.write_sweep(axes, points)
        return {effect.axis: effect for effect in sensitivity.effects(self.load(), metric)}

    def test_axes_that_add_share_the_variance_without_interaction(self):
        # 10, 12, 14, 16: variance 5, of which a explains 4 and b 1.
        found = self.effects(GRID, grid_of(lambda a, b: 10 + 4 * a + 2 * b))
        self.assertAlmostEqual(found["a"].main, 0.8)
        self.assertAlmostEqual(found["a"].total, 0.8)
        self.assertAlmostEqual(found["b"].main, 0.2)
        self.assertAlmostEqual(found["b"].interaction, 0)

    def test_interaction_is_what_the_total_share_has_beyond_the_main_one(self):
        # 10, 10, 10, 20: variance 75/4; means over an axis 10 and 15: 25/4; along an axis 0 and 25, on average 25/2.
        found = self.effects(GRID, grid_of(lambda a, b: 10 + 10 * a * b))
        for axis in "ab":
            self.assertAlmostEqual(found[axis].main, 1 / 3)
            self.assertAlmostEqual(found[axis].total, 2 / 3)
            self.assertAlmostEqual(found[axis].interaction, 1 / 3)

    def test_swing_is_the_range_at_the_baseline_and_average_that_of_all_else_fixed(self):
        self.write_sweep(GRID, grid_of(lambda a, b: 10 + 4 * a + 2 * b))
        for fixed, middle in (("0", 12), ("1", 14)):
            results = self.load()
            results.set_baseline({"b": fixed})
            effect = sensitivity.effects(results, "cycles")[0]
            self.assertAlmostEqual(effect.swing, 100 * 4 / middle)
            self.assertAlmostEqual(effect.average, 100 * (4 / 12 + 4 / 14) / 2)
            self.assertEqual(effect.groups, 2)

    def test_where_the_baseline_did_not_complete_there_is_no_swing(self):
        points = grid_of(lambda a, b: 10 + 4 * a + 2 * b)
        points[0] = (*points[0][:2], failed("crashed", "signal 11"))
        effect = self.effects(GRID, points)["a"]
        self.assertIsNone(effect.swing)
        self.assertAlmostEqual(effect.average, 100 * 4 / 14)
        self.assertIn("no two points at the baseline differ", effect.note)

    def test_a_slight_difference_makes_no_value_best(self):
        effect = self.effects({"a": [0, 1]}, [("k", (0,), completed(100000)), ("k", (1,), completed(99950))])["a"]
        self.assertEqual((effect.best, effect.worst, effect.loss), (None, None, None))

    def test_a_difference_that_is_not_slight_makes_one_best(self):
        effect = self.effects({"a": [0, 1]}, [("k", (0,), completed(100000)), ("k", (1,), completed(99800))])["a"]
        self.assertEqual((effect.best, effect.worst), ("1", "0"))

    def test_best_and_worst_value_follow_the_direction_of_the_metric(self):
        self.write_sweep(GRID, grid_of(lambda a, b: 10 + 4 * a + 2 * b))
        for metric, best, worst in (("cycles", "0", "1"), ("ipc", "0", "1"), ("speedup", "0", "1")):
            effect = sensitivity.effects(self.load(), metric)[0]
            self.assertEqual((effect.best, effect.worst), (best, worst), metric)
        effect = sensitivity.effects(self.load(), "cycles")[0]
        least, most = (10 / 12 + 12 / 14) / 2, (14 / 12 + 16 / 14) / 2
        self.assertAlmostEqual(effect.loss, 100 * (most / least - 1))

    def test_an_axis_without_effect_has_no_best_value(self):
        effect = self.effects(GRID, grid_of(lambda a, b: 10 + 2 * b))["a"]
        self.assertEqual((effect.swing, effect.main, effect.total), (0, 0, 0))
        self.assertIsNone(effect.best)

    def test_shares_of_a_metric_that_nowhere_differs_are_undefined(self):
        effect = self.effects(GRID, grid_of(lambda a, b: 10))["a"]
        self.assertEqual(effect.swing, 0)
        self.assertIsNone(effect.main)
        self.assertIn("the same at all points", effect.note)

    def test_shares_of_an_incomplete_grid_are_of_its_complete_part(self):
        axes = {"a": [0, 1, 2], "b": [0, 1]}
        points = [("k", (a, b), completed(10 + 4 * a + 2 * b)) for a in (0, 1, 2) for b in (0, 1)]
        points[-1] = ("k", (2, 1), failed("crashed", "signal 11"))
        effect = self.effects(axes, points)["a"]
        self.assertAlmostEqual(effect.main, 0.8)
        self.assertIn("main and total of 4 of 5 points", effect.note)
        # The range covers all available points: 10, 14, 18 and 12, 16.
        self.assertAlmostEqual(effect.average, 100 * (8 / 14 + 4 / 14) / 2)
        # The best value is chosen only among points that have all three values.
        self.assertEqual((effect.best, effect.worst), ("0", "2"))

    def test_points_that_differ_in_several_axes_at_once_define_nothing(self):
        points = [("k", (0, 0), completed(10)), ("k", (1, 1), completed(20))]
        effect = self.effects(GRID, points)["a"]
        self.assertEqual(
            (effect.swing, effect.average, effect.main, effect.total, effect.best), (None, None, None, None, None)
        )
        self.assertIn("no two points differ in this axis alone", effect.note)

    def test_an_axis_fixed_to_complete_the_grid_is_named(self):
        points = [("k", (0, 0), completed(10)), ("k", (1, 0), completed(14)), ("k", (0, 1), completed(12))]
        found = self.effects(GRID, points)
        self.assertIsNone(found["a"].main)
        self.assertEqual(found["b"].main, 1)
        self.assertIn("2 of 3 points, a complete grid, a=0", found["b"].note)

    def test_where_no_axis_varies_nothing_has_an_effect(self):
        for name, axes, values in (("one", {}, ()), ("two", {"a": [1, 3]}, (3,))):
            self.write_sweep(axes, [("k", values, completed(100))], name=name)
            self.assertEqual(sensitivity.effects(self.load(name), "cycles"), [])
            told, _ = self.explore(self.file, "--sweep", name, "--sensitivity")
            self.assertTrue(told.endswith("sensitivity of cycles\nno axis has two values\n"), told)
            self.explore(self.file, "--sweep", name, "--html", self.folder / "page.html")

    def test_axes_are_ranked_by_mean_swing_over_the_kernels(self):
        points = grid_of(lambda a, b: 100 + a) + [("l", (a, b), completed(100 + 9 * b)) for a in (0, 1) for b in (0, 1)]
        self.write_sweep(GRID, points)
        effects = sensitivity.effects(self.load(), "cycles")
        self.assertEqual([axis for axis, _ in sensitivity.ranking(effects)], ["b", "a"])
        self.assertEqual(len(effects), 4)


class Pareto(ExploreTest):
    def test_front_has_the_points_that_none_beats_in_both(self):
        points = [(1, 9), (2, 5), (3, 6), (4, 1), (5, 1), (2, 5)]
        self.assertEqual(pareto.front(points, ("lower", "lower")), [0, 1, 5, 3])

    def test_directions_turn_the_front(self):
        points = [(1, 1), (2, 3), (3, 2), (0, 9)]
        self.assertEqual(pareto.front(points, ("higher", "higher")), [2, 1, 3])
        self.assertEqual(pareto.front(points, ("lower", "higher")), [3])

    def test_points_without_a_figure_are_on_no_front(self):
        self.assertEqual(pareto.front([(math.nan, 0), (1, None), (2, 2)], ("lower", "lower")), [2])

    def test_cost_may_be_a_key_of_the_configuration(self):
        def point(banks, cycles):
            return ("k", (banks,), completed(cycles, {"sm": {"clock_ghz": 2.0}, "shared": {"banks": banks}}))

        self.write_sweep({"banks": [8, 16, 32]}, [point(8, 90), point(16, 50), point(32, 50)])
        results = self.load()
        table, front, better = pareto.of_results(results, pareto.parse("cycles,shared.banks"))
        self.assertEqual([int(table.iloc[index]["banks"]) for index in front], [16, 8])
        self.assertEqual(better, ["lower", "lower"])
        # 8, 16, 32 are factors, and are evenly spaced on a logarithmic scale.
        drawn = ranking_plots.pareto_plot(results, pareto.parse("cycles,shared.banks")).axes[0]
        self.assertEqual((drawn.get_xscale(), drawn.get_yscale()), ("linear", "log"))

    def test_figures_of_several_kernels_are_their_geometric_mean(self):
        points = [("k", (0,), completed(10)), ("l", (0,), completed(1000)), ("k", (1,), completed(20))]
        self.write_sweep({"a": [0, 1]}, points + [("l", (1,), failed("timeout", ""))])
        table, front, _ = pareto.of_results(self.load(), pareto.parse("cycles,ipc"))
        # The configuration a=1 did not complete for every kernel.
        self.assertEqual(len(table), 1)
        self.assertAlmostEqual(table.iloc[0]["value:cycles"], 100)
        self.assertEqual(front, [0])

    def test_a_front_needs_two_different_names_and_known_directions(self):
        self.assertEqual(pareto.parse("a:higher, b"), [("a", "higher"), ("b", None)])
        for wrong in ("cycles", "cycles,cycles", "a:up,b", "a,b,c"):
            with self.assertRaises(ValueError):
                pareto.parse(wrong)


if __name__ == "__main__":
    unittest.main()

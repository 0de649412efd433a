"""The points of a sweep: their order, and the expressions that exclude some. No part of an expression is executed as code."""

import sweep_support
from smsim import document, points, specification, values
from smsim.constraints import Constraint
from smsim.errors import UserError
from smsim.idle_axes import IdleAxes

SCHEMA = {name: {"type": "unsigned"} for name in ("a.x", "a.y", "global.latency")} | {
    "a.policy": {"type": "name", "values": ["old", "young"]}
}
BASE = {"a.x": 1, "a.y": 2, "global.latency": 250, "a.policy": "old"}


class Points(sweep_support.SweepTest):
    def expand(self, text):
        path = self.write("sweep.yaml", "name: s\nkernels: [first: launch.yaml, second: launch.yaml]\n" + text)
        return points.expand(specification.read(path, SCHEMA), BASE)

    def test_every_kernel_meets_every_combination_and_the_last_axis_changes_fastest(self):
        found = self.expand("set: {global.latency: 9}\naxes:\n  - a.x: [1, 2]\n  - a.policy: [old, young]\n")
        self.assertEqual([point.number for point in found], list(range(8)))
        self.assertEqual([point.kernel.name for point in found], ["first"] * 4 + ["second"] * 4)
        self.assertEqual(found[1].values, {"a.x": 1, "a.policy": "young"})
        self.assertEqual(found[1].settings, ("global.latency=9", "a.x=1", "a.policy=young"))

    def test_a_sweep_without_axes_has_one_point_for_each_kernel(self):
        self.assertEqual([point.values for point in self.expand("")], [{}, {}])

    def test_around_the_baseline_one_axis_differs_at_most(self):
        text = "set: {a.y: 2}\naxes:\n  - a.x: [3, 1, 2]\n  - global.latency: [9, 250]\n  - a.policy: [young, old]\n"
        path = self.write("sweep.yaml", "name: s\nkernels: [launch.yaml]\n" + text)
        found = points.expand(specification.read(path, SCHEMA), BASE, around=True)
        self.assertEqual(
            [tuple(point.values.values()) for point in found],
            [(3, 250, "old"), (1, 9, "old"), (1, 250, "young"), (1, 250, "old"), (2, 250, "old")],
        )
        everything = [point.settings for point in points.expand(specification.read(path, SCHEMA), BASE)]
        places = [everything.index(point.settings) for point in found]
        self.assertEqual(places, sorted(places))

    def test_a_baseline_is_chosen_axis_by_axis(self):
        axes = "axes:\n  - a.x: [3, 1, 2]\n  - launch.block: [32, 64]\n  - a.policy: [young, old]\n"
        for baseline, expected in (
            ("", {}),
            ("baseline: {a.x: 2}\n", {"a.x": 2, "launch.block": 32, "a.policy": "old"}),
            ("baseline: {launch.block: 0x40, a.policy: young}\n", {"a.x": 1, "launch.block": 64, "a.policy": "young"}),
        ):
            path = self.write("sweep.yaml", "name: s\nkernels: [launch.yaml]\n" + axes + baseline)
            sweep = specification.read(path, SCHEMA)
            self.assertEqual(points.chosen_baseline(sweep, BASE), expected)
        around = [tuple(point.values.values()) for point in points.expand(sweep, BASE, around=True)]
        self.assertEqual(
            around,
            [(3, 64, "young"), (1, 32, "young"), (1, 64, "young"), (1, 64, "old"), (2, 64, "young")],
        )
        other = specification.with_baseline(sweep, {"launch.block": "32"}, SCHEMA)
        self.assertEqual(points.chosen_baseline(other, BASE), {"a.x": 1, "launch.block": 32, "a.policy": "young"})

    def test_a_baseline_that_is_no_point_is_refused(self):
        path = self.folder / "sweep.yaml"
        axes = "axes:\n  - a.x: [1, 2]\n  - a.y: [2, 3]\n"
        for baseline, message in (
            ("{a.z: 1}", "6: the sweep has no axis 'a.z'; did you mean 'a.y'?; it has a.x, a.y"),
            ("{a.x: 3}", "6: axis a.x has no value '3'; it has 1, 2"),
            ("{a.x: true}", "6: axis a.x has no value 'true'; it has 1, 2"),
            ("[a.x]", "6: baseline must be a mapping of names to values"),
        ):
            with self.subTest(baseline), self.assertRaises(UserError) as caught:
                self.expand(f"{axes}baseline: {baseline}\n")
            self.assertEqual(str(caught.exception), f"{path}:{message}")
        for around in (False, True):
            text = f"name: s\nkernels: [launch.yaml]\n{axes}baseline: {{a.x: 2}}\nconstraints: [a.x + a.y != 4]\n"
            with self.assertRaises(UserError) as caught:
                points.expand(specification.read(self.write("sweep.yaml", text), SCHEMA), BASE, around)
            message = "6: the baseline is no point, the constraints exclude it: a.x=2 a.y=2"
            self.assertEqual(str(caught.exception), f"{path}:{message}")
        sweep = specification.read(self.write("sweep.yaml", f"name: s\nkernels: [launch.yaml]\n{axes}"), SCHEMA)
        for pairs, message in (
            ({"b": "1"}, "--baseline b=1: the sweep has no axis 'b'; it has a.x, a.y"),
            ({"a.y": "4"}, "--baseline a.y=4: axis a.y has no value '4'; it has 2, 3"),
        ):
            with self.assertRaises(UserError) as caught:
                specification.with_baseline(sweep, pairs, SCHEMA)
            self.assertEqual(str(caught.exception), message)

    def test_constraints_see_axes_settings_defaults_and_the_kernel(self):
        axes = "axes:\n  - a.x: [1, 2, 3]\n  - zip: {name: pair, a.y: [5, 6], global.latency: [1, 2]}\n"
        for constraint, count in (
            ("a.x >= 2", 8),
            ("pair == 5 and a.y == 5", 6),
            ("global.latency > 1", 6),
            ("a.policy == 'old'", 12),
            ("kernel == 'first' or a.x == 1", 8),
            ("a.x in (1, 3) and not pair == 6", 4),
            ("a.x * 2 + 1 == 5", 4),
            ("1 < a.x < 3", 4),
        ):
            with self.subTest(constraint):
                self.assertEqual(len(self.expand(f'{axes}constraints: ["{constraint}"]\n')), count)

    def test_constraints_see_keys_of_the_launch_file_wherever_they_have_their_value(self):
        axes = (
            "set: {launch.grid: 4}\naxes:\n  - launch.block: [64, 128]\n  - launch.compile.define.TILE: [8, 16]\n"
            "  - zip: {name: pair, launch.arguments.0.value: [1, 2], launch.arguments.a-b.value: [5, 9]}\n"
        )
        for constraint, count in (
            ("launch.block * launch.grid <= 256", 8),
            ("launch.block % launch.compile.define.TILE == 0 and launch.compile.define.TILE > 8", 8),
            ("launch.arguments.0.value == 1", 8),
            ("launch.arguments.a-b.value-4 == 5", 8),
            ("launch.block == 64 or pair == 2", 12),
        ):
            with self.subTest(constraint):
                self.assertEqual(len(self.expand(f'{axes}constraints: ["{constraint}"]\n')), count)
        with self.assertRaisesRegex(UserError, "unknown key 'launch.blok'; did you mean 'launch.block'?"):
            self.expand(f"{axes}constraints: [launch.blok == 64]\n")

    def test_numbers_keep_their_order_when_points_are_excluded(self):
        found = self.expand("axes:\n  - a.x: [1, 2, 3]\nconstraints: [a.x != 2]\n")
        self.assertEqual([(point.number, point.values["a.x"]) for point in found], [(0, 1), (1, 3), (2, 1), (3, 3)])

    def test_constraints_that_exclude_everything_are_refused(self):
        with self.assertRaisesRegex(UserError, "the constraints exclude every point"):
            self.expand("constraints: [a.x == 7]\n")

    def test_expressions_are_not_executed(self):
        for text in (
            "__import__('os')",
            "a.x.__class__",
            "(lambda: 1)()",
            "[a.x for b in (1,)]",
            "a.x ** 9",
            "a.x[0]",
            "f''",
        ):
            with self.subTest(text), self.assertRaises(UserError):
                _, part = document.read(self.write("expression.yaml", f'"{text}"'))
                Constraint(part, {"a.x"})

    def test_an_expression_that_cannot_be_computed_is_refused_with_its_place(self):
        for text in ("a.x < 'old'", "1 / (a.x - 1) > 0"):
            with self.assertRaisesRegex(UserError, "sweep.yaml:3: .* cannot be computed"):
                self.expand(f'constraints: ["{text}"]\n')

    def test_only_numbers_are_multiplied_divided_and_subtracted(self):
        for text, found in (
            ("'a' * 3 == 'aaa'", "'a'"),
            ("3 * a.policy == 1", "'old'"),
            ("[1] * 3 == 1", "[1]"),
            ("'%9d' % 3 == 1", "'%9d'"),
        ):
            with self.assertRaises(UserError) as caught:
                self.expand(f'constraints: ["{text}"]\n')
            place = f"{self.folder / 'sweep.yaml'}:3: "
            self.assertEqual(str(caught.exception), f"{place}'{text}' cannot be computed: {found} is no number")
        self.assertEqual(len(self.expand("constraints: [a.policy + 'er' == 'older']\n")), 2)

    def test_integers_have_a_size(self):
        large = "9" * 1200
        self.assertEqual(len(self.expand(f"constraints: [{large} > a.x]\n")), 2)
        for text, message in (
            (f"{large} * {large} > a.x", "cannot be computed: an integer may have 4096 bits"),
            (f"0x{'f' * 1025} > a.x", ": an integer may have 4096 bits"),
        ):
            with self.assertRaisesRegex(UserError, f"sweep.yaml:3: .*{message}$"):
                self.expand(f"constraints: [{text}]\n")

    def test_expressions_have_a_depth(self):
        for operation in ("not ", "- ", "1 + "):
            self.assertEqual(len(self.expand(f"constraints: ['{operation * 198}1']\n")), 2)
            for depth in (201, 990):
                with self.assertRaisesRegex(UserError, "sweep.yaml:3: .*…': at most 200 nested operations are allowed$"):
                    self.expand(f"constraints: ['{operation * depth}1']\n")


class Idle(sweep_support.SweepTest):
    """A key on an axis needs an effect in some point."""

    NEEDS = {
        "a.y": {"type": "unsigned", "needs": [[{"key": "a.x", "is_not": 0}]]},
        "global.latency": {
            "type": "unsigned",
            "needs": [[{"key": "a.policy", "is": "old"}, {"key": "a.x", "is": 7}], [{"key": "a.y", "is_not": 2}]],
        },
    }

    def checked(self, axes):
        path = self.write("sweep.yaml", "name: s\nkernels: [launch.yaml]\naxes:\n" + axes)
        schema = SCHEMA | self.NEEDS
        sweep = specification.read(path, schema)
        idle = IdleAxes("sweep.yaml", sweep.axes, schema)
        for point in points.expand(sweep, BASE):
            pairs = (setting.split("=") for setting in point.settings)
            idle.see(point.settings, BASE | {key: values.scalar(text) for key, text in pairs})
        idle.check()

    def test_it_may_be_without_effect_in_others(self):
        self.checked("  - a.x: [0, 1]\n  - a.y: [3, 4]\n")
        self.checked("  - a.policy: [old, young]\n  - a.y: [2, 3]\n  - global.latency: [1, 2]\n")

    def test_every_need_has_an_alternative_that_holds(self):
        self.checked("  - zip: {name: z, a.policy: [young], a.x: [7], a.y: [3], global.latency: [1]}\n")
        for axes, message in (
            ("  - a.x: [0]\n  - a.y: [3, 4]\n", "axis 'a.y': a.y has no effect with a.x: 0, as in all points"),
            (
                "  - zip: {name: z, a.policy: [young], a.y: [3], global.latency: [1]}\n",
                "axis 'z': global.latency has no effect with a.policy: young and a.x: 1, as in all points",
            ),
            ("  - global.latency: [1, 2]\n", "axis 'global.latency': global.latency has no effect with a.y: 2, as in all points"),
        ):
            with self.assertRaises(UserError) as caught:
                self.checked(axes)
            self.assertEqual(str(caught.exception), f"sweep.yaml: {message}")

    def test_the_model_says_what_a_key_needs(self):
        self.write("sweep.yaml", "name: s\nkernels: [launch.yaml]\naxes: [l2.miss_latency: [100, 200]]\n")
        for options in (("--dry-run",), ()):
            printed = self.sweep(*options, status=2)
            self.assertIn("axis 'l2.miss_latency': l2.miss_latency has no effect with l2.bytes: 0, as in all points", printed)
        self.assertFalse(self.file.exists())
        self.write("sweep.yaml", "name: s\nkernels: [launch.yaml]\nset: {l2.bytes: 1M}\naxes: [l2.miss_latency: [100, 200]]\n")
        self.assertIn("2 to run", self.sweep("--dry-run", status=0))


if __name__ == "__main__":
    sweep_support.main()

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

"""The sweeps of configs/sweeps are valid: every key is known, every constraint leaves points, and each states its
question."""

import unittest

import sweep_support
from smsim import points, specification
from smsim.places import ROOT
from smsim.simulator import Simulator

FILES = sorted((ROOT / "configs/sweeps").glob("*.yaml"))


class Ready(unittest.TestCase):
    def test_each_is_valid_and_begins_with_its_question(self):
        simulator = Simulator(sweep_support.SMSIM)
        self.assertTrue(FILES)
        for file in FILES:
            with self.subTest(file.name):
                sweep = specification.read(file, simulator.schema)
                self.assertEqual(sweep.name, file.stem)
                self.assertTrue(sweep.description)
                question = sweep.text.split("name:", 1)[0]
                self.assertTrue(question.startswith("# ") and "?" in question)
                found = points.expand(sweep, simulator.effective(sweep.config, ()))
                for settings in {point.settings for point in found}:
                    simulator.effective(sweep.config, settings)  # raises if the model rejects it

    def test_the_review_has_at_least_200_points_over_five_kernels(self):
        simulator = Simulator(sweep_support.SMSIM)
        sweep = specification.read(ROOT / "configs/sweeps/review.yaml", simulator.schema)
        self.assertEqual(len(sweep.kernels), 5)
        self.assertGreaterEqual(len(points.expand(sweep, simulator.effective(None, ()))), 200)


if __name__ == "__main__":
    sweep_support.main()

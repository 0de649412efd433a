"""The sweeps of configs/sweeps are valid: every key is known, every constraint leaves points, and each states its
question."""

import json
import shutil
import subprocess
import sys
import unittest
import zlib

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


class LaunchParameters(sweep_support.SweepTest):
    """The sweep over block, argument and machine, in a copy whose kernel waits at the gate."""

    def test_it_goes_on_after_a_kill_and_gives_the_table_of_the_document(self):
        shutil.copytree(ROOT / "kernels/compiled/cuda_reduction", self.folder / "gated")
        text = (ROOT / "configs/sweeps/launch_parameters.yaml").read_text(encoding="utf-8")
        kernel = "  - ../../kernels/compiled/cuda_reduction/launch.yaml\n"
        self.assertIn(kernel, text)
        self.write("sweep.yaml", text.replace(kernel, "  - cuda_reduction: gated/launch.yaml\n"))
        self.kill_at_the_gate()
        self.go_on_through_the_gate(14)
        document = (ROOT / "docs/explore.md").read_text(encoding="utf-8")
        shown = document.split("$ scripts/explore out/sweeps/launch_parameters.sqlite ", 1)[1].split("```", 1)[0]
        options, table = shown.split("\n", 1)
        command = [sys.executable, ROOT / "scripts/explore", self.file, *options.split()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if "has no module" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.stdout, table)


class Questions(sweep_support.SweepTest):
    def test_the_answers_are_those_of_the_document(self):
        self.write("sweep.yaml", "")  # replaced by the ready sweep
        arguments = [*self.arguments()]
        arguments[2] = str(ROOT / "configs/sweeps/questions.yaml")
        done = subprocess.run(arguments, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)  # one stack is too small
        found = {}
        query = 'SELECT kernel, "values", report, message FROM point JOIN result USING (key) ORDER BY number'
        for kernel, values, report, message in self.rows(query):
            answer = message.split(":")[0] if message else str(json.loads(zlib.decompress(report))["cycles"])
            found.setdefault(json.loads(values)["question"], []).append(f"{kernel} {answer}")
        kernels = [entry.split()[0] for entry in found["baseline"]]
        text = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
        section = text.split("## Questions of a study", 1)[1].split("## ", 1)[0]
        shown = {}
        for line in section.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if cells[0] in found:
                shown[cells[0]] = [f"{kernel} {cell}" for kernel, cell in zip(kernels, cells[1:], strict=True)]
        self.assertEqual(shown, found)


if __name__ == "__main__":
    sweep_support.main()

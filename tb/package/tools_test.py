"""The installed programs find what is installed with them, wherever they are started: a sweep, its analysis, the page
of a run."""

import shlex
import unittest

from package_support import KERNELS, PREFIX, SHARE, PackageTest

LAUNCH = KERNELS / "memory/vector_add/launch.yaml"


def missing(*modules):
    """The first of the modules that the system's Python lacks."""
    for module in modules:
        try:
            __import__(module)
        except ImportError:
            return module
    return None


class Report(PackageTest):
    def test_a_run_and_its_page(self):
        self.run_program("smsim", "run", "--report", "none", "-o", "run", LAUNCH)
        self.run_program("smsim", "report", "run")
        page = (self.folder / "run/report.html").read_text(encoding="utf-8")
        for part in ("https://d3js.org", "long_scoreboard", str(LAUNCH)):
            self.assertIn(part, page)


@unittest.skipIf(missing("distributed", "yaml"), "python3-distributed is not installed")
class Sweep(PackageTest):
    def setUp(self):
        super().setUp()
        text = f"name: tiny\nkernels: [{LAUNCH}]\naxes:\n  - bru.branch_latency: [1, 2]\n"
        (self.folder / "sweep.yaml").write_text(text, encoding="utf-8")
        self.elsewhere = self.folder / "elsewhere"
        self.elsewhere.mkdir()

    def test_a_sweep_runs_below_the_current_folder_and_its_results_count_everywhere(self):
        printed = self.run_program("smsim-sweep", "sweep.yaml", "--workers", "1")
        self.assertEqual(printed, "sweep tiny: 2 points: 2 completed; out/sweeps/tiny.sqlite\n")
        arguments = [self.folder / "sweep.yaml", "--output", self.folder / "out/sweeps/tiny.sqlite", "--dry-run"]
        printed = self.run_program("smsim-sweep", *arguments, folder=self.elsewhere)
        self.assertEqual(printed, "2 points, 2 with a result, 0 to run (0 different)\n")
        if not missing("pandas", "matplotlib", "jinja2"):
            table = self.run_program("smsim-explore", "out/sweeps/tiny.sqlite")
            self.assertIn("tiny: 2 points, 2 completed", table)
            self.assertIn("baseline: bru.branch_latency=2", table)
            self.run_program("smsim-explore", "out/sweeps/tiny.sqlite", "--html", "page.html")
            self.assertIn("bru.branch_latency", (self.folder / "page.html").read_text(encoding="utf-8"))

    def test_the_command_of_a_point_runs_anywhere(self):
        command = shlex.split(self.run_program("smsim-sweep", "sweep.yaml", "--command", "1"))
        self.assertEqual((command[0], command[-1]), (str(PREFIX / "bin/smsim"), str(LAUNCH)))
        self.run_program(*command, folder=self.elsewhere)
        self.assertTrue((self.elsewhere / "out/points/tiny/1/report.json").is_file())

    def test_the_ready_sweeps_find_their_kernels(self):
        sweeps = sorted((SHARE / "smsim/configs/sweeps").glob("*.yaml"))
        self.assertTrue(sweeps)
        for sweep in sweeps:
            self.assertTrue(self.run_program("smsim-sweep", sweep, "--list"), sweep)


if __name__ == "__main__":
    unittest.main(verbosity=2)

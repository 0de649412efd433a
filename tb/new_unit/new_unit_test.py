#!/usr/bin/env python3
"""The execution unit of docs/replacing-a-part.md: its change applies to this tree, touches at most eight files, and works.

`new_unit_test.py applies`: whether the change applies. `new_unit_test.py works CMAKE COMPILER`: applies it to a copy of the tree,
builds the program there and runs probe.sasm.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent
PAGE = ROOT / "docs/replacing-a-part.md"
LEFT_OUT = ("build", ".git")
MOST_FILES = 8
tools: list = []


def change():
    """The change that the page shows."""
    return re.search(r"^```diff\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]


def files():
    return re.findall(r"^\+\+\+ b/(.*)$", change(), re.MULTILINE)


def apply_to(folder):
    return subprocess.run(["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch"], input=change(), cwd=folder, capture_output=True, text=True, check=False)


if shutil.which("patch") is None:
    print("new_unit: patch is not installed (Debian package patch)")
    sys.exit(77)


class Applies(unittest.TestCase):
    def test_at_most_eight_files(self):
        self.assertLessEqual(len(files()), MOST_FILES)

    def test_it_applies_to_the_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in files():
                (pathlib.Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, pathlib.Path(folder) / name)
            done = apply_to(folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Works(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        tree = pathlib.Path(cls.folder.name) / "tree"
        shutil.copytree(ROOT, tree, symlinks=True, ignore=lambda at, names: [n for n in names if n in LEFT_OUT and pathlib.Path(at) == ROOT])
        done = apply_to(tree)
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)
        cmake, compiler = tools
        build = tree / "build"
        jobs = str(len(os.sched_getaffinity(0)))
        for command in ([cmake, "-S", tree, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_COMPILER={compiler}",
                         "-DSMSIM_TESTS=OFF", "-DSMSIM_RTL=OFF", "-DSMSIM_ACROSS_FILES=none"],
                        [cmake, "--build", build, "--target", "smsim_program", "-j", jobs]):
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(done.stdout[-4000:] + done.stderr)
        cls.program = build / "smsim"

    def run_with(self, *settings, what_if=False):
        """The report of a run; with `what_if` the reliefs that were tried."""
        with tempfile.TemporaryDirectory() as output:
            command = [self.program, "run", HERE / "launch.yaml", "-o", output, "--report", "none"]
            for setting in settings:
                command += ["--set", setting]
            if what_if:
                command.append("--what-if")
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return json.loads((pathlib.Path(output) / ("what_if.json" if what_if else "report.json")).read_text(encoding="utf-8"))

    @staticmethod
    def use_of(report):
        return next(use for use in report["utilisation"] if use["unit"] == "probe")

    def test_latency_and_interval_count(self):
        base = self.run_with()["cycles"]
        self.assertEqual(self.run_with("pipes.probe.latency=60")["cycles"], base + 40)
        # The fourth PROBE of a warp is issued three intervals after the first.
        self.assertEqual(self.run_with("pipes.probe.interval=10")["cycles"], base + 3 * 6)

    def test_the_report_has_its_rows(self):
        report = self.run_with()
        self.assertEqual(self.use_of(report)["busy"], 4 * 4 * 4)  # warps, instructions, cycles of the pipe
        self.assertEqual(report["stalls"]["math_pipe_throttle"], 4 * 3 * 3)

    def test_the_relief_is_tried(self):
        tried = [relief["relief"] for relief in self.run_with("pipes.probe.interval=100", what_if=True)["reliefs"]]
        self.assertIn("probe", tried)

    def test_sub_partitions_share_it_through_queues(self):
        shared = self.run_with("pipes.probe_per_sm=true")
        self.assertEqual(len(self.use_of(shared)["by_instance"]), 1)
        self.assertGreater(shared["cycles"], self.run_with()["cycles"])
        self.assertGreaterEqual(self.run_with("pipes.probe_per_sm=true", "pipes.probe_queue=1")["cycles"], shared["cycles"])


if __name__ == "__main__":
    chosen = {"applies": Applies, "works": Works}[sys.argv[1]]
    tools = sys.argv[2:]
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(chosen)).wasSuccessful())

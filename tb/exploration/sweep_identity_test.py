"""Keys of results: a key changes with everything that determines a report, and with nothing else."""

import os
import shutil
import subprocess
from pathlib import Path

import sweep_support
from smsim.identity import Identity, files_of, has_dumps
from smsim.places import ROOT
from smsim.points import Point
from smsim.simulator import Simulator
from smsim.specification import Kernel


class Keys(sweep_support.SweepTest):
    def key(self, settings=(), config=None, simulator=None):
        point = Point(0, Kernel("k", self.folder / "launch.yaml"), {}, tuple(settings))
        Identity(simulator or Simulator(sweep_support.SMSIM), config).assign([point])
        self.refused = point.refused
        return point.key

    def assert_changes(self, name, text):
        """The content of a file is part of the key."""
        path = self.folder / name
        before, old = self.key(), path.read_bytes()
        path.write_text(text, encoding="utf-8")
        self.assertNotEqual(self.key(), before, name)
        path.write_bytes(old)
        self.assertEqual(self.key(), before, name)

    def test_program_launch_file_and_data_files_change_the_key(self):
        self.write("in.bin", "1234")
        self.write("expected.bin", "1234")
        more = (
            "arguments:\n  - {name: a, type: u8, init: {file: in.bin}}\ncheck:\n  - {buffer: a, file: expected.bin}\n"
        )
        self.write("launch.yaml", sweep_support.LAUNCH + more)
        self.assert_changes("kernel.sasm", ".kernel k\n EXIT;\n")
        self.assert_changes("launch.yaml", sweep_support.LAUNCH + more + "# the same launch\n")
        self.assert_changes("in.bin", "1235")
        self.assert_changes("expected.bin", "1235")

    def test_libraries_that_the_configuration_names_change_the_key(self):
        library = self.write("libpolicy.so", "1234")
        settings = (f"ibuffer.policy=library:{library}:4",)
        before = self.key(settings)
        self.assertEqual(self.refused, "")
        self.assertNotEqual(self.key((f"ibuffer.policy=library:{library}:5",)), before)
        self.write("libpolicy.so", "1235")
        self.assertNotEqual(self.key(settings), before)

    def test_files_of_all_steps_of_several_launches_change_the_key(self):
        for name in ("in.bin", "fill.bin", "expected.bin"):
            self.write(name, "1234")
        self.write("second.sasm", sweep_support.PROGRAM)
        self.write(
            "launch.yaml",
            "program: kernel.sasm\nbuffers:\n  - {name: a, type: u8, init: {file: in.bin}}\nsteps:\n"
            "  - launch: {grid: 1, block: 32}\n"
            "  - repeat:\n      times: 2\n      steps:\n        - launch: {program: second.sasm, grid: 1, block: 32}\n"
            "        - fill: {buffer: a, init: {file: fill.bin}}\n  - check: {buffer: a, file: expected.bin}\n"
            "dump:\n  - {buffer: a, file: written.bin}\n",
        )
        for name in ("kernel.sasm", "second.sasm"):
            self.assert_changes(name, ".kernel k\n EXIT;\n")
        for name in ("in.bin", "fill.bin", "expected.bin"):
            self.assert_changes(name, "1235")
        before = self.key()
        self.write("written.bin", "a run writes it")
        self.assertEqual(self.key(), before)

    def test_names_of_a_launch_file_are_text(self):
        self.write("in.bin", "1234")
        self.write("0x10", "1234")
        arguments = "arguments:\n  - {name: on, type: u8, init: zeros, count: 4}\n  - {name: 010, type: u8, init: {file: 0x10}}\n"
        launch = self.write("launch.yaml", sweep_support.LAUNCH + arguments)
        changes = ("arguments.on.init={file: in.bin}", "arguments.010.init={file: yes}")
        self.assertEqual(set(files_of(launch, sweep_support.SMSIM, changes)), {"", "kernel.sasm", "in.bin", "yes"})
        self.assertEqual(set(files_of(launch, sweep_support.SMSIM)), {"", "kernel.sasm", "0x10"})

    def test_headers_of_cuda_sources_change_the_key_also_through_others(self):
        self.write("launch.yaml", sweep_support.LAUNCH.replace(".sasm", ".cu"))
        self.write("kernel.cu", '#include "smsim_cuda.h"\n#include "own/first.h"\n')
        self.write("own/first.h", ' # include "second.h"\n')
        self.write("own/second.h", "int two;\n")
        self.assert_changes("own/first.h", '#include "second.h"\nint one;\n')
        self.assert_changes("own/second.h", "int three;\n")
        names = {Path(path).name for path in files_of(self.folder / "launch.yaml", sweep_support.SMSIM).values()}
        self.assertLessEqual({"smsim_cuda.h", "language.h", "first.h", "second.h", "kernel.cu", "launch.yaml"}, names)

    def test_the_effective_configuration_counts_however_it_is_spelled(self):
        plain = self.key()
        self.assertEqual(self.key(["ibuffer.depth=3"]), plain, "the default")
        changed = self.key(["ibuffer.depth=4", "bru.sync_latency=7"])
        self.assertNotEqual(changed, plain)
        self.assertEqual(self.key(["bru.sync_latency=0x7", "ibuffer.depth=4"]), changed)
        config = self.write("config.yaml", "bru: {sync_latency: 7}\nibuffer:\n  depth: 4\n")
        self.assertEqual(self.key(config=config), changed)

    def test_a_refused_configuration_has_a_key_and_the_message(self):
        key = self.key(["sm.sub_partitions=2"])
        self.assertIn("--set sm.sub_partitions=2: bru.pipelines (4) must not exceed", self.refused)
        self.assertNotEqual(self.key(["sm.sub_partitions=1"]), key)

    def test_another_model_changes_the_key(self):
        simulator = Simulator(sweep_support.SMSIM)
        self.assertRegex(simulator.version, r"^smsim \d+\.\d+\.\d+ \(model [0-9a-f]{12}\)$")
        before = self.key(simulator=simulator)
        simulator.version = simulator.version.replace("(model ", "(model 0")
        self.assertNotEqual(self.key(simulator=simulator), before)

    def test_a_launch_file_that_is_no_launch_file_still_has_a_key(self):
        for text in ("- a list\n", "[", "arguments: 3\nprogram: {}\n"):
            self.write("launch.yaml", text)
            self.key()
        self.assertFalse(has_dumps(self.folder / "launch.yaml"))

    def test_so_has_one_whose_values_cannot_be_taken(self):
        os.mkfifo(self.folder / "pipe")
        for text in (
            "[" * 1000 + "]" * 1000,
            "grid: 2026-13-45\n",
            "grid: 0x_\n",
            'grid: !!int ""\n',
            f"grid: {'9' * 5000}\n",
            f"program: 0x{'f' * 5000}\n",
            'program: "a\\0.cu"\n',
            'program: "\\uD800"\n',
            f"program: {'a' * 5000}.cu\n",
            "program: pipe\n",
            "a: &a {b: 1}\nc: {<<: *a}\n",
            "grid: \1\n",
        ):
            with self.subTest(text[:30]):
                self.write("launch.yaml", text)
                self.assertTrue(self.key())


class Fingerprint(sweep_support.SweepTest):
    """cmake/ModelFingerprint.cmake."""

    def source(self):
        script = ROOT / "cmake/ModelFingerprint.cmake"
        values = [f"-DROOT={self.folder}", f"-DLIST={self.folder}/list", f"-DOUTPUT={self.folder}/out.cpp"]
        subprocess.run(["cmake", *values, "-P", str(script)], check=True)
        return (self.folder / "out.cpp").read_text(encoding="utf-8")

    def test_it_follows_the_content_of_the_sources_and_the_file_stays_when_it_is_the_same(self):
        if shutil.which("cmake") is None:
            self.skipTest("no cmake")
        self.write("b.cpp", "int b;\n")
        self.write("a.h", "int a;\n")
        self.write("list", "b.cpp\na.h\n")
        first = self.source()
        self.assertRegex(first, r'return "[0-9a-f]{12}";')
        stamp = (self.folder / "out.cpp").stat().st_mtime_ns
        self.write("list", "a.h\nb.cpp\n")
        self.assertEqual(self.source(), first)
        self.assertEqual((self.folder / "out.cpp").stat().st_mtime_ns, stamp)
        self.write("b.cpp", "int b; // commented\n")
        self.assertNotEqual(self.source(), first)


if __name__ == "__main__":
    sweep_support.main()

#!/usr/bin/python3
"""Tests of scripts/measure-gpu and of the benchmarks' twins: a fake driver library replaces the GPU."""

import json
import os
import pathlib
import queue
import re
import shutil
import stat
import struct
import subprocess
import tempfile
import unittest
from unittest import mock

from test_start import ROOT  # first: it ends the test if packages are missing

import yaml
from correlation import points, validation
from measuring import gpu, pointfile
from silicon import probes
from silicon.device import catalogue, compilers, launches
from silicon.probes import kernel

SMSIM = os.environ.get("SMSIM_BINARY", ROOT / "build/release/smsim")
CC = shutil.which("cc") or shutil.which("clang")
CLANG = shutil.which(os.environ.get("CLANG", "clang"))
# One benchmark of each family, and of each kind of twin.
FAMILIES = ["latency.FFMA", "latency.EX2", "throughput.FFMA_LOP3.4", "registers.accumulators.4", "shared.loads.64.16", "l1.latency.64",
            "queue.issue.4.2", "queue.overwritten_address.store", "constants.load.1", "atomics.shared_add.8", "barriers.cta.4",
            "control.loop.8", "control.ways.4", "starts.ctas", "sleep.100.median", "code.cold.2", "chase.ca.4", "kernels.reduction.1024",
            "patterns.l1.32.stride.3", "sequences.s32_div", "operations.f32_div_rn", "doubles.fma.4.4", "sums.32", "matrix.latency.f16_k8_f32"]
# Short loops of one repeated instruction.
CHAINS = ["latency.FFMA", "latency.EX2", "latency.SHFL", "registers.accumulators.1", "shared.latency.32", "l1.latency.64"]
# A compiler that makes an empty binary from every source except those named in its environment.
NVCC = """#!/bin/sh
case "$*" in
*--version*) echo "Cuda compilation tools, release 12.8, V12.8.93" ;;
*--list-gpu-code*) echo "sm_75 sm_80 sm_90 sm_90a" ;;
*)
    for word; do
        case "$word" in */$REFUSED.cu) echo "$word(3): error: made up" >&2; exit 1 ;; esac
        [ "$last" = -o ] && echo binary > "$word"
        last="$word"
    done ;;
esac
"""


class Catalogue(unittest.TestCase):
    def test_the_group_of_a_benchmark_belongs_to_a_kind_or_to_none(self):
        known = validation.kinds()
        for benchmark in catalogue.BENCHMARKS.values():
            if not benchmark.without and benchmark.group not in validation.OF_NO_INSTRUCTION:
                self.assertEqual(sum(benchmark.group in kind["points"] for kind in known), 1, benchmark.name)

    def test_families_of_the_test_are_all(self):
        families = {name.split(".")[0] for name, benchmark in catalogue.BENCHMARKS.items() if not benchmark.without}
        self.assertEqual(families - {name.split(".")[0] for name in FAMILIES}, {"fences"})  # of the source of `barriers`

    @unittest.skipUnless(CLANG, "clang is not installed")
    def test_every_kernel_is_in_its_source(self):
        entries = {source: set(re.findall(r"\.entry (\w+)", compilers.ptx(source).read_text())) for source in compilers.SOURCES}
        for benchmark in catalogue.BENCHMARKS.values():
            for launch in benchmark.launches:
                self.assertIn(launch.kernel, entries[launch.source], benchmark.name)
                self.assertIn(launch.before or launch.kernel, entries[launch.source], benchmark.name)

    def test_lanes_of_a_pattern_stay_inside_their_buffers(self):
        for name, benchmark in catalogue.BENCHMARKS.items():
            if name.startswith("patterns."):
                launch = benchmark.launches[0]
                offsets = next(argument for argument in launch.arguments if argument["name"] == "offsets")["data"]
                farthest = max(struct.unpack("<32I", offsets)) + 896 + 16
                self.assertLessEqual(farthest, 4 * 32768 if ".l1." in name else 4 * 10240, name)

    def test_measured_files_are_of_the_benchmarks_and_have_a_probe_or_a_reason(self):
        files = sorted((ROOT / "tb/silicon/measured").glob("*.yaml"))
        self.assertNotEqual(files, [])
        for file in files:
            for point in points.read(probes.PROBES, [file]):
                self.assertIn(point.name.split(".", 1)[1], catalogue.BENCHMARKS)
                self.assertTrue(point.probe or point.reason, point.name)

    def test_a_ring_goes_through_each_line_once(self):
        data = launches.ring(4096)
        index, seen = 0, []
        for _ in range(32):
            index = int.from_bytes(data[4 * index:4 * index + 4], "little")
            seen.append(index)
        self.assertEqual(sorted(seen), list(range(0, 1024, 32)))

    def test_a_figure_is_of_the_first_begin_and_the_last_end(self):
        # Two warps, whose clock passes 2^32; section 1 takes 800 more cycles than section 0.
        clocks = [[(0xfffffff0, 80), (0, 90)], [(100, 950), (50, 900)]]
        outcome = kernel.Outcome(0, [clocks])
        self.assertEqual((outcome.widest(0), outcome.widest(1)), (106, 900))

    def test_starts_of_ctas_are_compared_within_an_sm(self):
        outcome = mock.Mock(clocks=[[[(100, 0)]], [[(5000, 1)]], [[(120, 0)]], [[(5040, 1)]], [[(9, 2)]], [[(9, 2)]]])
        self.assertEqual(catalogue.BENCHMARKS["starts.ctas"].figure([outcome]), 20)


class PointFile(unittest.TestCase):
    def test_the_spread_is_of_all_runs(self):
        self.assertEqual(pointfile.spread([float(number) for number in range(31)]),
                         {"median": 15, "p10": 3, "p90": 27, "min": 0, "max": 30, "runs": 31})

    def test_a_figure_that_cannot_be_compared_has_a_reason(self):
        benchmark = catalogue.BENCHMARKS["latency.FFMA"]
        self.assertEqual(pointfile.entry(benchmark, [0.0], True)["reason"], pointfile.NOTHING_LEFT)
        self.assertEqual(pointfile.entry(benchmark, [4.0], False)["reason"], pointfile.NO_CONFIGURATION)
        self.assertEqual(pointfile.entry(benchmark, [4.0], True)["probe"], "device")


    def test_a_file_of_an_earlier_run_is_kept(self):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "card.yaml"
            path.write_text("earlier")
            file = pointfile.File(path, {"card": "c", "compute_capability": "9.0"})
            for number in (1, 2):
                file.fail(f"benchmark {number}", "made up")
                file.write()
            self.assertEqual((path.parent / "card.yaml.old").read_text(), "earlier")
            self.assertEqual(yaml.safe_load(path.read_text())["failed"][1], {"name": "benchmark 2", "message": "made up"})


class Measuring(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if CC is None:
            raise unittest.SkipTest("no C compiler")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run([CC, "-shared", "-fPIC", "-o", cls.folder / "libcuda.so", ROOT / "tb/silicon/fake_cuda.c"], check=True)
        cls.nvcc = cls.folder / "nvcc"
        cls.nvcc.write_text(NVCC)
        cls.nvcc.chmod(cls.nvcc.stat().st_mode | stat.S_IXUSR)

    def measure(self, *arguments, status=0, nvcc=True, **environment):
        self.file = self.folder / "made_up.yaml"
        self.file.unlink(missing_ok=True)
        command = [ROOT / "scripts/measure-gpu", "-o", self.file, "--runs", "3", "--build-dir", self.folder / "build",
                   *(["--nvcc", self.nvcc] if nvcc else []), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env={**os.environ, "SMSIM_CUDA_LIBRARY": str(self.folder / "libcuda.so"), **environment})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def points(self):
        return {point["name"]: point for point in yaml.safe_load(self.file.read_text())["points"]}

    def few(self):
        return [word for name in FAMILIES for word in ("--only", name)]

    def test_what_is_measured_is_a_file_of_points(self):
        self.measure(*self.few())
        content = yaml.safe_load(self.file.read_text())
        self.assertEqual((content["device"], content["generation"]), ("Made-up GPU 0", "9.0"))
        conditions = content["conditions"]
        self.assertEqual({name: conditions[name] for name in ("compute_capability", "sms", "sm_clock_mhz", "sm_clock_limit_mhz", "cuda",
                                                              "nvcc", "architecture")},
                         {"compute_capability": "9.0", "sms": 3, "sm_clock_mhz": 2000, "sm_clock_limit_mhz": 1500, "cuda": "12.8",
                          "nvcc": "12.8.93", "architecture": "sm_90"})
        self.assertIn("date", conditions)
        self.assertIn("driver", conditions)
        self.assertLessEqual(set(FAMILIES), set(self.points()))
        # 48 steps, 16 rounds; section 1 takes 1000 to 1064 cycles more.
        found = self.points()["latency.FFMA"]
        self.assertLess(abs(found["value"] - 1032 / 768), 0.05)
        self.assertEqual(found["spread"]["runs"], 3)
        self.assertLess(found["spread"]["min"], found["spread"]["max"])
        for point in points.read(probes.PROBES, [self.file]):
            self.assertTrue(point.probe or point.reason, point.name)

    def test_a_benchmark_that_breaks_the_driver_loses_no_other(self):
        for how, message in (("refuse", "an illegal memory access"), ("crash", "status -6")):
            self.measure("--only", "barriers.cta", "--only", "starts", status=1, FAKE_CUDA=f"{how}:barriers_cta_loads")
            failed = yaml.safe_load(self.file.read_text())["failed"]
            self.assertEqual(sorted(entry["name"] for entry in failed),
                             sorted(name for name in catalogue.BENCHMARKS if "cta_loads" in name))
            self.assertIn(message, failed[0]["message"])
            self.assertIn("starts.ctas", self.points())
            self.assertIn("barriers.cta.32", self.points())

    def test_a_benchmark_that_hangs_is_given_up(self):
        hangs = self.folder / "hangs"
        environment = {"SMSIM_CUDA_LIBRARY": str(self.folder / "libcuda.so"), "FAKE_CUDA": "hang:starts_sleep",
                       "FAKE_CUDA_HANGS": str(hangs)}
        binary = self.folder / "empty"
        binary.write_bytes(b"binary")

        class Lines(queue.Queue):
            """Stays silent for the requested time once the driver hangs, and not because the machine is slow."""

            def get(self, timeout):
                while True:
                    hung = hangs.exists()
                    try:
                        return super().get(timeout=timeout)
                    except queue.Empty:
                        if hung:
                            hangs.unlink()
                            raise

        with mock.patch.dict(os.environ, environment), mock.patch.object(gpu.queue, "Queue", Lines):
            found = {message["name"]: message for message in gpu.measure(
                ["sleep.0.min", "latency.FFMA"], {source: binary for source in compilers.SOURCES}, 2, silence=2) if "name" in message}
        self.assertEqual(found["sleep.0.min"]["message"], "no end within 2 s")
        self.assertEqual(len(found["latency.FFMA"]["figures"]), 2)

    def test_a_gpu_on_which_nothing_runs_is_given_up(self):
        done = self.measure("--only", "sleep", status=2, FAKE_CUDA="crash:starts_sleep")
        self.assertIn("given up: 8 benchmarks in a row have broken off", done.stderr)
        done = self.measure("--only", "sleep", status=2, FAKE_CUDA="old")
        self.assertIn("cuModuleLoadData: another error", done.stderr)

    def test_a_source_that_is_refused_loses_no_other(self):
        done = self.measure("--only", "starts", "--only", "atomics.global", status=1, REFUSED="atomics")
        self.assertIn("atomics: nvcc: ", done.stderr)
        self.assertIn("made up", yaml.safe_load(self.file.read_text())["failed"][0]["message"])
        self.assertEqual(set(self.points()), {"starts.warps", "starts.ctas"})

    def test_what_a_generation_does_not_have_is_left_out(self):
        self.measure("--only", "latency.REDUX", "--only", "starts.warps", FAKE_MAJOR="8")
        self.assertIn("latency.REDUX", self.points())
        self.measure("--only", "latency.REDUX", "--only", "starts.warps", "--arch", "75", FAKE_MAJOR="7")
        self.assertNotIn("latency.REDUX", self.points())

    def test_mistakes_are_told(self):
        self.assertIn("libcuda.so.1) is not installed", self.measure(status=2, SMSIM_CUDA_LIBRARY="/nothing.so").stderr)
        self.assertIn("the driver shows none", self.measure(status=2, FAKE_CUDA="none").stderr)
        self.assertIn("nothing/nvcc: no program", self.measure("--nvcc", "nothing/nvcc", nvcc=False, status=2).stderr)
        self.assertIn("no benchmark's name contains 'nothing'", self.measure("--only", "nothing", status=2).stderr)
        self.assertIn("does not compile for sm_120", self.measure(status=2, FAKE_MAJOR="12").stderr)
        self.assertIn(f"{self.nvcc}/out: Not a directory", self.measure("--only", "starts", "-o", self.nvcc / "out/own.yaml", status=2).stderr)
        self.assertIn(f"{self.nvcc}: ", self.measure("--only", "starts", "--build-dir", self.nvcc, status=2).stderr)
        self.assertFalse(self.file.exists())

    def test_nothing_is_needed_to_list(self):
        done = self.measure("--list", "--only", "latency.FFMA", nvcc=False, SMSIM_CUDA_LIBRARY="/nothing.so", PATH="/nothing")
        self.assertIn("latency.FFMA                       arithmetic         cycles per FFMA\n", done.stdout)


@unittest.skipUnless(CLANG, "clang is not installed")
class Twins(unittest.TestCase):
    def figures(self, benchmarks, *arguments):
        """Figures of the model by benchmark, from a file with points for all of them."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            file = folder / "made_up.yaml"
            conditions = {"card": "Made-up GPU", "compute_capability": "7.0", "date": "2000-01-01"}
            made_up = pointfile.File(file, conditions)
            for benchmark in benchmarks:
                made_up.add(pointfile.entry(catalogue.BENCHMARKS[benchmark], [100.0, 101.0, 102.0], True))
            made_up.fail("fences.gl", "made up")
            made_up.write()
            done = subprocess.run([ROOT / "scripts/correlate", "--smsim", SMSIM, "-o", folder / "out", "--points", file, *arguments],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            results = json.loads((folder / "out/results.json").read_text())["points"]
        self.assertEqual(sorted(results), sorted(f"made_up.{benchmark}" for benchmark in benchmarks))
        for name, result in results.items():
            self.assertGreater(result["value"] or 0, 0, f"{name}: {result.get('message')}")
        return {benchmark: results[f"made_up.{benchmark}"]["value"] for benchmark in benchmarks}

    def test_correlate_takes_the_file_and_each_family_has_a_figure_of_the_model(self):
        found = self.figures(FAMILIES)
        # The values in the configuration of a V100, to within one cycle in a hundred; extra lines of code in one of the two loops
        # show in the rate.
        for benchmark, value, delta in (("latency.FFMA", 4, 0.02), ("latency.EX2", 15, 0.02), ("shared.loads.64.16", 128, 0.02),
                                        ("throughput.FFMA_LOP3.4", 4, 0.05)):
            self.assertAlmostEqual(found[benchmark] / value, 1, delta=delta, msg=benchmark)

    def test_a_chain_costs_the_same_wherever_a_compiler_puts_its_loops(self):
        # A loop on more than three lines costs this much more per round: in both sections, or in neither.
        costs = [self.figures(CHAINS, "--set", f"ibuffer.redirect_penalty={cycles}") for cycles in (0, 100)]
        for benchmark in CHAINS:
            self.assertAlmostEqual(costs[1][benchmark] / costs[0][benchmark], 1, delta=0.005, msg=benchmark)


class Building(unittest.TestCase):
    def test_all_sources_compile_for_a_gpu_and_spill_nothing_in_a_measured_loop(self):
        try:
            nvcc = compilers.find_nvcc()
        except compilers.CompileError as error:
            raise unittest.SkipTest(str(error))
        architecture = max(number for number in compilers.nvcc_targets(nvcc) if number <= 90)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([ROOT / "scripts/measure-gpu", "--build-only", "--arch", str(architecture), "--build-dir", folder],
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        sources = {launch.source for benchmark in catalogue.BENCHMARKS.values() for launch in benchmark.launches}
        self.assertEqual(done.stdout, f"sm_{architecture}: {len(sources)} of {len(sources)} sources compiled\n")
        spilled = [line for line in done.stderr.splitlines() if "spills" in line and "whole_kernels" not in line]
        self.assertEqual(spilled, [])


if __name__ == "__main__":
    unittest.main()

"""A sweep as a command: every outcome is a result, nothing is computed twice, and an interruption loses nothing."""

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import unittest
import zlib

import sweep_support
from smsim.progress import Progress
from smsim.places import ROOT

MESSAGES = {
    "good": ("completed", 0, ""),
    "check": ("check_failed", 1, "check of a (1 of 2) failed"),
    "exception": ("exception", 3, None),
    "block": ("refused", 2, None),
    "slow": ("timeout", None, "no end within 5 s"),
    "segfault": ("crashed", -11, "ended by signal SIGSEGV"),
}


class Outcomes(sweep_support.SweepTest):
    def write_kernels(self):
        check = (
            "arguments:\n  - {name: a, type: u32, init: {values: [1, 2]}}\ncheck:\n  - {buffer: a, values: [1, 3]}\n"
        )
        self.write("check.yaml", sweep_support.LAUNCH + check)
        self.write("trap.sasm", ".kernel k\n MOV R2, 0;\n MOV R3, 0;\n LDG R0, [R[2:3]];\n EXIT;\n")
        self.write("exception.yaml", sweep_support.LAUNCH.replace("kernel.sasm", "trap.sasm"))
        self.write("block.yaml", sweep_support.LAUNCH.replace("32", "2000"))
        for name in ("good", "slow", "segfault"):
            self.write(f"{name}.yaml", sweep_support.LAUNCH)
        kernels = "".join(f"  - {name}: {name}.yaml\n" for name in MESSAGES)
        self.write("sweep.yaml", f"name: s\ntimeout: 5\nkernels:\n{kernels}")

    def test_failures_are_results_and_are_not_repeated_unless_asked_for(self):
        self.write_kernels()
        self.assertIn(
            "6 points: 1 check_failed, 1 completed, 1 crashed, 1 exception, 1 refused, 1 timeout", self.sweep(status=1)
        )
        self.assertEqual(self.calls(), 6)
        query = "SELECT kernel, status, exit_status, message, report IS NULL FROM point JOIN result USING (key)"
        for kernel, status, exit_status, message, without_report in self.rows(query):
            expected = MESSAGES[kernel]
            self.assertEqual((status, exit_status), expected[:2], kernel)
            self.assertEqual(without_report, status in ("refused", "timeout", "crashed"), kernel)
            if expected[2] is not None:
                self.assertEqual(message, expected[2])
            else:
                self.assertTrue(message, kernel)
        self.assertIn("1 x timeout: no end within 5 s (point 4)", self.sweep(status=1))
        self.assertEqual(self.calls(), 6, "nothing is run again")
        self.sweep("--timeout", "5.5", status=1)
        self.assertEqual(self.calls(), 7, "a higher limit repeats the timeout")
        self.sweep("--timeout", "5.5", "--retry-failed", status=1)
        self.assertEqual(self.calls(), 12, "all but the completed one")

    def test_points_that_the_model_refuses_do_not_stop_the_others(self):
        axes = "axes:\n  - sm.sub_partitions: [2, 4]\n"
        self.write("sweep.yaml", f"name: s\nkernels: [launch.yaml]\n{axes}")
        printed = self.sweep(status=1)
        self.assertIn("2 points: 1 completed, 1 refused", printed)
        self.assertIn("1 x refused: --set sm.sub_partitions=2: bru.pipelines (4) must not exceed", printed)
        self.assertEqual(self.calls(), 1)

    def test_equal_content_is_computed_once_within_a_sweep_and_between_sweeps(self):
        # All values of the first axis give the same configuration.
        axes = "axes:\n  - zip: {name: twice, labels: [a, b], ibuffer.depth: [3, 3]}\n  - bru.sync_latency: [4, 5]\n"
        self.write("sweep.yaml", f"name: one\nkernels: [launch.yaml]\n{axes}")
        self.assertIn("4 points, 0 with a result, 4 to run (2 different)", self.sweep("--dry-run", status=0))
        self.assertFalse(self.file.exists(), "a dry run writes nothing")
        self.assertIn("4 points: 4 completed", self.sweep(status=0))
        self.assertEqual(self.calls(), 2)
        self.write("sweep.yaml", "name: two\nkernels: [launch.yaml]\naxes:\n  - bru.sync_latency: [4, 5, 6]\n")
        self.assertIn("3 points, 2 with a result, 1 to run (1 different)", self.sweep("--dry-run", status=0))
        self.sweep(status=0)
        self.assertEqual(self.calls(), 3)

    def test_the_file_says_what_was_run(self):
        axes = "axes:\n  - zip: {name: size, labels: [s, l], ibuffer.depth: [2, 4]}\n  - icache.l0: [true, false]\n"
        text = f"name: s\ndescription: what for\nkernels: [k: launch.yaml]\nset: {{bru.sync_latency: 7, launch.block: 64}}\n{axes}"
        self.write("sweep.yaml", text)
        self.sweep(status=0)
        self.assertEqual(self.rows("PRAGMA user_version"), [(1,)])
        self.assertEqual(self.rows("SELECT name, description, definition FROM sweep"), [("s", "what for", text)])
        axes = self.rows('SELECT position, name, "values" FROM axis')
        self.assertEqual(
            [(p, n, json.loads(v)) for p, n, v in axes], [(0, "size", ["s", "l"]), (1, "icache.l0", [True, False])]
        )
        kernel, launch, values, settings = self.rows(
            'SELECT kernel, launch, "values", settings FROM point WHERE number = 1'
        )[0]
        self.assertEqual((kernel, launch), ("k", str(self.folder / "launch.yaml")))
        self.assertEqual(json.loads(values), {"size": "s", "icache.l0": False})
        self.assertEqual(json.loads(settings), ["bru.sync_latency=7", "ibuffer.depth=2", "icache.l0=false", "launch.block=64"])

    def test_the_file_has_the_baseline_that_was_chosen(self):
        text = "name: s\nkernels: [launch.yaml]\naxes:\n  - launch.block: [32, 64]\n  - ibuffer.depth: [2, 3]\n"
        self.write("sweep.yaml", text + "baseline: {launch.block: 64}\n")
        self.sweep(status=0)
        query = 'SELECT sweep, "values" FROM baseline'
        self.assertEqual(self.rows(query), [("s", '{"launch.block": 64, "ibuffer.depth": 3}')])
        self.sweep("--baseline", "ibuffer.depth=2", status=0)
        self.assertEqual(self.rows(query), [("s", '{"launch.block": 64, "ibuffer.depth": 2}')])
        self.assertEqual(self.calls(), 4, "nothing is run again")
        self.assertEqual(
            self.sweep("--around", "--baseline", "ibuffer.depth=2", "--list", status=0).splitlines()[-1],
            f"2\t{self.folder.name}  launch.block=64 ibuffer.depth=3",
        )
        message = "--baseline ibuffer.depth=9: axis ibuffer.depth has no value '9'; it has 2, 3"
        self.assertIn(message, self.sweep("--baseline", "ibuffer.depth=9", status=2))
        self.write("sweep.yaml", text)
        self.sweep(status=0)
        self.assertEqual(self.rows(query), [])

    def test_a_file_from_before_there_was_a_baseline_is_used(self):
        self.write("sweep.yaml", "name: s\nkernels: [launch.yaml]\naxes: [ibuffer.depth: [2, 3]]\n")
        self.sweep(status=0)
        with contextlib.closing(sqlite3.connect(self.file)) as database:
            database.execute("DROP TABLE baseline")
        self.sweep("--baseline", "ibuffer.depth=2", status=0)
        self.assertEqual(self.rows('SELECT "values" FROM baseline'), [('{"ibuffer.depth": 2}',)])

    def test_axes_vary_the_launch_beside_the_configuration(self):
        kernel = (
            ".kernel k\n LDC.64 R[2:3], c[0x0][0x160];\n MOV R0, c[0x0][0x168];\nagain:\n IADD3 R0, R0, -1, RZ;\n"
            " ISETP.NE.AND P0, PT, R0, RZ, PT;\n @P0 BRA again;\n STG [R[2:3]], R0;\n EXIT;\n"
        )
        self.write("loop.sasm", kernel)
        arguments = "arguments:\n  - {name: out, type: u32, count: 1}\n  - {name: rounds, type: u32, value: 1}\n"
        self.write("loop_gated.yaml", f"program: loop.sasm\ngrid: 1\nblock: 32\n{arguments}")
        self.write(
            "sweep.yaml",
            "name: s\nkernels: [loop_gated.yaml]\naxes:\n  - launch.block: [32, 64]\n  - launch.arguments.rounds.value: [1, 20]\n"
            "  - bru.branch_latency: [2, 3, 9, 10]\nconstraints: ['launch.block == 32 or launch.arguments.rounds.value > 1']\n",
        )
        self.kill_at_the_gate()
        self.go_on_through_the_gate(12)
        reports = self.reports()
        self.assertEqual(len(reports), 12)
        self.assertEqual(reports[64, 20, 2]["run"]["block"], [64, 1, 1])
        self.assertEqual(reports[64, 20, 2]["run"]["launch_changes"], ["block=64", "arguments.rounds.value=20"])
        self.assertGreater(reports[32, 20, 2]["cycles"], reports[32, 1, 2]["cycles"])
        self.assertGreater(reports[32, 20, 9]["cycles"], reports[32, 20, 2]["cycles"])
        self.write("sweep.yaml", "name: s\nkernels: [loop_gated.yaml]\naxes:\n  - launch.blok: [64]\n")
        self.assertIn("--launch blok=64: a launch file has no key 'blok'; did you mean 'block'?", self.sweep(status=1))

    @unittest.skipUnless(shutil.which(os.environ.get("CLANG") or "clang"), "clang is not installed")
    def test_axes_vary_how_the_program_is_compiled(self):
        self.write(
            "tile.cu",
            'extern "C" __attribute__((global)) void tile(volatile unsigned *out) {\n'
            "    unsigned sum = 0;\n    for (int i = 0; i < TILE; ++i) sum += out[i];\n    out[0] = sum + MORE;\n}\n",
        )
        self.write(
            "gated.yaml",
            "program: tile.cu\ncompile: {define: {MORE: 1}}\ngrid: 1\nblock: 32\n"
            "arguments: [{name: out, type: u32, count: 64}]\n",
        )
        self.write(
            "sweep.yaml",
            "name: s\nkernels: [gated.yaml]\nset: {launch.compile.define.MORE: 2}\naxes:\n"
            "  - launch.compile.define.TILE: [1, 4, 8, 16]\n  - launch.compile.optimisation: [0, 3]\n"
            "  - ibuffer.depth: [2, 3]\nconstraints: [launch.compile.define.TILE < 16 or ibuffer.depth == 3]\n",
        )
        self.kill_at_the_gate()
        self.go_on_through_the_gate(14)
        instructions = {values: report["warp_instructions"] for values, report in self.reports().items()}
        self.assertEqual(len(instructions), 14)
        for level in (0, 3):
            counts = [instructions[tile, level, 3] for tile in (1, 4, 8, 16)]
            self.assertEqual(counts, sorted(set(counts)))
        self.assertGreater(instructions[16, 0, 3], instructions[16, 3, 3])
        self.assertEqual(
            self.reports()[16, 0, 3]["run"]["launch_changes"],
            ["compile.define.MORE=2", "compile.define.TILE=16", "compile.optimisation=0"],
        )
        settings = json.loads(self.rows("SELECT settings FROM point WHERE number = 0")[0][0])
        self.assertIn("launch.compile.define.TILE=1", settings)

    def test_the_command_of_a_point_gives_the_stored_report(self):
        dump = "arguments:\n  - {name: a, type: u32, count: 2}\ndump:\n  - {buffer: a, file: a.bin}\n"
        self.write("dump.yaml", sweep_support.LAUNCH + dump)
        self.write("config.yaml", "bru: {sync_latency: 7}\n")
        self.write(
            "sweep.yaml",
            f"name: s\nconfig: config.yaml\nkernels: [{ROOT}/kernels/control_flow/nested_divergence/launch.yaml, dump.yaml]\n"
            "axes:\n  - ibuffer.policy: [two_level]\n",
        )
        self.sweep(status=0)
        stored = self.rows("SELECT number, command, report FROM point JOIN result USING (key) ORDER BY number")
        self.assertEqual(len(stored), 2)
        for number, command, report in stored:
            self.assertEqual(self.sweep("--command", str(number), status=0), command + "\n")
            arguments = shlex.split(command)
            arguments[arguments.index("-o") + 1] = str(self.folder / f"by_hand{number}")
            subprocess.run(arguments, cwd=ROOT, check=True)
            self.assertEqual((self.folder / f"by_hand{number}/report.json").read_bytes(), zlib.decompress(report))

    def test_a_foreign_file_is_not_written_to(self):
        self.write("sweep.yaml", "name: s\nkernels: [launch.yaml]\n")
        self.write("results.sqlite", "a letter")
        self.assertIn("results.sqlite: cannot be used as a file of results", self.sweep(status=2))
        self.assertEqual(self.file.read_text(encoding="utf-8"), "a letter")


class Again(sweep_support.SweepTest):
    """Points without a result are computed when the sweep is started again, without a further option."""

    def test_runs_that_were_ended_from_outside(self):
        names = ("killed", "terminated", "stopped", "segfault", "abort")
        for name in names:
            self.write(f"{name}.yaml", sweep_support.LAUNCH)
        kernels = "".join(f"  - {name}: {name}.yaml\n" for name in names)
        self.write("sweep.yaml", f"name: s\nkernels:\n{kernels}")
        printed = self.sweep(status=1)
        self.assertIn("5 points: 2 crashed, 3 interrupted", printed)
        self.assertIn("1 x interrupted: ended by signal SIGKILL (point 0)", printed)
        self.assertIn("2 x interrupted: ended by signal SIGTERM (point 1)", printed)
        self.assertIn("1 x crashed: ended by signal SIGABRT (point 4)", printed)
        self.assertIn("5 points, 2 with a result, 3 to run", self.sweep("--dry-run", status=0))
        # Nothing ends them now.
        text = self.stub.read_text(encoding="utf-8")
        self.write("smsim", re.sub("[*](killed|terminated|stopped)[*]", "nothing", text))
        self.assertIn("5 points: 3 completed, 2 crashed", self.sweep(status=1))
        self.assertEqual(self.calls(), 8)

    def test_reports_that_cannot_be_read(self):
        axes = "axes:\n  - ibuffer.depth: {from: 1, to: 6, step: 1}\n"
        self.write("sweep.yaml", f"name: s\nkernels: [launch.yaml]\n{axes}")
        self.sweep(status=0)
        damaged = [b"", None, b"no zlib", zlib.compress(b'{"model": "1", "cyc'), zlib.compress(b"[]")]
        before = self.reports()
        with contextlib.closing(sqlite3.connect(self.file)) as database, database:
            for number, report in enumerate(damaged):
                key = "(SELECT key FROM point WHERE number = ?)"
                database.execute(f"UPDATE result SET report = ? WHERE key = {key}", (report, number))
        self.assertIn("6 points, 1 with a result, 5 to run", self.sweep("--dry-run", status=0))
        self.assertIn("6 points: 6 completed", self.sweep(status=0))
        self.assertEqual(self.calls(), 11)
        self.assertEqual(self.reports(), before)

    def reports(self):
        return self.rows("SELECT number, report FROM point JOIN result USING (key) ORDER BY number")


class DryRun(sweep_support.SweepTest):
    """Errors that would occur after the start of a sweep are reported before it."""

    def test_values_out_of_range_are_refused_with_the_message_of_smsim(self):
        wrong = {
            "ibuffer.depth: [1, 65]": "ibuffer.depth=65",
            "sm.max_threads: {from: 32, to: 40, step: 4}": "sm.max_threads=36",
            "icache.line_bytes: [16, 24]": "icache.line_bytes=24",
            "sm.clock_ghz: [1, 0]": "sm.clock_ghz=0",
            "zip: {name: z, ibuffer.depth: [1, 2], bru.branch_latency: [1, 0]}": "bru.branch_latency=0",
        }
        for axis, setting in wrong.items():
            self.write("sweep.yaml", f"name: s\nkernels: [launch.yaml]\naxes:\n  - {axis}\n")
            command = [sweep_support.SMSIM, "config", "--set", setting]
            told = subprocess.run(command, capture_output=True, text=True, check=False).stderr
            message = told.removeprefix(f"smsim: error: --set {setting}: ")
            self.assertNotEqual(message, told)
            for options in (["--dry-run"], []):
                printed = self.sweep(*options, status=2)
                self.assertEqual(printed, f"scripts/sweep: error: {self.folder}/sweep.yaml:4: {message}")
        self.write("sweep.yaml", "name: s\nkernels: [launch.yaml]\nset: {ibuffer.depth: 0}\n")
        self.assertIn("sweep.yaml:3: ibuffer.depth must be in 1..64; found '0'", self.sweep("--dry-run", status=2))
        self.assertFalse(self.file.exists())

    def test_points_that_the_model_will_refuse_are_told(self):
        self.write("sweep.yaml", "name: s\nkernels: [launch.yaml]\naxes:\n  - sm.sub_partitions: [2, 4]\n")
        printed = self.sweep("--dry-run", status=1)
        self.assertIn("2 points, 0 with a result, 2 to run (2 different)", printed)
        self.assertIn("1 x refused: --set sm.sub_partitions=2: bru.pipelines (4) must not exceed", printed)
        self.assertEqual(self.calls(), 0)


class Interruption(sweep_support.SweepTest):
    def test_an_interrupted_sweep_goes_on_where_it_stopped(self):
        self.write("steady.yaml", sweep_support.LAUNCH)
        axes = "axes:\n  - ibuffer.depth: {from: 1, to: 12, step: 1}\n"
        self.write("sweep.yaml", f"name: s\nkernels: [k: steady.yaml]\n{axes}")
        process = self.start("--workers", "2")
        self.wait_for_results(2)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=sweep_support.PATIENCE)
        self.assertEqual(process.returncode, 130, errors)
        before = self.results()
        self.assertRegex(
            errors, rf"scripts/sweep: interrupted; {before} of 12 points have their result .* To go on: scripts/sweep "
        )
        self.assertLess(before, 12)
        started = self.calls()
        self.assertIn("12 points: 12 completed", self.sweep(status=0))
        self.assertEqual(self.calls() - started, 12 - before, "what had its result is not run again")


class Line(sweep_support.SweepTest):
    """The progress line."""

    def test_it_tells_counts_rate_and_time_left(self):
        now = [0.0]
        stream = io.StringIO()
        progress = Progress(20, done=4, failed=1, stream=stream, clock=lambda: now[0])
        self.assertEqual(progress.line(), "sweep: 4/20, 1 failed, waiting for workers")
        progress.workers = 2
        now[0] = 4.0
        progress.add(2, failed=False)
        self.assertEqual(stream.getvalue(), "", "not at every result")
        self.assertEqual(progress.line(), "sweep: 6/20, 1 failed, 0.50 points/s, 28 s left, 2 workers")
        now[0] = 64.0
        progress.add(2, failed=True)
        self.assertEqual(stream.getvalue(), "sweep: 8/20, 3 failed, 0.06 points/s, 3 min 12 s left, 2 workers\n")


if __name__ == "__main__":
    sweep_support.main()

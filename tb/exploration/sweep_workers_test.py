"""Workers die, join and leave, and the sweep still completes; a scheduler that disappears loses no results."""

import os
import re
import signal
import subprocess
import sys
import zlib

import sweep_support  # first: skips where there is no Dask
import distributed
from smsim import task
from smsim.simulator import Simulator


class Workers(sweep_support.SweepTest):
    def write_sweep(self, count):
        """The first runs return results at once, the others when the gate is opened."""
        self.write("gated.yaml", sweep_support.LAUNCH)
        axes = f"axes:\n  - ibuffer.depth: {{from: 1, to: {count}, step: 1}}\n"
        self.write("sweep.yaml", f"name: s\nkernels: [k: gated.yaml]\n{axes}")

    def processes(self):
        """Process ids of the workers that have returned a result."""
        return [int(worker.rsplit(":", 1)[1]) for worker, in self.rows("SELECT DISTINCT worker FROM result")]

    def runs(self):
        """(process, worker) of the started runs."""
        path = self.folder / "calls"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [tuple(map(int, line.split()[:2])) for line in lines]

    def assert_ends_complete(self, process, count):
        self.open_gate()
        printed, errors = process.communicate(timeout=sweep_support.PATIENCE)
        self.assertEqual(process.returncode, 0, printed + errors)
        self.assertIn(f"{count} points: {count} completed", printed)
        self.assertEqual(self.results(), count)
        for (report,) in self.rows("SELECT report FROM result"):
            self.assertIn(b'"status": "completed"', zlib.decompress(report))


class Point(sweep_support.SweepTest):
    """The work of a worker, called directly."""

    def test_a_worker_that_lacks_a_file_is_unusable(self):
        for what, program, launch in (("program", "no_smsim", "launch.yaml"), ("file", "smsim", "no_launch.yaml")):
            found = task.run_point([program, "run", launch], str(self.folder), 1, "", "")
            self.assertRegex(found["unusable"], rf":{os.getpid()}: there is no {what} {self.folder}/no_")
            self.assertEqual(found["address"], "", "this is no worker of Dask")


class Local(Workers):
    def test_points_of_a_killed_worker_are_computed_again(self):
        self.write_sweep(16)
        process = self.start("--workers", "2")
        self.wait_for_results(2)
        os.kill(self.processes()[0], signal.SIGKILL)
        self.assert_ends_complete(process, 16)

    def test_a_run_ends_with_its_worker_and_workers_with_their_sweep(self):
        self.write("slow.yaml", sweep_support.LAUNCH)
        self.write("sweep.yaml", "name: s\nkernels: [slow.yaml]\n")
        process = self.start("--workers", "1")
        self.wait_until(lambda: self.calls() == 1)
        ((run, worker),) = self.runs()
        self.assertTrue(os.path.exists(f"/proc/{run}") and os.path.exists(f"/proc/{worker}"))
        process.kill()
        process.wait()
        self.wait_until(lambda: not os.path.exists(f"/proc/{run}") and not os.path.exists(f"/proc/{worker}"))

    def test_a_program_that_is_built_anew_meanwhile_gives_no_results(self):
        self.write("changed.yaml", sweep_support.LAUNCH)
        self.write("sweep.yaml", "name: s\nkernels: [changed.yaml]\n")
        printed = self.sweep("--workers", "1", status=1)
        version = Simulator(sweep_support.SMSIM).version
        other = version.partition("(")[0] + "(model another)"
        self.assertIn(f"{self.stub} is {other}; the sweep needs {version}", printed)
        self.assertIn("no worker can run points", printed)
        self.assertEqual(self.results(), 0)

    def test_a_point_that_kills_its_workers_is_recorded_and_the_others_are_computed(self):
        self.write("poison.yaml", sweep_support.LAUNCH)
        self.write("good.yaml", sweep_support.LAUNCH)
        axes = "axes:\n  - ibuffer.depth: [1, 2]\nconstraints: [kernel == 'good' or ibuffer.depth == 1]\n"
        self.write("sweep.yaml", f"name: s\nkernels: [poison: poison.yaml, good: good.yaml]\n{axes}")
        printed = self.sweep("--workers", "1", status=1)
        self.assertIn("3 points: 2 completed, 1 interrupted", printed)
        self.assertIn(
            "interrupted: each worker that ran this point died, also with nothing else running (point 0)", printed
        )
        self.assertIn("3 points, 2 with a result, 1 to run", self.sweep("--dry-run", status=0))


class Separate(Workers):
    """A scheduler and workers that are started separately, as on a cluster, without this project's files."""

    def elsewhere(self, **variables):
        """A folder and an environment in which Python does not find this project."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return {"cwd": self.folder, "env": kept | variables}

    def dask(self, program, *options, **variables):
        command = [sys.executable, "-m", f"distributed.cli.dask_{program}", "--no-dashboard", *options]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.elsewhere(**variables)
        )
        self.addCleanup(sweep_support.end, process)
        return process

    def scheduler(self, *options):
        file = self.folder / "scheduler.json"
        place = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)]
        process = self.dask("scheduler", *place, *options)
        self.wait_until(lambda: file.exists() and file.stat().st_size > 0)
        return process, str(file)

    def worker(self, file, *options, **variables):
        fixed = ["--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder)]
        return self.dask("worker", "--scheduler-file", file, *fixed, *options, **variables)

    def wait_for_workers(self, file, count):
        with distributed.Client(scheduler_file=file) as client:
            client.wait_for_workers(count, timeout=sweep_support.PATIENCE)

    def test_neither_scheduler_nor_workers_can_import_this_project(self):
        command = [sys.executable, "-c", "import distributed, smsim"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, **self.elsewhere())
        self.assertIn("No module named 'smsim'", done.stderr)
        self.write("sweep.yaml", "name: s\nkernels: [launch.yaml]\n")
        _, file = self.scheduler()
        self.worker(file)
        self.assertIn("1 points: 1 completed", self.sweep("--scheduler", file, status=0))

    def test_workers_join_and_are_killed_while_the_sweep_runs(self):
        self.write_sweep(40)
        _, file = self.scheduler()
        process = self.start("--scheduler", file)
        first = self.worker(file)
        self.wait_for_results(sweep_support.BEFORE_GATE)
        self.worker(file)
        # Both are at a run that waits for the gate.
        self.wait_until(lambda: len({worker for _, worker in self.runs()}) == 2)
        first.kill()
        self.assert_ends_complete(process, 40)
        self.assertEqual(len(self.processes()), 2)

    def test_workers_that_cannot_run_points_are_sent_away(self):
        self.write("steady.yaml", sweep_support.LAUNCH)
        axes = "axes:\n  - ibuffer.depth: {from: 1, to: 12, step: 1}\n"
        self.write("sweep.yaml", f"name: s\nkernels: [steady.yaml]\n{axes}")
        other = "smsim 0.0.1 (model 0123456789ab)"
        lacking = self.write("lacking.py", "import os\nvars(os).pop('pidfd_open', None)\n")
        _, file = self.scheduler()
        useless = [self.worker(file, OTHER_VERSION=other), self.worker(file, "--preload", str(lacking))]
        good = self.worker(file)
        self.wait_for_workers(file, 3)
        printed = self.sweep("--scheduler", file, status=0)
        self.assertIn("12 points: 12 completed", printed)
        away = [rf"sweep: a worker was sent away: \S+:{worker.pid}: " for worker in useless]
        versions = f"{other}; the sweep needs {Simulator(sweep_support.SMSIM).version}"
        self.assertRegex(printed, away[0] + re.escape(f"{self.stub} is {versions}"))
        self.assertRegex(printed, away[1] + r"Python [0-9.]+ cannot run points: AttributeError: .*pidfd_open")
        for worker in useless:
            worker.wait(sweep_support.PATIENCE)
        self.assertEqual({worker for _, worker in self.runs()}, {good.pid})

    def test_results_survive_the_scheduler_and_the_sweep_goes_on_without_it(self):
        self.write_sweep(12)
        preload = self.write("dask_2000.py", "import distributed\ndistributed.__version__ = '2000.1'\n")
        scheduler, file = self.scheduler("--preload", str(preload))
        self.worker(file)
        process = self.start("--scheduler", file)
        self.wait_for_results(2)
        scheduler.kill()
        _, errors = process.communicate(timeout=sweep_support.PATIENCE)
        self.assertEqual(process.returncode, 1, errors)
        # It may be the version of Dask that matters.
        dask = f"(its Dask is 2000.1, that of the sweep {distributed.__version__})"
        lost = re.escape(f"the connection to the scheduler is lost {dask}")
        self.assertRegex(errors, rf"{lost}; \d+ of 12 points have their result")
        self.open_gate()
        self.assertIn("12 points: 12 completed", self.sweep("--workers", "1", status=0))

    def test_no_scheduler_at_the_address_is_one_message(self):
        self.write_sweep(1)
        os.environ["DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT"] = "1s"
        self.addCleanup(os.environ.pop, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT")
        printed = self.sweep("--scheduler", "tcp://127.0.0.1:1", status=2)
        self.assertIn("scripts/sweep: error: --scheduler tcp://127.0.0.1:1: no scheduler answers", printed)


if __name__ == "__main__":
    sweep_support.main()

"""Workers die, come and go, and the sweep ends complete; a scheduler that goes away loses nothing that was computed."""

import os
import signal
import subprocess
import sys
import zlib

import sweep_support


class Workers(sweep_support.SweepTest):
    def write_sweep(self, count):
        self.write("steady.yaml", sweep_support.LAUNCH)
        axes = f"axes:\n  - ibuffer.depth: {{from: 1, to: {count}, step: 1}}\n"
        self.write("sweep.yaml", f"name: s\nkernels: [k: steady.yaml]\n{axes}")

    def processes(self):
        """Process ids of the workers that have given a result."""
        return [int(worker.rsplit(":", 1)[1]) for worker, in self.rows("SELECT DISTINCT worker FROM result")]

    def assert_ends_complete(self, process, count):
        printed, errors = process.communicate(timeout=sweep_support.PATIENCE)
        self.assertEqual(process.returncode, 0, printed + errors)
        self.assertIn(f"{count} points: {count} completed", printed)
        for (report,) in self.rows("SELECT report FROM result"):
            self.assertIn(b'"status": "completed"', zlib.decompress(report))


class Local(Workers):
    def test_points_of_a_killed_worker_are_computed_again(self):
        self.write_sweep(12)
        process = self.start("--workers", "2")
        self.wait_for_results(2)
        os.kill(self.processes()[0], signal.SIGKILL)
        self.assert_ends_complete(process, 12)

    def test_a_run_ends_with_its_worker_and_workers_with_their_sweep(self):
        self.write("slow.yaml", sweep_support.LAUNCH)
        self.write("sweep.yaml", "name: s\nkernels: [slow.yaml]\n")
        process = self.start("--workers", "1")
        self.wait_until(lambda: self.calls() == 1)
        run, worker = (self.folder / "calls").read_text(encoding="utf-8").split()[:2]
        self.assertTrue(os.path.exists(f"/proc/{run}") and os.path.exists(f"/proc/{worker}"))
        process.kill()
        process.wait()
        self.wait_until(lambda: not os.path.exists(f"/proc/{run}") and not os.path.exists(f"/proc/{worker}"))

    def test_a_program_that_is_built_anew_meanwhile_gives_no_results(self):
        self.write("changed.yaml", sweep_support.LAUNCH)
        self.write("sweep.yaml", "name: s\nkernels: [changed.yaml]\n")
        printed = self.sweep("--workers", "1", status=1)
        self.assertRegex(printed, r"no worker can run points: .* is another model than [0-9a-f]{12}")
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
    """A scheduler and workers that are started by themselves, as on a cluster."""

    def dask(self, program, *options):
        command = [sys.executable, "-m", f"distributed.cli.dask_{program}", "--no-dashboard", *options]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(sweep_support.end, process)
        return process

    def scheduler(self):
        file = self.folder / "scheduler.json"
        process = self.dask("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        self.wait_until(lambda: file.exists() and file.stat().st_size > 0)
        return process, str(file)

    def worker(self, file):
        options = ["--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder)]
        return self.dask("worker", "--scheduler-file", file, *options)

    def test_workers_join_and_leave_while_the_sweep_runs(self):
        self.write_sweep(30)
        _, file = self.scheduler()
        process = self.start("--scheduler", file)
        first = self.worker(file)
        self.wait_for_results(1)
        self.worker(file)
        self.wait_until(lambda: len(self.processes()) == 2)
        first.kill()
        self.assert_ends_complete(process, 30)

    def test_results_survive_the_scheduler_and_the_sweep_goes_on_without_it(self):
        self.write_sweep(10)
        scheduler, file = self.scheduler()
        self.worker(file)
        process = self.start("--scheduler", file)
        self.wait_for_results(2)
        scheduler.kill()
        _, errors = process.communicate(timeout=sweep_support.PATIENCE)
        self.assertEqual(process.returncode, 1, errors)
        self.assertRegex(errors, r"the connection to the scheduler is lost; \d+ of 10 points have their result")
        self.assertIn("10 points: 10 completed", self.sweep("--workers", "1", status=0))

    def test_no_scheduler_at_the_address_is_one_message(self):
        self.write_sweep(1)
        os.environ["DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT"] = "1s"
        self.addCleanup(os.environ.pop, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT")
        printed = self.sweep("--scheduler", "tcp://127.0.0.1:1", status=2)
        self.assertIn("scripts/sweep: error: --scheduler tcp://127.0.0.1:1: no scheduler answers", printed)


if __name__ == "__main__":
    sweep_support.main()

"""Workers: processes of this machine, or those of any running Dask scheduler. The rest of the sweep submits jobs and receives
events."""

import contextlib
import hashlib
import logging
import multiprocessing
import os
import queue
import signal
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass
from multiprocessing import forkserver, resource_tracker

from smsim.errors import UserError
from smsim.places import HERE

# A local point is withdrawn after two of its workers have died; runner.py then runs it alone.
LOCAL_FAILURES = 1
# Seconds between queries to the scheduler about its workers, and while it has none.
ASK_EVERY = 5.0
ASK_EVERY_WITHOUT = 0.5
# Features that cost workers time and only help to debug Dask are off.
LOCAL_SETTINGS = {
    "distributed.worker.multiprocessing-method": "forkserver",
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.allowed-failures": LOCAL_FAILURES,
    "distributed.client.scheduler-info-interval": "60s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "1s",
    "distributed.scheduler.work-stealing-interval": "500ms",
    # One task is ready besides the running one, so that no worker waits for the client.
    "distributed.scheduler.worker-saturation": 1.1,
}

# Workers run task.py, which is sent as text: neither the scheduler, which reads what is sent, nor the workers have this
# package, and pickled code is tied to one version of Python. They evaluate CALL, with names and plain data. The text becomes a
# module once, because compiling takes some milliseconds; its name contains a hash, because sweeps may send different texts.
BEGIN = """\
import sys
import types
if name not in sys.modules:
    module = types.ModuleType(name)
    exec(text, module.__dict__)
    sys.modules[name] = module
"""
CALL = "exec(begin) or __import__(name).run_point(*arguments)"


@dataclass(frozen=True)
class Event:
    """The outcome of a job: `result` from the worker, `killed` (its workers died), or `lost` (the scheduler is gone)."""

    job: object
    result: dict | None = None
    killed: bool = False
    lost: str = ""


def prepare_local(log):
    """Starts the process from which local workers are forked. It imports Dask on another core while this process does, too.
    Only this process reacts to Ctrl-C, which the terminal sends to all of them. The output of workers, such as the last
    messages of a killed one, goes to the file `log`."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["distributed", "distributed.nanny", "distributed.worker"])
    # When a sweep is interrupted, the multiprocessing helper frees semaphores and would print warnings about them.
    warnings = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore"
    try:
        resource_tracker.ensure_running()  # unblocks signals when it is done
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        with standard_error_to(log):
            forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        if warnings is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = warnings


@contextlib.contextmanager
def standard_error_to(path):
    """Processes that are started within this context print their errors to a file."""
    kept = os.dup(2)
    try:
        with open(path, "wb") as file:
            os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def import_distributed():
    try:
        import distributed
    except ImportError:
        raise UserError("Dask is not installed; 'apt install python3-distributed' provides it") from None
    # The sweep itself reports what matters: a dying worker is not an error of the sweep.
    logging.disable(logging.CRITICAL)
    return distributed


class Pool:
    """Connection to workers. Made by `local` or `connect`. `other_dask` is added to the messages of connection errors."""

    def __init__(self, client, cluster=None, folder=None, log=None, other_dask=""):
        text = (HERE / "task.py").read_text(encoding="utf-8")
        name = f"smsim_task_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        self._sent = {"begin": BEGIN, "name": name, "text": text}
        self._client = client
        self._cluster = cluster
        self._folder = folder
        self._log = log
        self._events = queue.Queue()
        self._session = uuid.uuid4().hex
        self._count = 0
        self._threads = 0
        self._asked = 0.0
        self._other_dask = other_dask

    def submit(self, job, name, *arguments):
        """Submits `run_point(*arguments)` of task.py, with plain data as arguments; its event will carry `job`. `name` groups
        runs of similar duration."""
        self._count += 1
        key = (f"{name}-{self._session}", self._count)
        future = self._client.submit(eval, CALL, self._sent | {"arguments": list(arguments)}, key=key, pure=False)
        future.add_done_callback(lambda done: self._events.put((job, done)))

    def wait(self, seconds):
        """The next event, or None if there is none in time."""
        try:
            job, future = self._events.get(timeout=seconds)
        except queue.Empty:
            return None
        import distributed

        try:
            return Event(job, result=future.result(timeout=60))
        except distributed.scheduler.KilledWorker:
            return Event(job, killed=True)
        except Exception as error:  # whatever the connection's layers raise
            if future.status == "cancelled" or isinstance(error, OSError):
                return Event(job, lost=f"the connection to the scheduler is lost{self._other_dask}")
            what = f"{type(error).__name__}: {error}"
            return Event(job, lost=f"the scheduler cannot give points to workers{self._other_dask}: {what}")

    def threads(self):
        """Points that run at a time; changes as workers come and go."""
        if time.monotonic() - self._asked >= (ASK_EVERY if self._threads else ASK_EVERY_WITHOUT):
            self._asked = time.monotonic()
            try:
                self._threads = sum(self._client.nthreads().values())
            except Exception:  # the events will show that the scheduler is gone
                self._threads = 0
        return self._threads

    def retire(self, address):
        """Retires a worker that cannot run points."""
        try:
            self._client.retire_workers([address], close_workers=True)
        except Exception:  # it may have gone by itself
            pass
        self._asked = 0.0

    def close(self):
        """Ends local workers, or disconnects from the scheduler."""
        try:
            self._client.close(timeout=2)
            if self._cluster is not None:
                self._cluster.close(timeout=5)
        except Exception as error:  # results are in the file; nothing depends on this
            print(f"sweep: the workers did not end cleanly: {type(error).__name__}: {error}", file=sys.stderr)
        self._clean()

    def abandon(self, keep_log):
        """Disconnects without waiting for running points. Local workers notice that this process has gone, and their runs end
        with them; workers of another scheduler finish their current point, and waiting points are dropped."""
        if self._cluster is None:
            self.close()
        self._clean(keep_log)

    def complaints(self):
        """Names the file with the output of local workers, if there is any."""
        if self._log is None or not os.path.exists(self._log) or os.path.getsize(self._log) == 0:
            return ""
        return f"; what workers printed is in {self._log}"

    def _clean(self, keep_log=False):
        if self._folder is not None:
            self._folder.cleanup()
        if self._log is not None and not (keep_log and self.complaints()):
            with contextlib.suppress(OSError):
                os.remove(self._log)


def local(workers, log):
    """A scheduler in this process and `workers` processes of one thread each. Their output is kept in the file `log` when the
    sweep is abandoned."""
    prepare_local(log)
    import dask

    dask.config.set(LOCAL_SETTINGS)
    distributed = import_distributed()
    # Dask would import pandas into the forked process only for its own tests; the process runs already.
    distributed.utils._forkserver_preload_set = True
    folder = None
    try:
        folder = tempfile.TemporaryDirectory(prefix="smsim-sweep-", ignore_cleanup_errors=True)
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            # The scheduler's own HTTP server: any free port, so that sweeps can run side by side.
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
            memory_limit=0,
            local_directory=folder.name,
            silence_logs=logging.CRITICAL,
        )
        return Pool(distributed.Client(cluster, direct_to_workers=True), cluster, folder, log)
    except BaseException as error:
        if folder is not None:
            folder.cleanup()
        if isinstance(error, (OSError, RuntimeError, TimeoutError)):
            raise UserError(f"local workers cannot be started: {error}; what they printed is in {log}") from None
        raise


def connect(address):
    """The workers of a running scheduler: its address, or the file given to it with --scheduler-file."""
    distributed = import_distributed()
    place = {"scheduler_file": address} if os.path.isfile(address) else {"address": address}
    try:
        client = distributed.Client(**place, name="smsim-sweep")
        return Pool(client, other_dask=other_dask(client, distributed.__version__))
    except (OSError, TimeoutError, ValueError) as error:
        raise UserError(f"--scheduler {address}: no scheduler answers: {error or type(error).__name__}") from None


def other_dask(client, version):
    """A note if the scheduler has another version of Dask, with which a sweep may fail in many ways; else ""."""
    there = client.sync(client.scheduler.versions, packages=[])["packages"]["distributed"]
    return f" (its Dask is {there}, that of the sweep {version})" if there != version else ""


def cores():
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))

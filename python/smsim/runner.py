"""The loop of a sweep: gives points to workers, writes each result as it arrives, and keeps count."""

import collections
from dataclasses import dataclass

from smsim import store as store_module
from smsim.errors import UserError

# Jobs held by the scheduler per worker thread: one runs, one is ready, and one is for a worker that joins.
AHEAD = 3
# A point for which this many workers died while nothing else ran is left for a later run of the sweep.
ALONE_FAILURES = 1
TICK_SECONDS = 0.5


class Stopped(Exception):
    """The sweep cannot go on; the results so far are in the file."""


@dataclass(frozen=True)
class Job:
    """A result to compute: of one point or of several with the same key."""

    key: str
    kernel: str
    command: tuple  # prints the report on standard output
    points: int


class Waiting:
    """Waiting jobs, in an order in which the workers finish together: the kernels that run longest go first, so that the last
    runs are short. The run time of a kernel is learned from its results; until there is one, a kernel provides one job at a
    time in turn with the others."""

    def __init__(self, jobs):
        self._by_kernel = collections.OrderedDict()
        for job in jobs:
            self._by_kernel.setdefault(job.kernel, collections.deque()).append(job)
        self._given = collections.Counter()
        self._seconds = {}  # kernel -> (sum, results)

    def __len__(self):
        return sum(map(len, self._by_kernel.values()))

    def learn(self, kernel, seconds):
        """Records that a run of `kernel` took `seconds`."""
        whole, results = self._seconds.get(kernel, (0.0, 0))
        self._seconds[kernel] = (whole + seconds, results + 1)

    def give_back(self, job):
        """Puts a job before all others of its kernel."""
        self._by_kernel[job.kernel].appendleft(job)

    def take(self):
        """The next job to run; there must be one."""
        kernel = max((kernel for kernel, jobs in self._by_kernel.items() if jobs), key=self._urgency)
        self._given[kernel] += 1
        return self._by_kernel[kernel].popleft()

    def _urgency(self, kernel):
        if kernel not in self._seconds:
            return (1, -self._given[kernel])
        whole, results = self._seconds[kernel]
        return (0, whole / results)


def pending(points, known, timeout, retry_failed):
    """Keys to compute, each with its points, in order. `known`: key -> (status, seconds) of the valid results."""
    wanted = collections.OrderedDict()
    for point in points:
        if point.key not in known or again(*known[point.key], timeout, retry_failed):
            wanted.setdefault(point.key, []).append(point)
    return wanted


def again(status, seconds, timeout, retry_failed):
    """Whether a result is computed again. The model is deterministic: only a higher limit changes a failure."""
    if status == "completed":
        return False
    return retry_failed or (status == "timeout" and timeout > seconds)


def refused(message, model):
    """The result of a point whose configuration the model does not accept."""
    values = {"status": "refused", "message": message, "exit_status": 2, "seconds": 0.0, "worker": ""}
    return values | {"finished": store_module.now(), "model": model, "report": None}


class Runner:
    """Computes jobs on a pool of workers."""

    def __init__(self, pool, store, progress, root, timeout, simulator):
        self._pool = pool
        self._store = store
        self._progress = progress
        self._fixed = (root, timeout, simulator.version, simulator.model)
        self._model = simulator.model
        self._waiting = Waiting([])
        self._suspects = collections.deque()
        self._running = 0
        self._alone = None  # the suspect that runs alone
        self._deaths = collections.Counter()
        self._usable = False  # whether some worker has given a result

    def run(self, jobs):
        """Returns when every job has a result in the file. Raises Stopped if that is impossible."""
        self._waiting = Waiting(jobs)
        while self._waiting or self._suspects or self._running:
            self._progress.workers = self._pool.threads()
            self._hand_in()
            event = self._pool.wait(TICK_SECONDS)
            while event is not None:
                self._take(event)
                event = self._pool.wait(0)
            self._progress.tick()

    def _hand_in(self):
        window = AHEAD * max(1, self._progress.workers)
        while self._waiting and self._running < window and self._alone is None:
            self._submit(self._waiting.take())
        if self._suspects and not self._waiting and not self._running:
            self._alone = self._suspects.popleft()
            self._submit(self._alone)

    def _submit(self, job):
        self._running += 1
        self._pool.submit(job, job.kernel, list(job.command), *self._fixed)

    def _take(self, event):
        self._running -= 1
        if event.lost:
            raise Stopped(event.lost)
        alone = self._alone is event.job
        if alone:
            self._alone = None
        if event.killed:
            self._killed(event.job, alone)
        elif "unusable" in event.result:
            self._unusable(event)
        else:
            self._usable = True
            self._finish(event.job, event.result)

    def _killed(self, job, alone):
        """Handles a job whose workers died. Which job on a worker was the cause is known only when a job runs alone."""
        self._deaths[job.key] += alone
        if self._deaths[job.key] < ALONE_FAILURES:
            self._suspects.append(job)
            return
        message = "each worker that ran this point died, also with nothing else running"
        self._finish(job, refused(message, self._model) | {"status": "interrupted", "exit_status": None})

    def _unusable(self, event):
        """The worker is at fault: the point goes to another one."""
        message, address = event.result["unusable"], event.result["address"]
        if address:
            self._pool.retire(address)
        self._waiting.give_back(event.job)
        if not self._pool.threads():
            what = "no worker is left" if self._usable else "no worker can run points"
            raise Stopped(f"{what}: {message}")
        self._progress.note(f"sweep: a worker was sent away: {message}")

    def _finish(self, job, result):
        self._waiting.learn(job.kernel, result["seconds"])
        try:
            self._store.add(job.key, result)
        except UserError as error:
            raise Stopped(str(error)) from None
        self._progress.add(job.points, result["status"] != "completed")

"""What scripts/sweep does, from the file of the sweep to the exit status."""

import collections
import functools
import os
import re
import shlex
import signal
import sqlite3
import sys
from pathlib import Path

from smsim import assignments, specification
from smsim import points as points_module
from smsim.errors import UserError, shown
from smsim.idle_axes import IdleAxes
from smsim.identity import Identity, has_dumps
from smsim.places import ROOT, from_root, output_folder, tool
from smsim.progress import Progress, now_and_then
from smsim.runner import Job, Runner, Stopped, pending, refused
from smsim.simulator import Refused, Simulator
from smsim.store import Store

DONE, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130
# The number of failure messages that the summary shows.
MOST_MESSAGES = 10


def run(options):
    """Executes the options; returns the exit status."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return sweep(options)
    except UserError as error:
        print(f"{tool('sweep')}: error: {error}", file=sys.stderr)
        return WRONG
    except sqlite3.Error as error:
        print(f"{tool('sweep')}: error: the file of results cannot be written: {error}", file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print(f"{tool('sweep')}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the list has closed it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def sweep(options):
    simulator = Simulator(os.path.abspath(options.smsim))
    specified = specification.read(options.file, simulator.schema)
    if options.baseline:
        specified = specification.with_baseline(specified, assignments.baseline(options.baseline), simulator.schema)
    timeout = specification.checked_timeout(options.timeout) if options.timeout else specified.timeout
    base = base_configuration(specified, simulator)
    points = points_module.expand(specified, base, options.around)
    if options.list:
        for point in points:
            print(point.number, points_module.described(point), sep="\t")
        return DONE
    if options.command is not None:
        for point in selected(points, options.command):
            print(points_module.command_line(point, specified, simulator))
        return DONE
    idle = IdleAxes(specified.path, specified.axes, simulator.schema)
    Identity(simulator, specified.config).assign(points, now_and_then("configurations checked"), idle.see)
    idle.check()
    path = output_path(options, specified)
    if options.dry_run:
        return dry_run(points, path, timeout, options.retry_failed)
    with Store(path) as store:
        return run_points(options, specified, simulator, base, points, store, timeout)


def base_configuration(specified, simulator):
    try:
        return simulator.effective(specified.config, ())
    except Refused as error:
        raise UserError(str(error)) from None


def selected(points, text):
    if text == "all":
        return points
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) >= len(points):
        raise UserError(f"--command {shown(text)}: points are numbered 0 to {len(points) - 1}; --list shows them")
    return [points[int(text)]]


def output_path(options, specified):
    """The file of results, with the shortest name from here."""
    if options.output:
        return Path(options.output)
    path = Path(os.path.abspath(specified.output or output_folder() / "sweeps" / f"{specified.name}.sqlite"))
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def dry_run(points, path, timeout, retry_failed):
    known = {}
    if path.exists():
        with Store(path) as store:
            known = store.known({point.key for point in points})
    wanted = pending(points, known, timeout, retry_failed)
    left = sum(len(same) for same in wanted.values())
    print(f"{len(points)} points, {len(points) - left} with a result, {left} to run ({len(wanted)} different)")
    return tell_messages((point.number, "refused", point.refused) for point in points if point.refused)


def run_points(options, specified, simulator, base, points, store, timeout):
    """Computes what the file lacks and prints the outcome."""
    rows = []
    for point in points:
        command = points_module.command_line(point, specified, simulator)
        rows.append((point, from_root(point.kernel.launch), command))
    store.write_sweep(specified, rows, points_module.chosen_baseline(specified, base))
    known = store.known({point.key for point in points})
    wanted = pending(points, known, timeout, options.retry_failed)
    for key, same in list(wanted.items()):
        if same[0].refused:
            store.add(key, refused(same[0].refused, simulator.model))
            known[key] = ("refused", 0.0)
            del wanted[key]
    status = DONE
    if wanted:
        status = compute(options, specified, simulator, points, store, timeout, known, wanted)
    return status or summary(store, specified.name)


def jobs_of(wanted, specified, simulator):
    """Workers need the report on standard output, with the same contents as a file; a folder is needed only for dumps."""
    dumps = functools.cache(has_dumps)
    for key, same in wanted.items():
        command = points_module.printing(same[0], specified, simulator, dumps(same[0].kernel.launch, same[0].launch))
        yield Job(key, same[0].kernel.name, tuple(command), len(same))


def compute(options, specified, simulator, points, store, timeout, known, wanted):
    """Returns 0 when every point has a result."""
    from smsim import cluster

    done = [known[point.key][0] for point in points if point.key in known and point.key not in wanted]
    pool = None
    progress = Progress(len(points), len(done), sum(status != "completed" for status in done))
    try:
        jobs = list(jobs_of(wanted, specified, simulator))
        if options.scheduler:
            pool = cluster.connect(options.scheduler)
        else:
            log = os.fspath(store.path.with_suffix(".workers.log"))
            pool = cluster.local(min(options.workers or cluster.cores(), len(jobs)), log)
        Runner(pool, store, progress, str(ROOT), timeout, simulator).run(jobs)
    except KeyboardInterrupt:
        return stop(progress, pool, store, "interrupted", INTERRUPTED)
    except Stopped as error:
        return stop(progress, pool, store, f"error: {error}", FAILED)
    progress.end()
    pool.close()
    return DONE


def stop(progress, pool, store, message, status):
    """Ends the sweep early."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    progress.end()
    again = shlex.join([tool("sweep"), *sys.argv[1:]])
    complaints = pool.complaints() if pool is not None and status != INTERRUPTED else ""
    print(
        f"{tool('sweep')}: {message}{complaints}; {progress.done} of {progress.total} points have their result in {store.path}."
        f" To go on: {again}",
        file=sys.stderr,
    )
    if pool is not None:
        pool.abandon(keep_log=status != INTERRUPTED)
    store.close()
    sys.stdout.flush()
    sys.stderr.flush()
    # At once, and without final messages of threads that still serve local workers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os._exit(status)


def summary(store, name):
    """Prints counts and failures by message."""
    outcomes = store.outcomes(name)
    counts = collections.Counter(status for _, status, _ in outcomes)
    told = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    print(f"sweep {name}: {len(outcomes)} points: {told}; {store.path}")
    return tell_messages(outcome for outcome in outcomes if outcome[1] != "completed")


def tell_messages(failures):
    """Prints (number, status, message) of points by message; returns the resulting exit status."""
    messages = collections.defaultdict(list)
    for number, status, message in failures:
        messages[f"{status}: {message}"].append(number)
    for message, numbers in sorted(messages.items(), key=lambda item: -len(item[1]))[:MOST_MESSAGES]:
        print(f"  {len(numbers)} x {message} (point {numbers[0]})")
    if len(messages) > MOST_MESSAGES:
        print(f"  and {len(messages) - MOST_MESSAGES} other messages")
    return FAILED if messages else DONE

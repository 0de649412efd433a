"""The points of a sweep: every kernel with every combination of the axes, except those that a constraint excludes."""

import itertools
import shlex
from dataclasses import dataclass

from smsim import values
from smsim.errors import UserError, in_one_line
from smsim.places import from_root
from smsim.task import FOLDER
from smsim.values import LAUNCH

MOST_POINTS = 1_000_000


@dataclass
class Point:
    """One requested run. `key` is the key of its result, filled in by identity.py."""

    number: int
    kernel: object
    values: dict  # axis name -> value
    settings: tuple  # "key=value", as for --set
    launch: tuple = ()  # "key=value", as for --launch
    key: str = ""
    refused: str = ""  # message of the model if it does not accept the configuration


def expand(sweep, base, around=False):
    """All points in a fixed order: the last axis changes fastest. `base`: value of every key before axes and settings,
    for constraints over keys that are on no axis. `around`: only points that differ from the baseline in at most one axis.
    """
    count = len(sweep.kernels)
    for axis in sweep.axes:
        count *= len(axis.steps)
    if count > MOST_POINTS and not around:
        raise UserError(f"{sweep.path}: {count} combinations; a sweep may have {MOST_POINTS}")
    found = []
    fixed = base | {key: values.scalar(text) for key, text in sweep.settings}
    combinations = _around(sweep, fixed) if around else itertools.product(*(axis.steps for axis in sweep.axes))
    for kernel, steps in itertools.product(sweep.kernels, combinations):
        if sweep.constraints and not _wanted(sweep, fixed, kernel, steps):
            continue
        pairs = [*sweep.settings, *(pair for step in steps for pair in step.settings)]
        chosen = {axis.name: step.value for axis, step in zip(sweep.axes, steps)}
        settings = tuple(f"{key}={text}" for key, text in pairs if not key.startswith(LAUNCH))
        launch = tuple(f"{key.removeprefix(LAUNCH)}={text}" for key, text in pairs if key.startswith(LAUNCH))
        found.append(Point(len(found), kernel, chosen, settings, launch))
    if not found:
        raise UserError(f"{sweep.path}: the constraints exclude every point")
    if sweep.baseline:
        chosen = chosen_baseline(sweep, base)
        if all(point.values != chosen for point in found):
            raise UserError(f"{sweep.baseline.place}: the baseline is no point, the constraints exclude it: {_listed(chosen)}")
    return found


def chosen_baseline(sweep, base):
    """axis name -> value of the baseline that the file or the option has chosen, {} if neither has. `base` as for `expand`."""
    if not sweep.baseline:
        return {}
    places = _baseline(sweep, base | {key: values.scalar(text) for key, text in sweep.settings})
    return {axis.name: axis.steps[place].value for axis, place in zip(sweep.axes, places)}


def _around(sweep, fixed):
    """The baseline, and the points that differ from it in one axis, in the order of all combinations."""
    places = _baseline(sweep, fixed)
    found = {tuple(places)}
    for number, axis in enumerate(sweep.axes):
        found |= {(*places[:number], place, *places[number + 1 :]) for place in range(len(axis.steps))}
    return [tuple(axis.steps[place] for axis, place in zip(sweep.axes, each)) for each in sorted(found)]


def _baseline(sweep, fixed):
    """The place of each axis at the baseline: the chosen one, or the nearest to the base."""
    chosen = sweep.baseline.steps if sweep.baseline else {}
    return [chosen.get(axis.name, _nearest(axis, fixed)) for axis in sweep.axes]


def _nearest(axis, fixed):
    """The place of the step with the fewest settings that differ from the base; among equals the first, as in
    Results.baseline."""
    others = [sum(values.scalar(text) != fixed.get(key) for key, text in step.settings) for step in axis.steps]
    return others.index(min(others))


def _wanted(sweep, fixed, kernel, steps):
    known = fixed | {"kernel": kernel.name}
    for axis, step in zip(sweep.axes, steps):
        known[axis.name] = step.value
        known |= {key: values.scalar(text) for key, text in step.settings}
    return all(constraint.holds(known) for constraint in sweep.constraints)


def command(point, sweep, simulator):
    """Arguments of the command that produces this point's report, from the root of the repository."""
    output = f"out/points/{sweep.name}/{point.number}"
    return simulator.run_command(from_root(point.kernel.launch), sweep.config, point.settings, output, point.launch)


def printing(point, sweep, simulator, dumps):
    """The same run with its report on standard output, from which a worker takes it. A launch with dumps needs a folder, which
    the worker creates."""
    arguments = command(point, sweep, simulator)
    place = arguments.index("--report")
    folder = ["-o", FOLDER] if dumps else []
    return [*arguments[:place], "--report", "json", *folder, *arguments[place + 4 :]]


def command_line(point, sweep, simulator):
    return shlex.join(command(point, sweep, simulator))


def described(point):
    """'matmul  ibuffer.depth=3 ...' for lists and messages."""
    return f"{point.kernel.name}  {_listed(point.values)}".rstrip()


def _listed(chosen):
    return " ".join(f"{name}={in_one_line(values.spelled(value))}" for name, value in chosen.items())

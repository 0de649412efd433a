"""`scripts/correlate --compiled`: figures of probes from CUDA C beside those of the hand-scheduled ones, both of the model."""
import fnmatch
import pathlib
import statistics

import yaml

from silicon.source import twins

from . import points as data, runner, tables

FILE = data.SILICON / "source/points.yaml"


def twin(point):
    return twins.make(point.probe, point.arguments)


def select(points):
    """Points that have a twin."""
    patterns = yaml.safe_load(FILE.read_text())["points"]
    return [point for point in points
            if point.probe and any(fnmatch.fnmatchcase(point.name, pattern) for pattern in patterns) and twin(point)]


def deviation(by_hand, compiled):
    """Percent by which the compiled one is slower."""
    return 100 * (compiled / by_hand - 1)


def exceeded(deviations):
    """A line for each figure beyond its bound."""
    limits = yaml.safe_load(FILE.read_text())
    sizes = sorted(map(abs, deviations))
    return [f"compiled probes are off by {value:.1f} % in the {name}, at most {limits[name]} %"
            for name, value in (("median", statistics.median(sizes)), ("worst", sizes[-1])) if value > limits[name]]


def run(arguments, points, progress):
    """The table, and lines of what is beyond its bounds or has no figure."""
    results = {}
    for kind, make in (("by hand", runner.hand_scheduled), ("compiled", twin)):
        folder = pathlib.Path(arguments.output) / "compiled" / kind.replace(" ", "-")
        results[kind] = runner.run(arguments.smsim.resolve(), points, folder, arguments.jobs, arguments.set, progress, make)
    rows, deviations, lines = [], [], []
    for point in points:
        by_hand, compiled = (results[kind][point.name] for kind in ("by hand", "compiled"))
        if by_hand.value is None or compiled.value is None:
            lines.append(f"{point.name}: has no figure: {by_hand.message or compiled.message}")
            continue
        deviations.append(deviation(by_hand.value, compiled.value))
        rows.append([f"`{point.name}`", tables.number(point.value), tables.number(by_hand.value), tables.number(compiled.value),
                     tables.percent(deviations[-1])])
    text = tables.table(["point", "published", "by hand", "compiled", "difference"], rows)
    if deviations:
        sizes = sorted(map(abs, deviations))
        text += (f"\n\n{len(sizes)} probes: median {statistics.median(sizes):.1f} %, worst {sizes[-1]:.1f} % from those "
                 "scheduled by hand")
        lines += exceeded(deviations)
    return text, lines

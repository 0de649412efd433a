"""`scripts/correlate --compiled`: figures of the model for probes from CUDA C, beside those for the hand-scheduled ones."""
import collections
import pathlib
import statistics

import yaml

from silicon.source import twins

from . import points as data, runner, tables

FILE = data.SILICON / "source/points.yaml"


def twin(point):
    return twins.make(point.probe, point.arguments)


def select(points):
    """Points that have a twin, except those whose figure follows from the control fields of the probe alone."""
    return [point for point in points if point.probe and not point.stated and twin(point)]


def without(points):
    """Lines that say how many points of which probe have no twin, and why."""
    reasons = yaml.safe_load(FILE.read_text())["none"]
    count = collections.Counter(point.probe for point in points if point.probe and not point.stated and not twin(point))
    stated = sum(1 for point in points if point.probe and point.stated)
    lines = [f"{number} of {probe}: {reasons[probe]}" for probe, number in count.most_common()]
    return lines + ([f"{stated}: their control fields alone give the figure"] if stated else [])


def deviation(by_hand, compiled):
    """Percent by which the compiled one is slower."""
    return 100 * (compiled / by_hand - 1)


def median_and_worst(deviations):
    sizes = sorted(map(abs, deviations))
    return {"median": statistics.median(sizes), "worst": sizes[-1]}


def exceeded(found):
    """A line for each figure of `median_and_worst` beyond its bound."""
    limits = yaml.safe_load(FILE.read_text())
    return [f"compiled probes are off by {value:.1f} % in the {name}, at most {limits[name]} %" for name, value in found.items()
            if value > limits[name]]


def run(arguments, points, progress):
    """The table, and lines for what is beyond its bounds or has no figure."""
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
        found = median_and_worst(deviations)
        text += (f"\n\n{len(deviations)} probes: median {found['median']:.1f} %, worst {found['worst']:.1f} % from those "
                 "scheduled by hand")
        lines += exceeded(found)
    return text, lines

"""Error bounds of sets of points (tb/silicon/bounds.yaml): the table, and what exceeds them."""
import dataclasses
import fnmatch

import yaml

from . import figures, points as data

FILE = data.SILICON / "bounds.yaml"
FIGURES = ("median", "p90", "worst")


@dataclasses.dataclass
class Bounds:
    """A set of points, and its bounds in percent by the figure's name; a figure without a bound may have any value."""
    title: str
    patterns: list
    limits: dict

    def members(self, points):
        return [point for point in points if any(fnmatch.fnmatchcase(point.name, pattern) for pattern in self.patterns)]


def read():
    return [Bounds(entry["set"], entry["points"], {name: entry[name] for name in FIGURES if name in entry})
            for entry in yaml.safe_load(FILE.read_text())]


def found(bounds, points, values):
    """Summaries of the sets in which all points with a probe have a figure; with fewer, a summary means nothing."""
    for each in bounds:
        members = [point for point in each.members(points) if point.probe]
        if members and all(values.get(point.name) is not None for point in members):
            yield each, figures.summary(figures.counted(members, values))


def rows(bounds, points, values):
    """Cells: set, number, then figure and bound in turn."""
    for each, summary in found(bounds, points, values):
        yield [each.title, str(summary.points),
               *(text for name in FIGURES for text in (f"{getattr(summary, name):.1f} %",
                                                       f"{each.limits[name]} %" if name in each.limits else "–"))]


def exceeded(bounds, points, values):
    """A line for each figure beyond its bound. `points`: all points, so that part of a set is not mistaken for the set."""
    return [f"beyond its bound: {each.title}: {name} {getattr(summary, name):.1f} %, at most {limit} %"
            for each, summary in found(bounds, points, values)
            for name, limit in each.limits.items() if getattr(summary, name) > limit]

"""The metric of each point of a sweep, arranged for a picture.

Figures are averaged over the axes that a picture does not show, and over kernels, by the metric's own kind of mean; a time or
rate of several kernels is first divided by that at the baseline's value with all else equal, so that long kernels do not
dominate short ones. If combinations of the other axes lack points, only those with all points are used.
"""

import collections
import math

from smsim import metrics, style
from smsim.errors import UserError
from smsim.results import COMPLETED, text


def direction(metric):
    return f"{metric.better} is better" if metric.better else ""


def unit_label(metric):
    """ "cycles", "ipc (warp instr./cycle)"."""
    return metric.name if metric.unit in ("", metric.name) else f"{metric.name} ({metric.unit})"


def is_relative(results, metric):
    return metric.mean == "geometric" and metric.name != "speedup" and len(results.kernels) > 1


class Cells:
    """The metric of each completed point, indexed by the values of the shown axes, the series, and all else."""

    def __init__(self, results, shown, metric_name, series=None):
        self.results = results
        self.metric, values = results.quantity(metric_name)
        self.relative = is_relative(results, self.metric)
        self.shown = shown
        rest = [axis for axis in results.axes if axis not in shown and axis is not series]
        # The points of a group agree in all but the shown axes: kernel, series, the rest.
        self.groups = collections.defaultdict(dict)
        for row, value in zip(results.table.to_dict("records"), values):
            if row["status"] == COMPLETED and not math.isnan(value):
                key = (self._series(row, series), row["kernel"], *(text(row[axis.column]) for axis in rest))
                self.groups[key][tuple(text(row[axis.column]) for axis in shown)] = value
        if self.relative:
            self._divide_by_baseline()
        found = len(self.groups)
        self.groups = comparable(self.groups, lambda key: key[:2])
        self.left_out = found - len(self.groups)
        if not self.groups:
            raise UserError(
                f"no completed point shows {metric_name} over {', '.join(axis.name for axis in shown)}"
                + (" with its baseline" if self.relative else "")
            )

    @staticmethod
    def _series(row, series):
        return text(row["kernel"] if series == "kernel" else row[series.column]) if series else ""

    def _divide_by_baseline(self):
        base = tuple(text(self.results.baseline[axis.name]) for axis in self.shown)
        self.groups = {
            key: {cell: value / group[base] for cell, value in group.items()}
            for key, group in self.groups.items()
            if group.get(base)
        }

    def series(self):
        return list(dict.fromkeys(key[0] for key in self.groups))

    def at(self, series, cell):
        """(mean, minimum, maximum, whether some group lacks it) of a cell; None if no group has it."""
        groups = [group for key, group in self.groups.items() if key[0] == series]
        values = [group[cell] for group in groups if cell in group]
        if not values:
            return None
        return metrics.mean(values, self.metric.mean), min(values), max(values), len(values) < len(groups)

    def spread(self):
        """Whether a series combines several groups, so that there is a range to show."""
        return max(collections.Counter(key[0] for key in self.groups).values()) > 1

    def value_label(self):
        """A description of the figures, for an axis label."""
        label = f"relative {self.metric.name}" if self.relative else unit_label(self.metric)
        better = direction(self.metric)
        return f"{label}, {better}" if better else label

    def notes(self):
        """How the figures were averaged, for a subtitle."""
        notes = [kernel_text(self.results)]
        if self.relative:
            base = ", ".join(f"{axis.name}={text(self.results.baseline[axis.name])}" for axis in self.shown)
            notes.append(f"relative to {base} with all else equal")
        if self.spread():
            notes.append(f"{self.metric.mean} mean over all else that varies")
        if self.left_out:
            notes.append(
                f"{self.left_out} of {self.left_out + len(self.groups)} combinations left out, which lack points"
            )
        return notes


def comparable(groups, family):
    """For each family of groups, those that have every cell that occurs in it, so that all its cells cover the same
    combinations; the whole family if no group has every cell. groups: {key: {cell: figure}}."""
    families = collections.defaultdict(dict)
    for key, group in groups.items():
        families[family(key)][key] = group
    found = {}
    for members in families.values():
        cells = set().union(*members.values())
        found |= {key: group for key, group in members.items() if len(group) == len(cells)} or members
    return found


def kernel_text(results):
    kernels = results.kernels
    return style.shorten(kernels[0]) if len(kernels) == 1 else f"{len(kernels)} kernels"

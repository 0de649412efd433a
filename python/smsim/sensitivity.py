"""How much each axis of a sweep moves a metric: swing, shares of variance, and the best and worst value of the axis.

docs/explore.md has the formulas. All measures concern one kernel and one metric. Each is None if the existing points do not
define it:

swing       needs points that differ from the baseline in this axis alone
average     needs points that differ in this axis alone
main, total need a complete grid; of an incomplete one, the complete part is used, and a note says what was left out
best, worst need groups in which only this axis differs and all its values are present
"""

import collections
import dataclasses
import math

from smsim.results import text


# A difference of less than this, in percent, does not count as better.
SLIGHT = 0.1


@dataclasses.dataclass(frozen=True)
class Effect:
    """The effect of one axis on a metric of a kernel.

    swing   (max - min) / |mean| over the axis with all others at the baseline; in percent
    average the same with the others fixed at any values, averaged over these
    main    share of the variance that the axis explains by itself (0..1)
    total   share of the variance that disappears when the axis is fixed, including interactions (0..1)
    best, worst     values of the axis; None where they differ by less than SLIGHT or the metric has no direction
    loss    by how many percent the metric is worse at `worst` than at `best`
    note    why something is None, or the part of the grid that main and total cover; empty otherwise
    """

    axis: str
    kernel: str
    metric: str
    swing: float
    average: float
    main: float
    total: float
    best: object
    worst: object
    loss: float
    groups: int
    note: str

    @property
    def interaction(self):
        return None if self.total is None else max(0.0, self.total - self.main)


def effects(results, metric_name):
    """The Effects of every varied axis on the metric, for each kernel."""
    metric, values = results.quantity(metric_name)
    axes = results.varied
    found = []
    for kernel in results.kernels if axes else ():
        rows = results.table[results.table["kernel"] == kernel]
        grid = _grid(rows, values, axes)
        part, left = complete_part(grid, [[text(value) for value in axis.values] for axis in axes])
        note = part_note(grid, part, axes, left)
        shares = variance_shares(part, len(axes))
        baseline = tuple(text(results.baseline[axis.name]) for axis in axes)
        for position, axis in enumerate(axes):
            found.append(_effect(axis, position, kernel, metric, grid, part, shares, note, baseline))
    return found


def ranking(found):
    """The axes by decreasing mean swing over the kernels, as [(axis, mean swing or None)]; undefined ones last. The average
    replaces a swing if the baseline's neighbours have no figure."""
    swings = collections.defaultdict(list)
    for effect in found:
        swings[effect.axis].append(effect.average if effect.swing is None else effect.swing)
    means = []
    for axis, values in swings.items():
        defined = [value for value in values if value is not None]
        means.append((axis, sum(defined) / len(defined) if defined else None))
    return sorted(means, key=lambda pair: (pair[1] is None, -(pair[1] or 0)))


def _grid(rows, values, axes):
    """Values of the axes -> metric, for the points that have it; the mean if a point occurs several times."""
    cells = collections.defaultdict(list)
    for index, row in zip(rows.index, rows[[axis.column for axis in axes]].itertuples(index=False)):
        if not math.isnan(values[index]):
            cells[tuple(text(value) for value in row)].append(values[index])
    return {cell: math.fsum(found) / len(found) for cell, found in cells.items()}


def _effect(axis, position, kernel, metric, grid, part, shares, note, baseline):
    groups = groups_of(grid, position)
    average = swing_of(groups)
    swing = swing_of(slice_of(grid, position, baseline))
    notes = []
    if average is None:
        notes.append("no two points differ in this axis alone")
    elif swing is None:
        notes.append("no two points at the baseline differ in this axis alone")
    main, total = (None, None) if shares is None else shares[position]
    in_part = {cell[position] for cell in part}
    if shares is not None and len(in_part) < 2:
        main = total = None
        notes.append(f"the grid is complete at {axis.name}={min(in_part)} only")
    elif shares is None and not part:
        notes.append("no part of the grid is complete")
    elif shares is None:
        notes.append("the metric is the same at all points")
    elif note:
        notes.append(note)
    best, worst, loss = extremes(groups, [text(value) for value in axis.values], metric.better)
    return Effect(axis.name, kernel, metric.name, swing, average, main, total, best, worst, loss, len(groups), "; ".join(notes))


def groups_of(grid, position):
    """The groups of points that differ only in one axis: a list of {value of the axis: metric}, each with two values or more."""
    groups = collections.defaultdict(dict)
    for cell, value in grid.items():
        groups[cell[:position] + cell[position + 1 :]][cell[position]] = value
    return [group for group in groups.values() if len(group) > 1]


def slice_of(grid, position, baseline):
    """As groups_of, for the points that differ from the baseline at most in this axis: one group or none."""
    rest = baseline[:position] + baseline[position + 1 :]
    group = {cell[position]: value for cell, value in grid.items() if cell[:position] + cell[position + 1 :] == rest}
    return [group] if len(group) > 1 else []


def swing_of(groups):
    """Mean over the groups of (max - min) / |mean|, in percent; None without a group."""
    swings = []
    for group in groups:
        least, most = min(group.values()), max(group.values())
        middle = abs(math.fsum(group.values()) / len(group))
        swings.append((most - least) / middle if middle else 0.0 if most == least else math.inf)
    return 100 * math.fsum(swings) / len(swings) if swings else None


def extremes(groups, values, better):
    """(best value, worst value, loss in percent), from the groups that have all occurring values; None, None, None if there is
    no such group, no direction, or only a slight difference."""
    wanted = set().union(*groups) if groups else set()
    full = [group for group in groups if len(group) == len(wanted)]
    if not full or better not in ("lower", "higher"):
        return None, None, None
    level = {}
    for value in values:
        if value in wanted:
            level[value] = math.fsum(_relative(group, value) for group in full) / len(full)
    least, most = min(level, key=level.get), max(level, key=level.get)
    if level[most] - level[least] <= SLIGHT / 100 * abs(level[least]):
        return None, None, None
    best, worst = (least, most) if better == "lower" else (most, least)
    if not level[best]:
        return best, worst, None
    return best, worst, 100 * abs(level[worst] - level[best]) / abs(level[best])


def _relative(group, value):
    """The value's figure relative to its group's mean, so that no group outweighs another."""
    middle = math.fsum(group.values()) / len(group)
    return group[value] / middle if middle else 1.0


def complete_part(grid, values):
    """(the points of a full grid, the values of each axis in it).

    As long as a combination of the remaining values has no point, drops the value that lacks the largest share of its
    combinations; among equals, the last value of the first axis.
    """
    left = [
        [value for value in listed if any(cell[axis] == value for cell in grid)] for axis, listed in enumerate(values)
    ]
    part = dict(grid)
    while len(part) < math.prod(len(listed) for listed in left):
        axis, value = _sparsest(left, part)
        left[axis].remove(value)
        part = {cell: figure for cell, figure in part.items() if cell[axis] != value}
    return part, left


def part_note(grid, part, axes, left):
    """The part of an incomplete grid that the shares cover; empty for a complete one."""
    if not part or len(part) == len(grid):
        return ""
    fixed = [
        f"{axis.name}={listed[0]}"
        for position, (axis, listed) in enumerate(zip(axes, left))
        if len(listed) == 1 and len({cell[position] for cell in grid}) > 1
    ]
    return ", ".join([f"main and total of {len(part)} of {len(grid)} points, a complete grid", *fixed])


def _sparsest(left, part):
    """The axis and value that has the smallest share of its combinations."""
    counts = collections.Counter((axis, value) for cell in part for axis, value in enumerate(cell))
    size = math.prod(len(listed) for listed in left)
    least, choice = math.inf, None
    for axis, listed in enumerate(left):
        for value in reversed(listed):
            share = counts[axis, value] * len(listed) / size
            if share < least:
                least, choice = share, (axis, value)
    return choice


def variance_shares(grid, axes):
    """[(main, total)] per axis of a complete grid, all combinations weighted equally; None if nothing varies."""
    if not grid:
        return None
    average = math.fsum(grid.values()) / len(grid)
    variance = math.fsum((value - average) ** 2 for value in grid.values()) / len(grid)
    if variance <= (1e-12 * abs(average)) ** 2:
        return None
    return [
        (_variance_of_means(grid, axis, average) / variance, _mean_variance(grid, axis) / variance)
        for axis in range(axes)
    ]


def _variance_of_means(grid, axis, average):
    """Variance, over the values of the axis, of the mean over all other axes."""
    sums = collections.defaultdict(list)
    for cell, value in grid.items():
        sums[cell[axis]].append(value)
    return math.fsum((math.fsum(found) / len(found) - average) ** 2 for found in sums.values()) / len(sums)


def _mean_variance(grid, axis):
    """Mean, over the combinations of the other axes, of the variance along the axis."""
    groups = collections.defaultdict(list)
    for cell, value in grid.items():
        groups[cell[:axis] + cell[axis + 1 :]].append(value)
    total = 0.0
    for found in groups.values():
        middle = math.fsum(found) / len(found)
        total += math.fsum((value - middle) ** 2 for value in found) / len(found)
    return total / len(groups)

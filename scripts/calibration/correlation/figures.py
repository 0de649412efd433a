"""Errors and their summary: median, mean, ninetieth percentile, worst, rank correlation."""
import dataclasses
import math
import statistics


@dataclasses.dataclass
class Summary:
    """Errors of some points, as absolute values in percent; the rank correlation is of the values themselves."""
    points: int
    median: float
    mean: float
    p90: float
    worst: float
    worst_name: str
    rank: float | None


def error(point, value):
    """Error of the model in percent of the published value."""
    return 100 * (value / point.value - 1)


def _ranks(values):
    """Ranks from 1 on; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for place in range(first, last + 1):
            ranks[order[place]] = (first + last) / 2 + 1
        first = last + 1
    return ranks


def rank_correlation(pairs):
    """Spearman's coefficient of pairs of values; None where it is undefined."""
    if len(pairs) < 3:
        return None
    ranks = [_ranks([pair[side] for pair in pairs]) for side in (0, 1)]
    try:
        return statistics.correlation(*ranks)
    except statistics.StatisticsError:  # all values of one side are equal
        return None


def summary(measured):
    """The summary of (point, value) pairs, at least one."""
    errors = sorted((abs(error(point, value)), point.name) for point, value in measured)
    sizes = [size for size, _ in errors]
    return Summary(len(sizes), statistics.median(sizes), statistics.fmean(sizes), sizes[math.ceil(0.9 * len(sizes)) - 1],
                   sizes[-1], errors[-1][1], rank_correlation([(point.value, value) for point, value in measured]))


def counted(points, values):
    """The (point, value) pairs whose errors count: those with a value that the control fields alone do not determine."""
    return [(point, values[point.name]) for point in points if not point.stated and values.get(point.name) is not None]

"""Pareto fronts: the points that no other point beats in one quantity without losing in the other."""

import math


def front(points, better):
    """Indices of the points on the front, ordered from the best value of the first quantity.

    points: pairs of numbers; a pair with a missing number (None, NaN) is not on the front. better: "lower" or "higher" for
    each of the two. A point is on the front if no other is at least as good in both and better in one; equal points are on it
    together.
    """
    signs = [1 if direction == "lower" else -1 for direction in better]
    costs = [
        (signs[0] * x, signs[1] * y, index)
        for index, (x, y) in enumerate(points)
        if not _missing(x) and not _missing(y)
    ]
    found = []
    least = math.inf
    group_x = None
    for x, y, index in sorted(costs):
        if y < least:
            least, group_x = y, x
            found.append(index)
        elif y == least and x == group_x:
            found.append(index)
    return found


def _missing(value):
    return value is None or math.isnan(value)


def parse(argument):
    """("cycles", None), ("shared.banks", "higher") of "cycles,shared.banks:higher". ValueError: not two names."""
    names = argument.split(",")
    if len(names) != 2:
        raise ValueError("two names with a comma between them are needed, for instance cycles,shared.banks")
    parsed = []
    for name in names:
        name, _, direction = name.strip().partition(":")
        if direction not in ("", "lower", "higher"):
            raise ValueError(f"'{direction}' is no direction; lower and higher are")
        parsed.append((name, direction or None))
    if parsed[0][0] == parsed[1][0]:
        raise ValueError("the two names must differ")
    return parsed


def of_results(results, quantities):
    """Points and front of a sweep, over all its kernels: (table, indices of the front within it, directions).

    quantities: as returned by parse. A direction that is not given is the metric's own; "lower" for configuration keys
    and metrics without one.
    """
    names = [name for name, _ in quantities]
    table = results.over_kernels(*names)
    better = [direction or results.quantity(name)[0].better or "lower" for name, direction in quantities]
    return table, front(list(zip(*(table[f"value:{name}"] for name in names))), better), better

"""Fits keys of a configuration to points: searches for the smallest mean error, and finds what the points say about each key.

Tries all combinations if they are few. Otherwise, least squares (from a library, bounded and robust) starts from the present
values; then one key at a time is moved until no single step reduces the mean error. This finds a local optimum, not necessarily
the global one. The caller runs the points.
"""
import dataclasses
import itertools
import math

import numpy
import scipy.optimize

MISSING = 1000       # percent that a point without a figure counts
ALL = 200            # number of combinations up to which all are tried
AS_GOOD = 0.1        # percentage points of the mean error by which a value may be worse and still count as good
FAR = 32             # values on each side of the best that are tried for this
STEPS = (1, 2, 4)    # places by which a key is moved
TOGETHER = 0.05      # singular value, for columns of length 1, below which keys are determined only together
PART = 0.1           # of a direction: smaller components count as none


@dataclasses.dataclass
class Key:
    """A key with its candidate values, in order, and the place of the present value among them."""
    name: str
    values: list
    present: int
    ordered: bool = True  # numbers; names have no order

    @property
    def ends(self):
        """Places that show whether the key matters: the first and the last; for names, all."""
        return [0, len(self.values) - 1] if self.ordered else range(len(self.values))


@dataclasses.dataclass
class Finding:
    """What the points say about a key."""
    key: Key
    best: int                   # place of the value
    low: int                    # places of the values around it that are as good
    high: int
    points: list                # names of the points that a different value changes
    together: list = dataclasses.field(default_factory=list)  # keys whose change can compensate for a change of this one

    @property
    def verdict(self):
        """In words."""
        if not self.points:
            return "no point depends on it"
        if self.together:
            return "only together with " + ", ".join(f"`{name}`" for name in self.together)
        if self.low != self.high:
            return "not between these"
        return "yes"


class Search:
    """The points' mean error over the places of all keys; each combination is measured once. Points that no single key changes,
    between its present value and either end (for names, any other value), are not run again."""

    def __init__(self, keys, points, measure):
        """`measure(list of {key: value}, points)` returns a list of figures, {name of a point: figure or None}."""
        self.keys, self.points, self.measure = keys, points, measure
        self.known = {}
        self.moving, self.still = points, {}
        self.present = tuple(key.present for key in keys)
        ends = [(*self.present[:index], place, *self.present[index + 1:])
                for index, key in enumerate(keys) for place in key.ends]
        here, *others = self.figures([self.present, *ends])
        self.moving = [point for point in points if any(values.get(point.name) != here.get(point.name) for values in others)]
        self.still = {point.name: here.get(point.name) for point in points if point not in self.moving}

    def settings(self, places):
        return {key.name: key.values[place] for key, place in zip(self.keys, places)}

    def figures(self, combinations):
        """Figures of some combinations of places."""
        missing = [places for places in dict.fromkeys(combinations) if places not in self.known]
        results = self.measure([self.settings(places) for places in missing], self.moving) if missing else []
        for places, values in zip(missing, results):
            self.known[places] = {**self.still, **values}
        return [self.known[places] for places in combinations]

    def error(self, values):
        """Mean of the absolute errors in percent."""
        return sum(min(MISSING, 100 * abs(values[point.name] / point.value - 1)) if values.get(point.name) else MISSING
                   for point in self.points) / len(self.points)

    def errors(self, combinations):
        return [self.error(values) for values in self.figures(combinations)]

    def best_of(self, combinations):
        """The first one with the smallest error; the present one is preferred to others that are no better."""
        combinations = [self.present, *combinations]
        errors = self.errors(combinations)
        return combinations[errors.index(min(errors))]

    def run(self):
        """The places of the best combination found."""
        sizes = [len(key.values) for key in self.keys]
        if math.prod(sizes) <= ALL:
            return self.best_of(list(itertools.product(*map(range, sizes))))
        # Names have no order: each of their combinations is a separate start.
        named = [index for index, key in enumerate(self.keys) if not key.ordered]
        for start in itertools.product(*(range(size) if index in named else [self.present[index]] for index, size in enumerate(sizes))):
            self.slide([index for index in range(len(sizes)) if index not in named], start)
        return self.descend(self.best_of(list(self.known)))

    def slide(self, free, start):
        """Least squares of the logarithms over the places of the `free` keys, from `start` on: cycles are nearly linear in cycles."""
        if not free or not self.moving:
            self.figures([start])
            return

        def at(column):
            places = list(start)
            for index, place in zip(free, column):
                places[index] = int(round(place))
            return tuple(places)

        def residuals(places):
            values = self.figures([places])[0]
            return numpy.array([math.log(values[point.name] / point.value) if values.get(point.name) else math.log(1 + MISSING / 100)
                                for point in self.moving])

        def slopes(column):
            here = at(column)
            steps = {index: 1 if here[index] + 1 < len(self.keys[index].values) else -1 for index in free}
            others = {index: (*here[:index], here[index] + step, *here[index + 1:]) for index, step in steps.items()}
            self.figures(list(others.values()))  # together: in parallel
            return numpy.array([(residuals(others[index]) - residuals(here)) * steps[index] for index in free]).T

        scipy.optimize.least_squares(
            lambda column: residuals(at(column)), [start[index] for index in free], jac=slopes,
            bounds=([-0.49] * len(free), [len(self.keys[index].values) - 0.51 for index in free]), loss="soft_l1", f_scale=0.02,
            xtol=1e-3, ftol=1e-4, max_nfev=20)

    def descend(self, places):
        """Moves one key at a time from `places` on, as long as that helps."""
        while True:
            others = [other for index in range(len(self.keys)) for other in self.steps(places, index, STEPS)]
            errors = self.errors([places, *others])
            if min(errors) >= errors[0]:
                return self.back(places)
            places = [places, *others][errors.index(min(errors))]

    def back(self, places):
        """The same places, with keys back at their present values if that is as good."""
        for index, key in enumerate(self.keys):
            other = (*places[:index], key.present, *places[index + 1:])
            if self.errors([other])[0] <= self.errors([places])[0]:
                places = other
        return places

    def steps(self, places, index, distances):
        """`places` with one key moved by each of `distances`, where such places exist."""
        return [(*places[:index], places[index] + step, *places[index + 1:])
                for distance in distances for step in (-distance, distance)
                if 0 <= places[index] + step < len(self.keys[index].values)]


def findings(search, places):
    """What the points say about each key around `places`."""
    found = [_along(search, places, index) for index in range(len(search.keys))]
    for names in _directions(search, places, found):
        for each in found:
            if each.key.name in names:
                each.together = sorted({*each.together, *names} - {each.key.name})
    return found


def _along(search, places, index):
    bound = search.errors([places])[0] + AS_GOOD

    def as_far(step):
        """The last place in this direction up to which all places are as good."""
        place = places[index]
        while abs(place - places[index]) < FAR and 0 <= place + step < len(search.keys[index].values):
            if search.errors([(*places[:index], place + step, *places[index + 1:])])[0] > bound:
                break
            place += step
        return place

    here = search.figures([places])[0]
    ends = [(*places[:index], place, *places[index + 1:]) for place in search.keys[index].ends]
    others = search.figures([*search.steps(places, index, [1]), *ends])
    moved = [point.name for point in search.points if any(values.get(point.name) != here.get(point.name) for values in others)]
    low, high = (as_far(-1), as_far(1)) if moved else (0, len(search.keys[index].values) - 1)
    return Finding(search.keys[index], places[index], low, high, moved)


def _directions(search, places, found):
    """Sets of keys that change the points alike: a step of one can be compensated by steps of the others."""
    here = search.figures([places])[0]
    columns, names = [], []
    for index, each in enumerate(found):
        if not each.points:
            continue
        up = places[index] + 1 < len(search.keys[index].values)
        other = search.figures([(*places[:index], places[index] + (1 if up else -1), *places[index + 1:])])[0]
        column = numpy.array([math.log(other[point.name] / here[point.name]) if other.get(point.name) and here.get(point.name) else 0.0
                              for point in search.points])
        length = numpy.linalg.norm(column)
        if length > 0:
            columns.append(column / length)
            names.append(each.key.name)
    if len(columns) < 2:
        return []
    _, sizes, rows = numpy.linalg.svd(numpy.array(columns).T, full_matrices=True)
    sizes = [*sizes, *[0.0] * (len(columns) - len(sizes))]
    return [{name for name, part in zip(names, row) if abs(part) > PART} for size, row in zip(sizes, rows) if size < TOGETHER]

"""Why points are far off (tb/silicon/causes.yaml): the table, and missing or superfluous entries of the file."""
import yaml

from . import figures, points as data

FILE = data.SILICON / "causes.yaml"


def read():
    """(the percentage above which a point is far off, causes)."""
    content = yaml.safe_load(FILE.read_text())
    return content["beyond"], content["causes"]


def far(beyond, points, values):
    """Errors, by name, of the points that are far off and count."""
    errors = {point.name: figures.error(point, value) for point, value in figures.counted(points, values) if not point.documented}
    return {name: error for name, error in errors.items() if abs(error) > beyond}


def rows(beyond, causes, points, values):
    """Cells: points, errors, cause; the greatest error first. Points without a cause come last."""
    errors = far(beyond, points, values)
    named = [(each["cause"], [name for name in each["points"] if name in errors]) for each in causes]
    left = [name for name in errors if not any(name in names for _, names in named)]
    named = sorted((each for each in named if each[1]), key=lambda each: -max(abs(errors[name]) for name in each[1]))
    for cause, names in named + [("", [name]) for name in left]:
        found = sorted((errors[name] for name in names), key=abs)
        span = [f"{error:+.1f} %" for error in (found if len(found) == 1 else (found[0], found[-1]))]
        yield [", ".join(f"`{name}`" for name in names), " to ".join(dict.fromkeys(span)), cause]


def mistakes(beyond, causes, points, values):
    """Points far off with no cause or several, and points with a cause that are not far off: one line each."""
    errors = far(beyond, points, values)
    named = [name for each in causes for name in each["points"]]
    return ([f"{name}: {error:+.1f} %, and {named.count(name)} causes" for name, error in errors.items() if named.count(name) != 1] +
            [f"{name}: has a cause, but is not far off" for name in named if name not in errors])

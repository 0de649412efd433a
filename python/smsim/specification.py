"""Reads the file of a sweep (docs/explore.md) and checks all of it before anything is run."""

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from smsim import document, values
from smsim.constraints import Constraint
from smsim.errors import UserError, did_you_mean, shown
from smsim.identity import program_of
from smsim.places import is_utf8

MEMBERS = ("name", "description", "kernels", "config", "set", "axes", "baseline", "constraints", "timeout", "output")
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
# A path in the launch file (values.LAUNCH): launch.block, launch.arguments.n.value.
LAUNCH_KEY = re.compile(r"launch(\.[A-Za-z_0-9][A-Za-z0-9_-]*)+")
SAYS_NOTHING = re.compile("[A-Za-z0-9]|kernels?|launch(es)?|src|tests?|tmp")
# Seconds that a run may take if the file sets no limit.
DEFAULT_TIMEOUT = 600.0


@dataclass(frozen=True)
class Kernel:
    """A launch file and its short name."""

    name: str
    launch: Path


@dataclass(frozen=True)
class Step:
    """One value of an axis, and the settings ((key, text), ...) that it stands for."""

    value: object
    settings: tuple


@dataclass(frozen=True)
class Axis:
    """What is varied: one key, or several that change together."""

    name: str
    steps: tuple


@dataclass(frozen=True)
class Baseline:
    """What results are compared with. Other axes are at the value nearest to the base configuration."""

    steps: dict  # axis name -> place of its step
    place: str  # where it is written, for messages


@dataclass(frozen=True)
class Sweep:
    """The whole file."""

    path: Path
    text: str
    name: str
    description: str
    kernels: tuple
    config: Path | None
    settings: tuple  # fixed (key, text)
    axes: tuple
    baseline: Baseline | None
    constraints: tuple
    timeout: float  # seconds per run
    output: Path | None


def read(path, schema):
    """The sweep of a file. `schema`: rows of the model's keys by name."""
    path = Path(path)
    text, top = document.read(path)
    members = top.members("a sweep", MEMBERS, ("name", "kernels"))
    name = members["name"].text("name")
    if not NAME.fullmatch(name):
        raise members["name"].error(f"name '{shown(name)}' may have letters, digits, '_', '-' and '.' only")
    settings = _fixed(members.get("set"), schema)
    axes = _axes(members.get("axes"), schema, {key for key, _ in settings})
    names = {"kernel", *schema, *(key for key, _ in settings), *(axis.name for axis in axes)}
    names |= {key for axis in axes for step in axis.steps for key, _ in step.settings}
    constraints = members["constraints"].items("constraints") if "constraints" in members else []
    return Sweep(
        path=path,
        text=text,
        name=name,
        description=members["description"].text("description") if "description" in members else "",
        kernels=_kernels(members["kernels"]),
        config=_file(members["config"], "config") if "config" in members else None,
        settings=settings,
        axes=axes,
        baseline=_baseline(members["baseline"], axes, schema) if "baseline" in members else None,
        constraints=tuple(Constraint(part, names) for part in constraints),
        timeout=_timeout(members.get("timeout")),
        output=_beside(members["output"], "output") if "output" in members else None,
    )


def _beside(part, what):
    """Paths in the file are relative to the file's folder."""
    return Path(part.path).parent / part.text(what)


def _file(part, what):
    path = _beside(part, what)
    # Names that no file can have count as missing files, too.
    if not os.path.isfile(path):
        raise part.error(f"{what}: there is no file {shown(str(path))}")
    if not is_utf8(os.path.realpath(path)):
        raise part.error(f"{what}: the name of {path} is not UTF-8")
    return path


def _kernels(part):
    kernels = {}
    for item in part.items("kernels"):
        if item.is_mapping:
            pairs = item.pairs("a kernel")
            if len(pairs) != 1:
                raise item.error("a kernel is a launch file, or one pair 'name: launch file'")
            name, _, value = pairs[0]
            if not NAME.fullmatch(name):
                raise item.error(f"kernel '{shown(name)}' may have letters, digits, '_', '-' and '.' only")
            launch = _file(value, "kernels")
        else:
            launch = _file(item, "kernels")
            name = default_name(launch)
        if name in kernels:
            raise item.error(f"two kernels are called '{name}'; give one another name: 'name: launch file'")
        kernels[name] = Kernel(name, launch)
    return tuple(kernels.values())


def default_name(launch):
    """kernels/memory/matmul/launch.yaml is matmul, kernels/memory/matmul/launch_small.yaml matmul_small. A folder whose name says
    nothing, such as k, gives way to the program."""
    folder = launch.resolve().parent.name
    program = program_of(launch) if SAYS_NOTHING.fullmatch(folder) else ""
    base = program if NAME.fullmatch(program) else folder
    return base if launch.stem == "launch" else f"{base}_{launch.stem.removeprefix('launch_')}"


def _known(key_part, key, schema):
    if key not in schema and not LAUNCH_KEY.fullmatch(key):
        raise key_part.error(f"unknown key '{shown(key)}'{did_you_mean(key, schema)}")


def _fixed(part, schema):
    if part is None:
        return ()
    settings = []
    for key, key_part, value in part.pairs("set"):
        _known(key_part, key, schema)
        settings.append((key, values.check(value, key, values.written(value, key, key), schema)))
    return tuple(settings)


def _axes(part, schema, taken):
    """`taken`: keys that have a value already; grows."""
    if part is None:
        return ()
    axes = []
    for item in part.items("axes"):
        pairs = item.pairs("an axis")
        if len(pairs) != 1:
            raise item.error("an axis is one key with its values; keys that change together belong in 'zip'")
        key, key_part, value = pairs[0]
        axis = _zip(value, schema, taken) if key == "zip" else _single(key, key_part, value, schema, taken)
        if axis.name in (known.name for known in axes):
            raise item.error(f"two axes are called '{axis.name}'")
        axes.append(axis)
    return tuple(axes)


def _take(key_part, key, schema, taken):
    _known(key_part, key, schema)
    if key in taken:
        raise key_part.error(f"{key} has a value already, in 'set' or in another axis")
    taken.add(key)


def _single(key, key_part, value, schema, taken):
    _take(key_part, key, schema, taken)
    steps = {}
    for written, place in values.expand(value, key, schema.get(key)):
        text = values.check(place, key, written, schema)
        scalar = values.scalar(text)
        if scalar in steps:
            raise place.error(f"the value '{shown(written)}' of {key} stands twice")
        steps[scalar] = Step(scalar, ((key, text),))
    return Axis(key, tuple(steps.values()))


def _zip(part, schema, taken):
    pairs = part.pairs("zip")
    name = next((value.text("name") for key, _, value in pairs if key == "name"), None)
    if name is None:
        raise part.error("zip needs the key 'name'")
    if not re.fullmatch(r"[A-Za-z_]\w*", name) or name in ("kernel", "true", "false"):
        raise part.error(f"the name '{shown(name)}' of an axis may have letters, digits and '_' only, and not be 'kernel'")
    labels = None
    columns = {}
    for key, key_part, value in pairs:
        if key == "labels":
            labels = [text for text, _ in values.expand(value, "labels")]
        elif key != "name":
            _take(key_part, key, schema, taken)
            columns[key] = _column(key, value, schema)
    if not columns:
        raise part.error(f"zip '{name}' has no key")
    lengths = {key: len(column) for key, column in columns.items()} | ({"labels": len(labels)} if labels else {})
    if len(set(lengths.values())) != 1:
        told = ", ".join(f"{key} has {length}" for key, length in lengths.items())
        raise part.error(f"zip '{name}' needs as many values for each: {told}")
    labels = labels or next(iter(columns.values()))
    if len(set(labels)) != len(labels):
        raise part.error(f"zip '{name}' needs labels: the values of its first key are not all different")
    steps = []
    for i, label in enumerate(labels):
        steps.append(Step(values.scalar(label), tuple((key, column[i]) for key, column in columns.items())))
    return Axis(name, tuple(steps))


def _baseline(part, axes, schema):
    steps = {}
    for name, name_part, value in part.pairs("baseline"):
        axis = _axis(axes, name, name_part.error)
        steps[name] = _step(axis, values.written(value, f"the baseline of {name}", name), schema, value.error)
    return Baseline(steps, f"{part.path}:{part.node.start_mark.line + 1}")


def with_baseline(sweep, pairs, schema):
    """The sweep with the baseline of the option: {axis: value as written}. Axes that it does not name stay as in the file."""
    steps = dict(sweep.baseline.steps) if sweep.baseline else {}
    for name, text in pairs.items():
        def error(message, word=f"{name}={text}"):
            return UserError(f"--baseline {shown(word)}: {message}")

        steps[name] = _step(_axis(sweep.axes, name, error), text, schema, error)
    return replace(sweep, baseline=Baseline(steps, "--baseline"))


def _axis(axes, name, error):
    for axis in axes:
        if axis.name == name:
            return axis
    names = [axis.name for axis in axes]
    raise error(f"the sweep has no axis '{shown(name)}'{did_you_mean(name, names)}; it has {', '.join(names) or 'none'}")


def _step(axis, text, schema, error):
    """The place of the step that the text names, also as 64K where the axis has 65536."""
    wanted = values.scalar(values.plain(text, schema.get(axis.steps[0].settings[0][0], {})))
    for place, step in enumerate(axis.steps):
        if values.same(step.value, wanted) or values.same(step.value, values.scalar(text)):
            return place
    known = ", ".join(values.spelled(step.value) for step in axis.steps)
    raise error(f"axis {axis.name} has no value '{shown(text)}'; it has {shown(known)}")


def _column(key, part, schema):
    """In a zip, a value may occur twice."""
    found = values.expand(part, key, schema.get(key)) if part.is_mapping else [(values.written(item, key, key), item) for item in part.items(key)]
    return [values.check(place, key, text, schema) for text, place in found]


def _timeout(part):
    if part is None:
        return DEFAULT_TIMEOUT
    try:
        seconds = float(part.text("timeout"))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e7:
        raise part.error("timeout must be a number of seconds above 0")
    return seconds


def checked_timeout(text):
    """The same for the command line."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e7:
        raise UserError(f"--timeout must be a number of seconds above 0; found '{text}'")
    return seconds

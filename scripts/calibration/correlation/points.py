"""The published points (tb/silicon/points), checked when they are read."""
import dataclasses
import math
import pathlib

import yaml

from smsim import document
from smsim.errors import UserError

ROOT = pathlib.Path(__file__).resolve().parents[3]
SILICON = ROOT / "tb/silicon"
MEMBERS = {"name", "group", "value", "unit", "probe", "arguments", "fitted", "stated", "note",
           "reason", "generation", "spread"}
OF_FILE = {"device", "generation", "source", "confidence"}
OPTIONAL_OF_FILE = {"set"}
ONLY_OF_FILE = {"conditions", "failed"}  # how it was measured, and what could not be (scripts/measure-gpu): information for readers


class PointError(Exception):
    """A file of points that cannot be used."""


@dataclasses.dataclass
class Point:
    """A published figure; with a probe, or the reason why it has none."""
    name: str
    device: str
    generation: str
    source: str
    confidence: str
    group: str
    value: float
    unit: str
    probe: str = ""
    arguments: dict = dataclasses.field(default_factory=dict)
    fitted: bool = False   # figures of the model were chosen with it
    stated: bool = False   # determined by the probe's control fields alone: no test of the model
    note: str = ""
    reason: str = ""
    set: dict = dataclasses.field(default_factory=dict)  # keys in which the device differs from the configuration of its generation
    spread: dict = dataclasses.field(default_factory=dict)  # p10, p90, min, max and runs of a figure that is a median

    @property
    def documented(self):
        """A figure from the vendor's documents that was not measured: kept apart from the correlation."""
        return self.confidence == "documented"


def read(probes, files=None):
    """All points, in the order of files and of their contents: from `files`, or from tb/silicon/points. `probes`: names of the
    existing probes."""
    points, names = [], set()
    for path in sorted((SILICON / "points").glob("*.yaml")) if files is None else files:
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        content = _content(path, shown)
        common = {name: value for name, value in content.items() if name in OF_FILE | OPTIONAL_OF_FILE}
        for entry in content["points"]:
            if not isinstance(entry, dict):
                raise PointError(f"{shown}: a point is no mapping of members to values")
            place = f"{shown}: {entry.get('name', 'a point without name')}"
            unknown = set(entry) - MEMBERS
            if unknown:
                raise PointError(f"{place}: no member {sorted(unknown, key=str)[0]!r}")
            missing = (OF_FILE | {"name", "group", "value", "unit"}) - set(entry) - set(common)
            if missing:
                raise PointError(f"{place}: has no {sorted(missing)[0]!r}")
            if ("probe" in entry) == ("reason" in entry):
                raise PointError(f"{place}: needs either a probe or a reason for having none")
            if "probe" in entry and entry["probe"] not in list(probes):
                raise PointError(f"{place}: no probe {entry['probe']!r}")
            name = f"{path.stem}.{entry['name']}"
            if name in names:
                raise PointError(f"{place}: stands twice")
            names.add(name)
            points.append(Point(**{**common, **entry, "name": name, "value": _figure(place, entry["value"])}))
    return points


def _figure(place, written):
    try:
        value = float(written)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise PointError(f"{place}: 'value' is no number")
    return value


def _content(path, shown):
    """The contents of a file of points."""
    try:
        content = document.tree(document.file_text(path))
    except (UserError, yaml.YAMLError) as error:
        raise PointError(f"{shown}: cannot be read ({str(error).splitlines()[0]})") from error
    if not isinstance(content, dict) or not isinstance(content.get("points"), list):
        raise PointError(f"{shown}: holds no list of points")
    unknown = set(content) - OF_FILE - OPTIONAL_OF_FILE - ONLY_OF_FILE - {"points"}
    if unknown:
        raise PointError(f"{shown}: no member {sorted(unknown)[0]!r}")
    return content


def configurations():
    """Configuration file of each generation."""
    return {generation: ROOT / path for generation, path in yaml.safe_load((SILICON / "generations.yaml").read_text()).items()}

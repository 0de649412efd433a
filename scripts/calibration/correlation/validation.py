"""What reports say about validation (configs/validation.json): the configuration of each generation, by its values, with the
figures of its points, overall and by kind of instructions. Made from a record of all points; the program contains it."""
import fnmatch
import json

import yaml

from silicon import probes

from . import figures, points as data

FILE = data.ROOT / "configs/validation.json"
KINDS = data.SILICON / "kinds.yaml"
OF_NO_INSTRUCTION = {"starts", "whole kernels"}  # groups whose points count overall, but for no kind of instructions


def kinds():
    """The kinds of tb/silicon/kinds.yaml, in their order."""
    return yaml.safe_load(KINDS.read_text())


def kind_of(point, known):
    """The name of the kind that a point belongs to: a name pattern takes precedence over the group."""
    def matching(test):
        return [kind["kind"] for kind in known if any(map(test, kind["points"]))]
    found = (matching(lambda text: "*" in text and fnmatch.fnmatchcase(point.name, text))
             or matching(lambda text: text == point.group))
    if len(found) != 1:
        raise data.PointError(f"{point.name}: belongs to {' and '.join(found) or 'no kind'} of tb/silicon/kinds.yaml; expected one")
    return found[0]


def check(points):
    """Raises PointError for a point that can have figures and belongs to no kind, or to several."""
    known = kinds()
    for point in points:
        if point.probe and not point.documented and not point.stated and point.group not in OF_NO_INSTRUCTION:
            kind_of(point, known)


def settings(path):
    """The keys in a configuration file, with their values as written."""
    def flat(prefix, value):
        for name, inner in value.items():
            if isinstance(inner, dict):
                yield from flat(f"{prefix}{name}.", inner)
            else:
                yield f"{prefix}{name}", inner
    return dict(flat("", yaml.load(path.read_text(), yaml.BaseLoader)))  # all scalars are text


def _figures(measured):
    found = figures.summary(measured)
    return {"points": found.points, "median_percent": round(found.median, 3), "p90_percent": round(found.p90, 3)}


def _extent(measured, keys):
    """The most CTAs and warps that a probe can have on the SM at a time, and whether some probes have divergent branches."""
    slots = int(keys["sm.sub_partitions"]) * int(keys["sm.warps_per_sub_partition"])
    ctas, warps, diverged = 0, 0, False
    for point, _ in measured:
        for launch in probes.make(point.probe, point.generation, point.arguments).launches:
            resident = min(launch.grid, int(keys["sm.max_ctas"]), slots // launch.warps)
            ctas, warps = max(ctas, resident), max(warps, resident * launch.warps)
            diverged = diverged or launch.diverges
    return {"ctas": ctas, "warps": warps, **({"diverged": True} if diverged else {})}


def content(points, values):
    """The contents of configs/validation.json for these values of the points. Documented figures do not count."""
    known = kinds()
    configurations = []
    for generation, path in data.configurations().items():
        measured = [(point, value) for point, value in figures.counted(points, values)
                    if point.generation == generation and not point.documented]
        if not measured:
            continue
        keys = settings(path)
        in_kinds = [pair for pair in measured if pair[0].group not in OF_NO_INSTRUCTION]
        of_kind = {kind["kind"]: [pair for pair in in_kinds if kind_of(pair[0], known) == kind["kind"]] for kind in known}
        configurations.append({
            "file": path.name, "generation": generation, "devices": sorted({point.device for point, _ in measured}),
            **_figures(measured), **_extent(measured, keys),
            "kinds": {name: _figures(pairs) for name, pairs in of_kind.items() if pairs}, "keys": keys})
    return {"kinds": [{"kind": kind["kind"], "operations": kind["operations"]} for kind in known],
            "configurations": configurations}


def text(points, values):
    """`content` in the form of the file."""
    return json.dumps(content(points, values), indent=1, ensure_ascii=True) + "\n"

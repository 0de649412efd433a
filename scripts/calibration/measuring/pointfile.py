"""Writes the measurements as a file of points (docs/accuracy.md "The points")."""
import statistics

import yaml

from smsim import outputs

NO_CONFIGURATION = "no configuration for the generation"
NOTHING_LEFT = "the difference of clocks that the figure is made of is not above 0"


def spread(figures):
    """Median, P10, P90, minimum and maximum of the figures of all runs, to six digits."""
    ordered = sorted(figures)

    def quantile(part):
        return _rounded(ordered[round(part * (len(ordered) - 1))])
    return {"median": _rounded(statistics.median(ordered)), "p10": quantile(0.1), "p90": quantile(0.9), "min": quantile(0),
            "max": quantile(1), "runs": len(ordered)}


def _rounded(number):
    return float(f"{number:.6g}")


def entry(benchmark, figures, modelled):
    """The point of a benchmark. `modelled`: there is a configuration for the generation."""
    found = spread(figures)
    point = {"name": benchmark.name, "group": benchmark.group, "value": found.pop("median"), "unit": benchmark.unit}
    reason = benchmark.without or ("" if modelled else NO_CONFIGURATION) or ("" if point["value"] > 0 else NOTHING_LEFT)
    if reason:
        point["reason"] = reason
    else:
        probe, arguments = benchmark.twin or ("device", {"benchmark": benchmark.name})
        point |= {"probe": probe, "arguments": arguments}
    return point | {"spread": found}


class File:
    """The file of points, complete on disk after each one: measurements are never lost."""

    def __init__(self, path, conditions):
        self.path, self.conditions = path, conditions
        self.named = set()             # benchmarks that have a point or have failed
        self._points, self._failed = [], []  # as lines
        self._first = True

    def __len__(self):
        return len(self._points)

    @property
    def failed(self):
        return len(self._failed)

    def add(self, point):
        self.named.add(point["name"])
        self._points.append(_line(point))

    def fail(self, name, message):
        self.named.add(name)
        self._failed.append(_line({"name": name, "message": message}))

    def write(self):
        """Replaces the existing file atomically; a file of an earlier run is kept beside it as .old."""
        head = {"device": self.conditions["card"], "generation": self.conditions["compute_capability"],
                "source": "measured with scripts/measure-gpu", "confidence": "measured", "conditions": self.conditions}
        lines = ["# Written by scripts/measure-gpu: medians of many launches, times in cycles of the SM's clock.",
                 yaml.safe_dump(head, sort_keys=False, width=1000).rstrip()]
        if self._failed:
            lines += ["failed:", *self._failed]
        lines += ["points:", *self._points] if self._points else ["points: []"]
        outputs.make_folder(self.path.parent)
        if self._first and self.path.is_file():
            outputs.write(self.path.with_name(self.path.name + ".old"), self.path.read_bytes())
        self._first = False
        outputs.write(self.path, "\n".join(lines) + "\n")


def _line(entry):
    return "  - " + yaml.safe_dump(entry, sort_keys=False, width=100000, default_flow_style=True).strip()

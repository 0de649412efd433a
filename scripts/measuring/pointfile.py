"""What was measured, as a file of points (docs/accuracy.md "The points")."""
import os
import statistics

import yaml

NO_CONFIGURATION = "no configuration for the generation"
NOTHING_LEFT = "the difference of clocks that the figure is made of is not above 0"


def spread(figures):
    """Median, P10, P90, least and greatest of the figures of all runs, to six digits."""
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


def write(path, conditions, points, failed):
    """The file, complete at every moment: what was measured so far is never lost."""
    head = {"device": conditions["card"], "generation": conditions["compute_capability"],
            "source": "measured with scripts/measure-gpu", "confidence": "measured", "conditions": conditions}
    lines = ["# Written by scripts/measure-gpu: medians of single CTAs or SMs, in cycles of the SM's clock.",
             yaml.safe_dump(head, sort_keys=False, width=1000).rstrip()]
    for name, entries in (("failed", failed), ("points", points)):
        if entries or name == "points":
            lines.append(f"{name}:" if entries else f"{name}: []")
            lines += ["  - " + yaml.safe_dump(each, sort_keys=False, width=100000, default_flow_style=True).strip() for each in entries]
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_text("\n".join(lines) + "\n")
    os.replace(new, path)

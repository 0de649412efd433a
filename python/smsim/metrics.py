"""The figures taken from a report: a table of names, units, meanings and directions, and how each figure is computed.

A figure without a meaning for a run (a hit rate without an access) is None. Shares are percentages. The layout of a
report is docs/report.schema.json.
"""

import dataclasses
import json
import math
from typing import Callable, Optional

from smsim.places import STALL_REASONS

# Name, colour and meaning of each stall reason, in the order of the bars, as on the page of `smsim report`.
STALLS = json.loads(STALL_REASONS.read_text(encoding="utf-8"))
STALL_REASONS = tuple(stall["name"] for stall in STALLS)


@dataclasses.dataclass(frozen=True)
class Metric:
    """A figure of a run. `better` is "lower", "higher" or "" if neither is better in itself; `mean` says how figures of several
    kernels or points are averaged: "geometric" for times and rates, "arithmetic" for shares and counts.
    """

    name: str
    unit: str
    description: str
    better: str
    mean: str
    value: Callable[[dict], Optional[float]]


def ratio(numerator, denominator, scale=1):
    """numerator / denominator, or None where the denominator is 0."""
    return scale * numerator / denominator if denominator else None


def _branches(report, member):
    return sum(branch[member] for branch in report["branch_unit"]["branches"])


def _barriers(report, member):
    return sum(barrier[member] for barrier in report["barrier_unit"]["barriers"])


def _mean_cycles_ns(report):
    return report["cycles"] / report["config"]["sm"]["clock_ghz"]


def _l1_hit_rate(cache):
    """None if no read looked anything up."""
    return cache["hit_rate"] if cache["sector_hits"] + cache["sector_misses"] else None


def _conflicts_per_access(report):
    shared = report["memory"]["shared"]
    return ratio(shared["conflict_passes"], shared["accesses"])


def _l0_hit_rate(report):
    fetch = report["fetch"]
    return fetch["l0_hit_rate"] if fetch["l0_hits"] + fetch["l0_misses"] else None


def _coalescing(report):
    unit = report["memory"]["load_store"]
    return unit["coalescing"] if unit["moved_global_bytes"] else None


def _global_bytes(report):
    memory = report["memory"]["global"]
    return memory["read_bytes"] + memory["write_bytes"]


def _global_busy(report):
    return ratio(report["memory"]["global"]["busy_cycles"], report["cycles"], 100)


def _stall(reason):
    return lambda report: ratio(report["stalls"][reason], report["warp_cycles"], 100)


def _use(name):
    """The utilisation of a unit; None if the configuration has no such unit."""

    def value(report):
        for unit in report.get("utilisation", ()):
            if unit["unit"] == name:
                return 100 * unit["utilisation"]
        return None

    return value


def _metric(name, unit, description, better, mean, value):
    return Metric(name, unit, description, better, mean, value)


_PLAIN = [
    _metric("cycles", "cycles", "length of the run", "lower", "geometric", lambda r: r["cycles"]),
    _metric("ns", "ns", "length of the run at sm.clock_ghz", "lower", "geometric", _mean_cycles_ns),
    _metric(
        "ipc", "warp instr./cycle", "issued warp instructions per cycle", "higher", "geometric", lambda r: r["ipc"]
    ),
    _metric(
        "warp_instructions",
        "warp instr.",
        "issued warp instructions",
        "lower",
        "geometric",
        lambda r: r["warp_instructions"],
    ),
    _metric(
        "warp_cycles_per_instruction",
        "warp-cycles/instr.",
        "lifetimes of the warps per issued instruction; the stall reasons add up to it",
        "lower",
        "geometric",
        lambda r: ratio(r["warp_cycles"], r["warp_instructions"]),
    ),
    _metric(
        "simd_efficiency",
        "ratio",
        "executed lanes per lane of the issued instructions",
        "higher",
        "arithmetic",
        lambda r: r["simd_efficiency"],
    ),
    _metric(
        "occupancy",
        "ratio",
        "resident warps, averaged over the run, per warp slot",
        "higher",
        "arithmetic",
        lambda r: r["occupancy"]["mean_fraction"],
    ),
    _metric(
        "occupancy.warps",
        "warps",
        "resident warps, averaged over the run",
        "higher",
        "arithmetic",
        lambda r: r["occupancy"]["mean_warps"],
    ),
    _metric(
        "branch.executions",
        "branches",
        "executed BRA, BRX, CALL and RET",
        "",
        "arithmetic",
        lambda r: _branches(r, "executions"),
    ),
    _metric(
        "branch.divergence",
        "% of branches",
        "branches that split the active threads",
        "lower",
        "arithmetic",
        lambda r: ratio(_branches(r, "diverged"), _branches(r, "executions"), 100),
    ),
    _metric(
        "branch.path_mean",
        "warp instr.",
        "from divergence to reconvergence, on average",
        "lower",
        "arithmetic",
        lambda r: ratio(_branches(r, "path_instructions"), _branches(r, "reconverged")),
    ),
    _metric(
        "branch_unit.busy_cycles",
        "cycles",
        "initiation intervals of the branch unit, summed over pipelines",
        "lower",
        "arithmetic",
        lambda r: r["branch_unit"]["busy_cycles"],
    ),
    _metric("yields", "times", "YIELD of a diverged warp", "", "arithmetic", lambda r: r["branch_unit"]["yields"]),
    _metric("sleeps", "times", "NANOSLEEP with a time", "", "arithmetic", lambda r: r["branch_unit"]["sleeps"]),
    _metric(
        "warp_sleeps",
        "times",
        "a whole warp went to sleep",
        "",
        "arithmetic",
        lambda r: r["branch_unit"]["warp_sleeps"],
    ),
    _metric(
        "barrier.wait_cycles",
        "warp-cycles",
        "blocked at CTA barriers, summed over warps",
        "lower",
        "arithmetic",
        lambda r: _barriers(r, "wait_cycles"),
    ),
    _metric(
        "barrier.imbalance_mean",
        "cycles",
        "first to last arrival at a CTA barrier, on average",
        "lower",
        "arithmetic",
        lambda r: ratio(_barriers(r, "imbalance_cycles"), _barriers(r, "completions")),
    ),
    _metric(
        "shared.conflict_passes",
        "passes",
        "bank passes of shared memory due to conflicts",
        "lower",
        "arithmetic",
        lambda r: r["memory"]["shared"]["conflict_passes"],
    ),
    _metric(
        "shared.conflicts_per_access",
        "passes/access",
        "bank conflicts per access of shared memory",
        "lower",
        "arithmetic",
        _conflicts_per_access,
    ),
    _metric("l0.hit_rate", "ratio", "hits of the L0 instruction caches", "higher", "arithmetic", _l0_hit_rate),
    _metric(
        "fetch.discarded",
        "% of fetches",
        "fetched instructions that a jump dropped",
        "lower",
        "arithmetic",
        lambda r: ratio(r["fetch"]["discarded"], r["fetch"]["fetches"], 100),
    ),
    _metric(
        "l1.hit_rate",
        "ratio",
        "sectors that reads found in the L1 data cache, or on their way to it",
        "higher",
        "arithmetic",
        lambda r: _l1_hit_rate(r["memory"]["l1"]),
    ),
    _metric(
        "l1.mshr_merges",
        "misses",
        "misses joined to one under way",
        "",
        "arithmetic",
        lambda r: r["memory"]["l1"]["mshr_merges"],
    ),
    _metric(
        "coalescing",
        "ratio",
        "bytes that threads asked of global memory per byte moved",
        "higher",
        "arithmetic",
        _coalescing,
    ),
    _metric("global.bytes", "bytes", "moved from and to global memory", "lower", "arithmetic", _global_bytes),
    _metric(
        "global.busy",
        "% of cycles",
        "cycles in which bandwidth of global memory was in use",
        "",
        "arithmetic",
        _global_busy,
    ),
    _metric(
        "hazards",
        "hazards",
        "hazards seen (needs sm.hazard_check)",
        "lower",
        "arithmetic",
        lambda r: r["hazards"]["count"],
    ),
]
_STALLS = [
    _metric(
        f"stall.{stall['name']}",
        "% of warp-cycles",
        stall["meaning"],
        {"selected": "higher", "not_selected": ""}.get(stall["name"], "lower"),
        "arithmetic",
        _stall(stall["name"]),
    )
    for stall in STALLS
]
# In the order in which an instruction passes them (docs/report.md "Utilisation").
UNITS = (
    "fetch",
    "icache_l1",
    "issue",
    "register_ports",
    "alu",
    "fma",
    "fp32_second",
    "xu",
    "fp64",
    "half",
    "tensor",
    "uniform",
    "branch_unit",
    "barrier_unit",
    "lsu_queue",
    "lsu_address",
    "load_store",
    "l1_tags",
    "shared_array",
    "shared_path",
    "l1_data",
    "mshrs",
    "transactions",
    "global_path",
    "dram_path",
)
_USES = [
    _metric(f"use.{unit}", "% of what it could do", f"utilisation of {unit}", "", "arithmetic", _use(unit))
    for unit in UNITS
]
METRICS = {metric.name: metric for metric in _PLAIN + _STALLS + _USES}
# Derived from other points, not from a report: see Results.add_speedup.
SPEEDUP = Metric(
    "speedup",
    "x baseline",
    "cycles of the kernel's baseline point / cycles",
    "higher",
    "geometric",
    lambda report: None,
)
ALL = {"speedup": SPEEDUP, **METRICS}
SHOWN = ("cycles", "speedup", "ipc", "simd_efficiency", "occupancy")


def of_report(report):
    """All metrics of one report as name -> value. KeyError or TypeError if the layout is not that of docs/report.schema.json."""
    return {name: metric.value(report) for name, metric in METRICS.items()}


def mean(values, kind):
    """Geometric or arithmetic mean of the values that are present; None without values, or with a value below 0 for
    "geometric". A geometric mean with a 0 in it is 0."""
    present = [value for value in values if value is not None and not math.isnan(value)]
    if not present:
        return None
    if kind == "arithmetic":
        return math.fsum(present) / len(present)
    if min(present) < 0:
        return None
    if min(present) == 0:
        return 0.0
    return math.exp(math.fsum(math.log(value) for value in present) / len(present))

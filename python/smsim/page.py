"""The page of a sweep: one self-contained HTML file with its findings, pictures, points, failures and definition."""

import dataclasses
import itertools
import re
from pathlib import Path
from typing import Callable

import jinja2
import markupsafe

from smsim import metrics, plots, ranking_plots, sensitivity, style, tables
from smsim.errors import UserError
from smsim.results import COMPLETED, NOT_RUN, is_number, text

HERE = Path(__file__).resolve().parent
# Heat maps are drawn for the pairs of this many of the most sensitive axes.
PAIRED_AXES = 3
MOST_FRONTS = 3
# Configuration keys whose larger values cost area; a sweep of such a key gets a Pareto front against time.
COSTS = (
    "sm.sub_partitions",
    "ibuffer.depth",
    "shared.banks",
    "l1.bytes",
    "icache.l0_bytes",
    "sm.warps_per_sub_partition",
    "sm.registers",
    "bru.pipelines",
    "global.bytes_per_cycle",
    "shared.bytes",
    "l1.mshrs",
    "l1.ways",
    "lsu.queue_depth",
    "lsu.max_outstanding",
    "ibuffer.fetch_per_cycle",
    "icache.prefetch_lines",
    "ibuffer.two_level_active",
)
# If no axis is a cost: time against traffic.
OTHER_FRONT = "global.bytes"
STATUS_WORDS = {
    "check_failed": "wrong results",
    "exception": "ended with an exception",
    "refused": "refused before the run",
    "timeout": "no end within the time limit",
    "crashed": "the program crashed",
    "interrupted": "ended from outside; the sweep computes it when it is started again",
    "unreadable": "report cannot be read",
}


@dataclasses.dataclass(frozen=True)
class Picture:
    """A picture of the page; `draw` returns the figure, or raises UserError with the reason why there is none."""

    name: str
    section: str
    draw: Callable


def plan(results, metric, fronts=None, effects=None):
    """The pictures of a sweep, in the order of the page."""
    effects = sensitivity.effects(results, metric) if effects is None else effects
    axes = [results.axis(name) for name, _ in sensitivity.ranking(effects)]
    found = (
        [Picture("sensitivity", "sensitivity", lambda: ranking_plots.sensitivity_plot(results, metric, effects))]
        if axes
        else []
    )
    for axis in axes:
        found.append(
            Picture(f"axis-{axis.name}", f"axis {axis.name}", lambda axis=axis: plots.axis_plot(results, axis, metric))
        )
        found.append(
            Picture(f"stalls-{axis.name}", f"axis {axis.name}", lambda axis=axis: plots.stall_plot(results, axis))
        )
    for first, second in itertools.combinations(axes[:PAIRED_AXES], 2):
        found.append(
            Picture(
                f"heat-{first.name}-{second.name}",
                "pairs",
                lambda pair=(first, second): plots.heat_map(results, *pair, metric),
            )
        )
    for pair in default_fronts(results) if fronts is None else fronts:
        found.append(
            Picture(
                f"pareto-{pair[0][0]}-{pair[1][0]}",
                "pareto",
                lambda pair=pair: ranking_plots.pareto_plot(results, pair),
            )
        )
    return found


def default_fronts(results):
    """Time against each cost that the sweep varies, or against traffic if it varies none."""
    varied = [key for key in COSTS if key in results.config and results.config[key].dropna().nunique() > 1]
    names = []
    for key in varied:
        if all(map(is_number, results.config[key].dropna())) and not any(
            _move_together(results, key, name) for name in names
        ):
            names.append(key)
    names = names[:MOST_FRONTS] or [OTHER_FRONT]
    return [[("cycles", None), (name, None)] for name in names]


def _move_together(results, first, second):
    """Whether two keys vary together at all points, as those of a zipped axis do."""
    pairs = results.config[[first, second]].dropna().drop_duplicates()
    return len(pairs) == pairs[first].nunique() == pairs[second].nunique()


def drawn(picture):
    """The figure, or the reason why there is none."""
    try:
        return picture.draw()
    except UserError as error:
        return str(error)


def pictures(results, metric, fronts=None):
    """(name fit for a file, figure or reason) of every picture of the page, one at a time."""
    used = set()
    for picture in plan(results, metric, fronts):
        name = re.sub(r"[^\w.-]", "_", picture.name)
        while name in used:
            name += "_"
        used.add(name)
        yield name, drawn(picture)


def sections(results, metric, fronts, effects):
    """{section: [inline SVG, or {"missing": reason}]}."""
    found = {}
    for number, picture in enumerate(plan(results, metric, fronts, effects)):
        figure = drawn(picture)
        if isinstance(figure, str):
            shown = {"missing": figure}
        else:
            shown = {"svg": style.inline_svg(figure, f"p{number}", style.title_of(figure) or picture.name)}
        found.setdefault(picture.section, []).append(shown | {"title": picture.name})
    return found


def headline(results):
    """The best configuration over all kernels, with a command per kernel, and the best point of each kernel."""
    best = tables.best_overall(results)
    overall = None
    if best is not None:
        points = tables.points_of(results, best)
        overall = {
            "label": results.label(best),
            "settings": best["settings"],
            "cycles": best["value:cycles"],
            "speedup": missing_to_none(best["value:speedup"]),
            "commands": list(zip(points["kernel"], points["command"])),
        }
    kernels = [
        {
            "kernel": row["kernel"],
            "label": results.label(row),
            "cycles": int(row["cycles"]),
            "speedup": missing_to_none(row["speedup"]),
            "command": row["command"],
            "stall": main_stall(row),
        }
        for row in tables.best_per_kernel(results)
    ]
    return {
        "overall": overall,
        "kernels": kernels,
        "without": [kernel for kernel in results.kernels if kernel not in {entry["kernel"] for entry in kernels}],
    }


def missing_to_none(value):
    return None if tables.is_missing(value) else float(value)


def main_stall(row):
    """The reason, other than issue, that took most of a run: "long_scoreboard 57 %"."""
    shares = {reason: row[f"stall.{reason}"] for reason in metrics.STALL_REASONS if reason != "selected"}
    if any(tables.is_missing(share) for share in shares.values()):
        return ""
    reason = max(shares, key=shares.get)
    return f"{reason} {shares[reason]:.0f}\u00a0%"


def point_rows(results):
    """The points for the page's table: cells with text and the value to sort by; completed ones first, fastest
    first."""
    table = results.table.assign(
        missing=results.table["status"] != COMPLETED, time=results.table["cycles"].astype(float)
    )
    rows = []
    places = {axis.name: {text(value): place for place, value in enumerate(axis.values)} for axis in results.varied}
    for row in table.sort_values(["missing", "time", "number"], kind="stable").to_dict("records"):
        cells = [
            {"text": text(row[axis.column]), "sort": places[axis.name][text(row[axis.column])]}
            for axis in results.varied
        ]
        for name in metrics.SHOWN:
            value = row[name]
            cells.append(
                {
                    "text": tables.number_text(value),
                    "sort": "" if tables.is_missing(value) else repr(float(value)),
                    "number": True,
                }
            )
        stall = main_stall(row)
        rows.append(
            {
                "number": row["number"],
                "kernel": row["kernel"],
                "status": row["status"],
                "cells": cells,
                "stall": stall,
                "command": row["command"],
            }
        )
    return rows


def failure_rows(results):
    """The failed points, with only the first line of each message."""
    rows = []
    for row in results.failed.to_dict("records"):
        first, _, rest = str(row["message"] or "").strip().partition("\n")
        rows.append(
            {
                "number": row["number"],
                "kernel": row["kernel"],
                "label": results.label(row),
                "status": row["status"],
                "first": first,
                "rest": rest,
            }
        )
    return rows


def breakable(name):
    """A name that may be broken into lines after its dots and underscores."""
    return markupsafe.Markup("<wbr>").join(re.findall(r"[^._]*[._]*", name))


def render(results, metric="cycles", fronts=None):
    """The whole page as text."""
    effects = sensitivity.effects(results, metric)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["figure"] = lambda value: "–" if value is None else tables.number_text(value)
    environment.filters["breakable"] = breakable
    template = environment.get_template("page.html.j2")
    statuses = results.table["status"]
    return template.render(
        results=results,
        metric=metric,
        unit=results.quantity(metric)[0],
        head=headline(results),
        effects=effects,
        ranking=[axis for axis, _ in sensitivity.ranking(effects)],
        sections=sections(results, metric, fronts, effects),
        columns=[*(axis.name for axis in results.varied), *metrics.SHOWN],
        rows=point_rows(results),
        varied=len(results.varied),
        failures=failure_rows(results),
        meanings=[(status, words) for status, words in STATUS_WORDS.items() if status in set(results.failed["status"])],
        metrics=metrics.ALL,
        text=text,
        missing=int((statuses == NOT_RUN).sum()),
        completed=len(results.completed),
        notes=tables.summary(results)[1:],
        statuses=list(dict.fromkeys(statuses)),
        style=markupsafe.Markup((HERE / "page.css").read_text(encoding="utf-8")),
        script=markupsafe.Markup((HERE / "page.js").read_text(encoding="utf-8")),
        svg=markupsafe.Markup,
    )

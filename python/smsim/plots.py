"""Pictures over the axes of a sweep: effect of one, heat map of two, stall mix.

Each function returns a matplotlib figure, and raises UserError if the existing points show nothing. cells.py explains how
figures of many points are averaged.
"""

import collections
import math

from matplotlib.patches import Patch, Rectangle

from smsim import metrics, style
from smsim.cells import Cells, comparable
from smsim.errors import UserError
from smsim.results import text

# A relative figure spans at least this range, so that noise does not look like an effect.
LEAST_SPAN = 0.04
MOST_PANELS = 8
MOST_BARS = 16
# With more columns, cells are too narrow for a number.
MOST_WRITTEN = 24


@style.styled
def axis_plot(results, axis, metric_name="cycles", by=None):
    """Lines over a numeric axis, marks over a categorical one; a series per kernel, or per value of the axis `by`."""
    series_axis = by or ("kernel" if len(results.kernels) > 1 else None)
    cells = Cells(results, [axis], metric_name, series_axis)
    figure, axes = style.subplots(3.3, key=len(cells.series()) > 1)
    gaps = False
    for number, name in _numbered_series(cells.series(), results, by):
        points = [(value, cells.at(name, (text(value),))) for value in axis.values]
        gaps |= _draw_series(
            axes,
            axis,
            number,
            len(by.values if by else results.kernels),
            name,
            [point for point in points if point[1]],
            cells.spread(),
        )
    _x_axis(axes, axis)
    axes.set_ylabel(cells.value_label())
    _y_range(axes, cells)
    if len(cells.series()) > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), title=by.name if by else None, alignment="left")
    style.headline(axes, f"{metric_name} over {axis.name}", _axis_subtitle(axis, cells, gaps))
    return figure


def _axis_subtitle(axis, cells, gaps):
    parts = cells.notes()
    if cells.spread():
        parts.append(f"{'band' if axis.numeric else 'bars'}: smallest to largest")
    return "; ".join(parts + ["hollow: some points missing"] * gaps)


def _numbered_series(names, results, by):
    """The series with numbers that do not depend on missing points, so that colours stay the same."""
    order = [text(value) for value in by.values] if by else results.kernels
    return [(number, name) for number, name in enumerate(order) if name in names] or list(enumerate(names))


def _draw_series(axes, axis, number, count, name, points, spread):
    """Draws one series; returns whether some of its points cover fewer groups than others."""
    colour = style.SERIES[number % len(style.SERIES)]
    shift = 0 if axis.numeric or count == 1 else 0.5 * (number / (count - 1) - 0.5)
    order = [text(value) for value in axis.values]
    if axis.numeric:
        points = sorted(points, key=lambda point: point[0])
    xs = [value if axis.numeric else order.index(text(value)) + shift for value, _ in points]
    ys = [cell[0] for _, cell in points]
    if spread and axis.numeric:
        axes.fill_between(
            xs, [cell[1] for _, cell in points], [cell[2] for _, cell in points], color=colour, alpha=0.13, linewidth=0
        )
    elif spread:
        axes.vlines(
            xs, [cell[1] for _, cell in points], [cell[2] for _, cell in points], color=colour, linewidth=3, alpha=0.3
        )
    line = style.DASHES[number // len(style.SERIES) % len(style.DASHES)] if axis.numeric else ""
    axes.plot(
        xs,
        ys,
        color=colour,
        linestyle=line,
        marker=style.MARKERS[number % len(style.MARKERS)],
        markeredgecolor=style.PAPER,
        markeredgewidth=0.7,
        label=style.shorten(name),
        zorder=3,
    )
    hollow = [(x, y) for x, y, (_, cell) in zip(xs, ys, points) if cell[3]]
    for x, y in hollow:
        axes.plot(
            [x],
            [y],
            marker=style.MARKERS[number % len(style.MARKERS)],
            color=style.PAPER,
            markeredgecolor=colour,
            markersize=5,
            zorder=4,
        )
    return bool(hollow)


def _x_axis(axes, axis):
    axes.set_xlabel(axis.name)
    if not axis.numeric:
        _categories(axes, axis)
        return
    values = sorted(set(axis.values))
    if axis.logarithmic:
        axes.set_xscale("log", base=2)
    axes.minorticks_off()
    ticks = style.apart(values, axis.logarithmic)
    axes.set_xticks(ticks, [text(value) for value in ticks])


def _categories(axes, axis):
    names = [style.shorten(value, 22) for value in axis.values]
    style.name_ticks(axes, names)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.grid(False, axis="x")


def _y_range(axes, cells):
    low, high = axes.get_ylim()
    if cells.relative or cells.metric.name == "speedup":
        axes.axhline(1, color=style.MUTED, linewidth=0.9, zorder=1)
    least = LEAST_SPAN * max(abs(low), abs(high))
    if high - low < least:
        middle = (high + low) / 2
        axes.set_ylim(middle - least / 2, middle + least / 2)
    axes.yaxis.set_major_formatter(lambda value, position: f"{value:,.6g}")


@style.styled
def heat_map(results, x_axis, y_axis, metric_name="cycles"):
    """The metric over two axes, with its value in each cell. The baseline's cell has a frame, the best one is bold."""
    cells = Cells(results, [x_axis, y_axis], metric_name)
    grid = {
        (column, line): cells.at("", (text(x), text(y)))
        for column, x in enumerate(x_axis.values)
        for line, y in enumerate(y_axis.values)
    }
    present = [cell[0] for cell in grid.values() if cell]
    low, high = min(present), max(present)
    # A mean that lacks points is not compared with a complete one.
    whole = [cell[0] for cell in grid.values() if cell and not cell[3]] or present
    best = {"lower": min, "higher": max}[cells.metric.better](whole) if cells.metric.better and high > low else None
    written = style.ratio_format(low, high) if cells.relative or metric_name == "speedup" else style.figure_text
    figure, axes = style.subplots(0.9 + 0.36 * len(y_axis.values))
    for place, cell in grid.items():
        _draw_cell(
            axes,
            place,
            cell,
            (cell[0] - low) / (high - low) if cell and high > low else 0.0,
            len(x_axis.values),
            written(cell[0]) if cell else "",
            cell is not None and cell[0] == best and (not cell[3] or whole is present),
        )
    _frame_baseline(axes, results, x_axis, y_axis)
    _cell_axes(axes, x_axis, y_axis)
    notes = [cells.value_label(), *cells.notes(), "stronger blue: larger; frame: baseline"]
    if len(x_axis.values) <= MOST_WRITTEN:
        notes.append("bold: best")
    if any(cell is None or cell[3] for cell in grid.values()):
        notes.append("*: some points missing; hatched: none completed")
    style.headline(axes, f"{metric_name} over {x_axis.name} and {y_axis.name}", "; ".join(notes))
    return figure


def _draw_cell(axes, place, cell, share, columns, written, best):
    corner = (place[0] - 0.5, place[1] - 0.5)
    if cell is None:
        axes.add_patch(Rectangle(corner, 1, 1, facecolor="none", edgecolor=style.GRID, hatch="////", linewidth=0))
        return
    colour, ink = style.heat(share)
    axes.add_patch(Rectangle(corner, 1, 1, facecolor=colour, edgecolor=style.PAPER, linewidth=1))
    if columns > MOST_WRITTEN:
        return
    axes.text(
        *place,
        written + ("*" if cell[3] else ""),
        ha="center",
        va="center",
        color=ink,
        fontsize=8.5 if columns <= 12 else 6.5,
        fontweight="bold" if best else "normal",
    )


def _frame_baseline(axes, results, x_axis, y_axis):
    column = [text(value) for value in x_axis.values].index(text(results.baseline[x_axis.name]))
    line = [text(value) for value in y_axis.values].index(text(results.baseline[y_axis.name]))
    axes.add_patch(
        Rectangle(
            (column - 0.5, line - 0.5),
            1,
            1,
            facecolor="none",
            edgecolor=style.SERIES[4],
            linewidth=2,
            zorder=5,
            clip_on=False,
        )
    )


def _cell_axes(axes, x_axis, y_axis):
    _categories(axes, x_axis)
    axes.set_xlabel(x_axis.name)
    axes.set_ylabel(y_axis.name)
    axes.set_yticks(range(len(y_axis.values)), [style.shorten(value, 22) for value in y_axis.values])
    axes.set_ylim(-0.5, len(y_axis.values) - 0.5)
    axes.grid(False)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def stall_shares(results, axis):
    """{kernel: {value of the axis: {reason: warp-cycles per issued instruction, mean over all else}}}."""
    rest = [other for other in results.axes if other is not axis]
    groups = collections.defaultdict(dict)
    for row in results.completed.to_dict("records"):
        length = row["warp_cycles_per_instruction"]
        if not math.isnan(length):
            key = (row["kernel"], *(text(row[other.column]) for other in rest))
            groups[key][text(row[axis.column])] = [
                length * row[f"stall.{name}"] / 100 for name in metrics.STALL_REASONS
            ]
    lists = collections.defaultdict(lambda: collections.defaultdict(list))
    for key, group in comparable(groups, lambda key: key[0]).items():
        for value, lengths in group.items():
            lists[key[0]][value].append(lengths)
    return {
        kernel: {value: dict(zip(metrics.STALL_REASONS, map(_mean, zip(*found)))) for value, found in values.items()}
        for kernel, values in lists.items()
    }


def _mean(values):
    return math.fsum(values) / len(values)


@style.styled
def stall_plot(results, axis):
    """Why an axis matters: for each kernel and value, a bar of warp-cycles per issued instruction, divided by stall reason."""
    shares = stall_shares(results, axis)
    if not shares:
        raise UserError(f"no completed point shows the stalls over {axis.name}")
    kernels = [kernel for kernel in results.kernels if kernel in shares][:MOST_PANELS]
    shown = axis.values[:: math.ceil(len(axis.values) / MOST_BARS)]
    # In inches: a panel, the space between two, and the space below the last.
    panel_height, gap, foot = 0.21 * len(shown) + 0.1, 0.55, 0.5
    height = len(kernels) * (panel_height + gap) + foot
    figure, panels = style.subplots(height, nrows=len(kernels), squeeze=False)
    figure.subplots_adjust(top=1 - gap / height, bottom=foot / height, hspace=gap / panel_height)
    for panel, kernel in zip(panels[:, 0], kernels):
        _stall_panel(panel, shown, kernel, shares[kernel])
    panels[-1, 0].set_xlabel("warp-cycles per issued instruction, lower is better")
    left_out = len(shares) - len(kernels)
    some = "a bar per value" if shown == axis.values else f"bars of {len(shown)} of the {len(axis.values)} values"
    style.headline(
        panels[0, 0],
        f"Stall reasons over {axis.name}",
        f"{some} of {axis.name}; "
        "numbers: percent of the bar; mean over all else that varies"
        + (f"; {left_out} more kernels not shown" if left_out else ""),
    )
    _stall_legend(panels[-1, 0], shares, kernels, -0.5 / panel_height)
    return figure


def _stall_panel(panel, shown, kernel, values):
    longest = max(sum(reasons.values()) for reasons in values.values())
    for line, value in enumerate(shown):
        reasons = values.get(text(value))
        if reasons is None:
            panel.text(0, line, " no completed point", va="center", color=style.MUTED, fontsize=8)
            continue
        left, whole = 0.0, sum(reasons.values())
        for stall in metrics.STALLS:
            width = reasons[stall["name"]]
            panel.add_patch(Rectangle((left, line - 0.39), width, 0.78, **style.stall_fill(stall)))
            panel.add_patch(
                Rectangle((left, line - 0.39), width, 0.78, fill=False, edgecolor=style.PAPER, linewidth=0.6)
            )
            if width > 0.045 * longest:
                panel.text(
                    left + width / 2,
                    line,
                    f"{100 * width / whole:.0f}",
                    ha="center",
                    va="center",
                    fontsize=7.5,
                    color=style.ON_DARK if stall["ink"] == "#ffffff" else style.ON_LIGHT,
                    # On its own background, so that hatching does not cross the figure.
                    bbox={"facecolor": stall["colour"], "edgecolor": "none", "pad": 1} if "hatch" in stall else None,
                )
            left += width
    panel.set_yticks(range(len(shown)), [style.shorten(value, 22) for value in shown])
    panel.set_ylim(len(shown) - 0.4, -0.6)
    panel.set_xlim(0, longest * 1.01)
    panel.grid(False, axis="y")
    panel.annotate(
        style.shorten(kernel, 60), (1, 1), (0, 5), xycoords="axes fraction", textcoords="offset points", ha="right"
    )


def _stall_legend(panel, shares, kernels, place):
    shown = [
        stall
        for stall in metrics.STALLS
        if any(
            reasons[stall["name"]] > 0.005 * sum(reasons.values())
            for kernel in kernels
            for reasons in shares[kernel].values()
        )
    ]
    panel.legend(
        handles=[Patch(**style.stall_fill(stall), label=stall["name"]) for stall in shown],
        ncol=6,
        loc="upper left",
        bbox_to_anchor=(0, place),
        handlelength=1,
        columnspacing=1.2,
        borderaxespad=0,
    )

"""The pictures of a sweep: effect of an axis, heat map of two, stall mix, Pareto front, sensitivity.

Each function gives a matplotlib figure and raises UserError where the points that are there show nothing. Over the axes
that a picture does not show, and over kernels, figures are put into one by the metric's own kind of mean; a time or rate of
several kernels is first divided by that of the baseline's value with all else equal, so that long kernels do not drown short
ones.
"""

import collections
import math

from matplotlib.patches import Patch, Rectangle

from exploration import metrics, pareto, sensitivity, style
from exploration.errors import UserError
from exploration.results import COMPLETED, text

# A relative figure is drawn over at least this range, so that noise does not look like an effect.
LEAST_SPAN = 0.04
MOST_PANELS = 8
MOST_TICKS = 8
MOST_KEY_LINES = 16
MOST_COLUMNS = 12


def direction(metric):
    return f"{metric.better} is better" if metric.better else ""


def unit_label(metric):
    """"cycles", "ipc (warp instr./cycle)"."""
    return metric.name if metric.unit in ("", metric.name) else f"{metric.name} ({metric.unit})"


def is_relative(results, metric):
    return metric.mean == "geometric" and metric.name != "speedup" and len(results.kernels) > 1


class Cells:
    """The metric of each completed point, addressed by the values of the shown axes, the series, and all else."""

    def __init__(self, results, shown, metric_name, series=None):
        self.results = results
        self.metric, values = results.quantity(metric_name)
        self.relative = is_relative(results, self.metric)
        self.shown = shown
        rest = [axis for axis in results.axes if axis not in shown and axis is not series]
        # The groups have all but the shown axes in common: kernel, series, the rest.
        self.groups = collections.defaultdict(dict)
        for row, value in zip(results.table.to_dict("records"), values):
            if row["status"] == COMPLETED and not math.isnan(value):
                key = (self._series(row, series), row["kernel"], *(text(row[axis.column]) for axis in rest))
                self.groups[key][tuple(text(row[axis.column]) for axis in shown)] = value
        if self.relative:
            self._divide_by_baseline()
        if not self.groups:
            raise UserError(f"no completed point shows {metric_name} over {', '.join(axis.name for axis in shown)}" +
                               (" with its baseline" if self.relative else ""))

    @staticmethod
    def _series(row, series):
        return text(row["kernel"] if series == "kernel" else row[series.column]) if series else ""

    def _divide_by_baseline(self):
        base = tuple(text(self.results.baseline[axis.name]) for axis in self.shown)
        self.groups = {key: {cell: value / group[base] for cell, value in group.items()}
                       for key, group in self.groups.items() if group.get(base)}

    def series(self):
        return list(dict.fromkeys(key[0] for key in self.groups))

    def at(self, series, cell):
        """(mean, least, most, whether some group lacks it) of a cell; None where no group has it."""
        groups = [group for key, group in self.groups.items() if key[0] == series]
        values = [group[cell] for group in groups if cell in group]
        if not values:
            return None
        return metrics.mean(values, self.metric.mean), min(values), max(values), len(values) < len(groups)

    def spread(self):
        """Whether several groups are behind a series, so that there is a range to show."""
        return max(collections.Counter(key[0] for key in self.groups).values()) > 1

    def value_label(self):
        """What the figures are, for an axis' label."""
        label = f"relative {self.metric.name}" if self.relative else unit_label(self.metric)
        better = direction(self.metric)
        return f"{label}, {better}" if better else label

    def notes(self):
        """How the figures were put into one, for a subtitle."""
        notes = [kernel_text(self.results)]
        if self.relative:
            base = ", ".join(f"{axis.name}={text(self.results.baseline[axis.name])}" for axis in self.shown)
            notes.append(f"relative to {base} with all else equal")
        if self.spread():
            notes.append(f"{self.metric.mean} mean over all else that varies")
        return notes


def kernel_text(results):
    kernels = results.kernels
    return style.shorten(kernels[0]) if len(kernels) == 1 else f"{len(kernels)} kernels"


@style.styled
def axis_plot(results, axis, metric_name="cycles", by=None):
    """Lines over a numeric axis, marks over a categorical one; a series per kernel, or per value of the axis `by`."""
    series_axis = by or ("kernel" if len(results.kernels) > 1 else None)
    cells = Cells(results, [axis], metric_name, series_axis)
    figure, axes = style.subplots(3.3, key=len(cells.series()) > 1)
    gaps = False
    for number, name in _numbered_series(cells.series(), results, by):
        points = [(value, cells.at(name, (text(value),))) for value in axis.values]
        gaps |= _draw_series(axes, axis, number, len(by.values if by else results.kernels), name,
                             [point for point in points if point[1]], cells.spread())
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
    """The series with numbers that stay when some have no points, so that colours stay too."""
    order = [text(value) for value in by.values] if by else results.kernels
    return [(number, name) for number, name in enumerate(order) if name in names] or list(enumerate(names))


def _draw_series(axes, axis, number, count, name, points, spread):
    """One series; returns whether some of its points are of fewer groups than others."""
    colour = style.SERIES[number % len(style.SERIES)]
    shift = 0 if axis.numeric or count == 1 else 0.5 * (number / (count - 1) - 0.5)
    order = [text(value) for value in axis.values]
    if axis.numeric:
        points = sorted(points, key=lambda point: point[0])
    xs = [value if axis.numeric else order.index(text(value)) + shift for value, _ in points]
    ys = [cell[0] for _, cell in points]
    if spread and axis.numeric:
        axes.fill_between(xs, [cell[1] for _, cell in points], [cell[2] for _, cell in points], color=colour, alpha=0.13,
                          linewidth=0)
    elif spread:
        axes.vlines(xs, [cell[1] for _, cell in points], [cell[2] for _, cell in points], color=colour, linewidth=3, alpha=0.3)
    line = style.DASHES[number // len(style.SERIES) % len(style.DASHES)] if axis.numeric else ""
    axes.plot(xs, ys, color=colour, linestyle=line, marker=style.MARKERS[number % len(style.MARKERS)],
              markeredgecolor=style.PAPER, markeredgewidth=0.7, label=style.shorten(name), zorder=3)
    hollow = [(x, y) for x, y, (_, cell) in zip(xs, ys, points) if cell[3]]
    for x, y in hollow:
        axes.plot([x], [y], marker=style.MARKERS[number % len(style.MARKERS)], color=style.PAPER, markeredgecolor=colour,
                  markersize=5, zorder=4)
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
    ticks = _apart(values, axis.logarithmic)
    axes.set_xticks(ticks, [text(value) for value in ticks])


def _categories(axes, axis):
    names = [style.shorten(value, 22) for value in axis.values]
    crowded = sum(map(len, names)) > 62
    axes.set_xticks(range(len(names)), names, rotation=25 if crowded else 0, ha="right" if crowded else "center")
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.grid(False, axis="x")


def _apart(values, logarithmic):
    """The values whose labels do not meet; the first and the last are among them."""
    place = math.log if logarithmic else float
    span = place(values[-1]) - place(values[0]) or 1
    kept = [values[0]]
    for value in values[1:]:
        if (place(value) - place(kept[-1])) / span >= 0.05:
            kept.append(value)
    if kept[-1] != values[-1]:
        kept[-1:] = [values[-1]]
    return kept


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
    grid = {(column, line): cells.at("", (text(x), text(y)))
            for column, x in enumerate(x_axis.values) for line, y in enumerate(y_axis.values)}
    present = [cell[0] for cell in grid.values() if cell]
    low, high = min(present), max(present)
    # A mean that lacks some points is not compared with one that has all.
    whole = [cell[0] for cell in grid.values() if cell and not cell[3]] or present
    best = {"lower": min, "higher": max}[cells.metric.better](whole) if cells.metric.better and high > low else None
    written = style.ratio_format(low, high) if cells.relative or metric_name == "speedup" else style.figure_text
    figure, axes = style.subplots(0.9 + 0.36 * len(y_axis.values))
    for place, cell in grid.items():
        _draw_cell(axes, place, cell, (cell[0] - low) / (high - low) if cell and high > low else 0.0, len(x_axis.values),
                   written(cell[0]) if cell else "", cell is not None and cell[0] == best and (not cell[3] or whole is present))
    _frame_baseline(axes, results, x_axis, y_axis)
    _cell_axes(axes, x_axis, y_axis)
    notes = [cells.value_label(), *cells.notes(), "frame: baseline; bold: best"]
    if any(cell is None or cell[3] for cell in grid.values()):
        notes.append("*: some points missing; hatched: none completed")
    style.headline(axes, f"{metric_name} over {x_axis.name} and {y_axis.name}", "; ".join(notes))
    return figure


def _draw_cell(axes, place, cell, share, columns, written, best):
    corner = (place[0] - 0.5, place[1] - 0.5)
    if cell is None:
        axes.add_patch(Rectangle(corner, 1, 1, facecolor="none", edgecolor=style.GRID, hatch="////", linewidth=0))
        return
    colour = style.SCALE(share)
    axes.add_patch(Rectangle(corner, 1, 1, facecolor=colour, edgecolor=style.PAPER, linewidth=1))
    axes.text(*place, written + ("*" if cell[3] else ""), ha="center", va="center",
              color=style.text_on(colour), fontsize=8.5 if columns <= 12 else 6.5, fontweight="bold" if best else "normal")


def _frame_baseline(axes, results, x_axis, y_axis):
    column = [text(value) for value in x_axis.values].index(text(results.baseline[x_axis.name]))
    line = [text(value) for value in y_axis.values].index(text(results.baseline[y_axis.name]))
    axes.add_patch(Rectangle((column - 0.5, line - 0.5), 1, 1, facecolor="none", edgecolor=style.SERIES[4], linewidth=2, zorder=5))


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
    sums = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in results.completed.to_dict("records"):
        length = row["warp_cycles_per_instruction"]
        if not math.isnan(length):
            sums[row["kernel"]][text(row[axis.column])].append(
                {reason: length * row[f"stall.{reason}"] / 100 for reason in metrics.STALL_REASONS})
    return {kernel: {value: {reason: math.fsum(row[reason] for row in rows) / len(rows) for reason in metrics.STALL_REASONS}
                     for value, rows in values.items()} for kernel, values in sums.items()}


@style.styled
def stall_plot(results, axis):
    """Why an axis matters: per kernel and value a bar of warp-cycles per issued instruction, divided by stall reason."""
    shares = stall_shares(results, axis)
    if not shares:
        raise UserError(f"no completed point shows the stalls over {axis.name}")
    kernels = [kernel for kernel in results.kernels if kernel in shares][:MOST_PANELS]
    # In inches: a panel, the space between two, and what is below the last.
    panel_height, gap, foot = 0.21 * len(axis.values) + 0.1, 0.55, 0.5
    height = len(kernels) * (panel_height + gap) + foot
    figure, panels = style.subplots(height, nrows=len(kernels), squeeze=False)
    figure.subplots_adjust(top=1 - gap / height, bottom=foot / height, hspace=gap / panel_height)
    for panel, kernel in zip(panels[:, 0], kernels):
        _stall_panel(panel, axis, kernel, shares[kernel])
    panels[-1, 0].set_xlabel("warp-cycles per issued instruction, lower is better")
    left_out = len(shares) - len(kernels)
    style.headline(panels[0, 0], f"Stall reasons over {axis.name}",
                   f"a bar per value of {axis.name}; numbers: percent of the bar; mean over all else that varies" +
                   (f"; {left_out} more kernels not shown" if left_out else ""))
    _stall_legend(panels[-1, 0], shares, kernels, -0.5 / panel_height)
    return figure


def _stall_panel(panel, axis, kernel, values):
    longest = max(sum(reasons.values()) for reasons in values.values())
    for line, value in enumerate(axis.values):
        reasons = values.get(text(value))
        if reasons is None:
            panel.text(0, line, " no completed point", va="center", color=style.MUTED, fontsize=8)
            continue
        left, whole = 0.0, sum(reasons.values())
        for reason in metrics.STALL_REASONS:
            width = reasons[reason]
            colour = style.STALL_COLOURS[reason]
            panel.add_patch(Rectangle((left, line - 0.39), width, 0.78, facecolor=colour, edgecolor=style.PAPER, linewidth=0.6))
            if width > 0.045 * longest:
                panel.text(left + width / 2, line, f"{100 * width / whole:.0f}", ha="center", va="center", fontsize=7.5,
                           color=style.text_on(colour))
            left += width
    panel.set_yticks(range(len(axis.values)), [style.shorten(value, 22) for value in axis.values])
    panel.set_ylim(len(axis.values) - 0.4, -0.6)
    panel.set_xlim(0, longest * 1.01)
    panel.grid(False, axis="y")
    panel.annotate(style.shorten(kernel, 60), (1, 1), (0, 5), xycoords="axes fraction", textcoords="offset points", ha="right")


def _stall_legend(panel, shares, kernels, place):
    shown = [reason for reason in metrics.STALL_REASONS
             if any(reasons[reason] > 0.005 * sum(reasons.values())
                    for kernel in kernels for reasons in shares[kernel].values())]
    panel.legend(handles=[Patch(color=style.STALL_COLOURS[reason], label=reason) for reason in shown], ncol=6,
                 loc="upper left", bbox_to_anchor=(0, place), handlelength=1, columnspacing=1.2, borderaxespad=0)


@style.styled
def pareto_plot(results, quantities):
    """Every configuration, and numbered those that no other beats in both quantities."""
    table, front, better = pareto.of_results(results, quantities)
    if not front:
        raise UserError("no configuration completed for every kernel: no Pareto front")
    names = [name for name, _ in quantities]
    xs, ys = (table[f"value:{name}"].astype(float) for name in names)
    figure, axes = style.subplots(3.6, key=True)
    axes.plot(xs, ys, linestyle="", marker="o", color=style.MUTED, alpha=0.45, markeredgewidth=0, markersize=4,
              label="configuration")
    axes.plot(xs.iloc[front], ys.iloc[front], color=style.SERIES[0], drawstyle="steps-post", linewidth=1.2, marker="o",
              markersize=6.5, markeredgecolor=style.PAPER, label="Pareto front")
    base = results.at_baseline(table)
    if len(base):
        axes.plot(base[f"value:{names[0]}"], base[f"value:{names[1]}"], linestyle="", marker="*", markersize=13,
                  color=style.SERIES[4], markeredgecolor=style.PAPER, label="baseline", zorder=5)
    key = _number_front(axes, results, table, front, names)
    _pareto_axes(axes, results, table, names, better)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    axes.text(1.03, 0.72, "\n".join(key), transform=axes.transAxes, va="top", fontsize=8, linespacing=1.5)
    many = len(results.kernels) > 1
    style.headline(axes, f"{names[0]} against {names[1]}", f"Pareto front of {len(table)} configurations, "
                   f"{'means over ' if many else ''}{kernel_text(results)}")
    return figure


def _number_front(axes, results, table, front, names):
    """Numbers the front's points and returns the key to them."""
    key, lines = [], 0
    places = collections.defaultdict(list)
    for index in front:
        places[tuple(table.iloc[index][f"value:{name}"] for name in names)].append(index)
    for number, (place, indices) in enumerate(places.items(), start=1):
        nearest = min(indices, key=lambda index: results.changes(table.iloc[index]))
        label = [style.shorten(part, 34) for part in results.label(table.iloc[nearest], "\n").split("\n")]
        label += [f"(and {len(indices) - 1} equal)"] if len(indices) > 1 else []
        lines += len(label)
        if lines > MOST_KEY_LINES:
            key.append(f"and {len(places) - number + 1} more")
            break
        axes.annotate(str(number), place, (5, 5), textcoords="offset points", fontsize=8.5, fontweight="bold")
        # Spaces that do not collapse.
        key.append(f"{number}\u00a0\u00a0" + "\n\u00a0\u00a0\u00a0\u00a0".join(label))
    return key


def _pareto_axes(axes, results, table, names, better):
    for name, letter, good in zip(names, "xy", better):
        metric, _ = results.quantity(name)
        getattr(axes, f"set_{letter}label")(f"{unit_label(metric)}, {good} is better")
        getattr(axes, f"{letter}axis").set_major_formatter(lambda value, position: f"{value:,.6g}")
        steps = sorted(set(table[f"value:{name}"]))
        if len(steps) <= MOST_TICKS:
            getattr(axes, f"set_{letter}ticks")(_apart(steps, False))


@style.styled
def sensitivity_plot(results, metric_name="cycles", effects=None):
    """Left, how far each axis moves the metric of each kernel; right, its share of the variance."""
    effects = effects or sensitivity.effects(results, metric_name)
    order = [axis for axis, _ in sensitivity.ranking(effects)]
    if not order:
        raise UserError("no axis has two values: no sensitivity")
    found = {(effect.axis, effect.kernel): effect for effect in effects}
    figure, (left, right) = style.subplots(0.9 + 0.34 * len(order), ncols=2,
                                           gridspec_kw={"width_ratios": [3, 1.5], "wspace": 0.08})
    _swing_panel(left, order, results.kernels[:MOST_COLUMNS], found)
    _variance_panel(right, order, effects)
    style.headline(left, f"Sensitivity of {metric_name}", "swing in percent, all else fixed" +
                   (f"; the first {MOST_COLUMNS} of {len(results.kernels)} kernels" if len(results.kernels) > MOST_COLUMNS else ""))
    style.headline(right, " ", "share of variance, mean of kernels")
    return figure


def _swing_panel(axes, order, kernels, found):
    swings = [found[axis, kernel].swing for axis in order for kernel in kernels]
    most = max([swing for swing in swings if swing is not None and math.isfinite(swing)], default=0) or 1
    for line, axis in enumerate(order):
        for column, kernel in enumerate(kernels):
            swing = found[axis, kernel].swing
            colour = style.PAPER if swing is None else style.SCALE(min(1.0, swing / most))
            axes.add_patch(Rectangle((column - 0.5, line - 0.5), 1, 1, facecolor=colour, edgecolor=style.PAPER, linewidth=1))
            axes.text(column, line, "–" if swing is None else f"{swing:.1f}", ha="center", va="center", fontsize=8.5,
                      color=style.INK if swing is None else style.text_on(colour))
    axes.set_yticks(range(len(order)), [style.shorten(axis, 30) for axis in order])
    axes.set_ylim(len(order) - 0.5, -0.5)
    crowded = max(map(len, kernels)) * len(kernels) > 40
    axes.set_xticks(range(len(kernels)), [style.shorten(kernel, 20) for kernel in kernels], rotation=25 if crowded else 0,
                    ha="right" if crowded else "center")
    axes.set_xlim(-0.5, len(kernels) - 0.5)
    axes.grid(False)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def _variance_panel(axes, order, effects):
    for line, axis in enumerate(order):
        shares = [effect for effect in effects if effect.axis == axis and effect.main is not None]
        if not shares:
            axes.text(0, line, " undefined", va="center", color=style.MUTED, fontsize=8)
            continue
        main = sum(effect.main for effect in shares) / len(shares)
        interaction = sum(effect.interaction for effect in shares) / len(shares)
        axes.barh(line, main, height=0.6, color=style.SERIES[0], label="alone" if line == 0 else None)
        axes.barh(line, interaction, left=main, height=0.6, color=style.SERIES[5], label="with others" if line == 0 else None)
    axes.set_yticks([])
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.grid(False, axis="y")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12 - 0.25 / len(order)), ncol=2, handlelength=1)

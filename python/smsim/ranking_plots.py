"""Pictures that rank: Pareto front and sensitivity. As in plots.py, each function returns a matplotlib figure, and raises
UserError if the existing points show nothing."""

import collections
import math

from matplotlib.patches import Rectangle

from smsim import pareto, sensitivity, style
from smsim.cells import kernel_text, unit_label
from smsim.errors import UserError
from smsim.results import lie_logarithmically

MOST_TICKS = 8
MOST_KEY_LINES = 16
MOST_COLUMNS = 12


@style.styled
def pareto_plot(results, quantities):
    """Every configuration; those that no other beats in both quantities are numbered."""
    table, front, better = pareto.of_results(results, quantities)
    if not front:
        raise UserError("no configuration completed for every kernel: no Pareto front")
    names = [name for name, _ in quantities]
    xs, ys = (table[f"value:{name}"].astype(float) for name in names)
    figure, axes = style.subplots(3.6, key=True)
    axes.plot(
        xs,
        ys,
        linestyle="",
        marker="o",
        color=style.MUTED,
        alpha=0.45,
        markeredgewidth=0,
        markersize=4,
        label="configuration",
    )
    axes.plot(
        xs.iloc[front],
        ys.iloc[front],
        color=style.SERIES[0],
        drawstyle="steps-post",
        linewidth=1.2,
        marker="o",
        markersize=6.5,
        markeredgecolor=style.PAPER,
        label="Pareto front",
    )
    base = results.at_baseline(table)
    if len(base):
        axes.plot(
            base[f"value:{names[0]}"],
            base[f"value:{names[1]}"],
            linestyle="",
            marker="*",
            markersize=13,
            color=style.SERIES[4],
            markeredgecolor=style.PAPER,
            label="baseline",
            zorder=5,
        )
    key = _number_front(axes, results, table, front, names)
    _pareto_axes(axes, results, table, names, better)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    axes.text(1.03, 0.72, "\n".join(key), transform=axes.transAxes, va="top", fontsize=8, linespacing=1.5)
    many = len(results.kernels) > 1
    style.headline(
        axes,
        f"{names[0]} against {names[1]}",
        f"Pareto front of {len(table)} configurations, " f"{'means over ' if many else ''}{kernel_text(results)}",
    )
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
        steps = sorted(set(table[f"value:{name}"].astype(float)))
        if len(steps) <= MOST_TICKS:
            logarithmic = lie_logarithmically(steps)
            if logarithmic:
                getattr(axes, f"set_{letter}scale")("log", base=2)
                axes.minorticks_off()
            getattr(axes, f"set_{letter}ticks")(style.apart(steps, logarithmic))
        # After the scale is set, because it brings its own formatter.
        getattr(axes, f"{letter}axis").set_major_formatter(lambda value, position: f"{value:,.6g}")


@style.styled
def sensitivity_plot(results, metric_name="cycles", effects=None):
    """Left: how far each axis moves the metric of each kernel; right: its share of the variance."""
    effects = effects or sensitivity.effects(results, metric_name)
    order = [axis for axis, _ in sensitivity.ranking(effects)]
    if not order:
        raise UserError("no axis has two values: no sensitivity")
    found = {(effect.axis, effect.kernel): effect for effect in effects}
    figure, (left, right) = style.subplots(
        0.9 + 0.34 * len(order), ncols=2, gridspec_kw={"width_ratios": [3, 1.5], "wspace": 0.08}
    )
    _swing_panel(left, order, results.kernels[:MOST_COLUMNS], found)
    _variance_panel(right, order, effects)
    style.headline(
        left,
        f"Sensitivity of {metric_name}",
        "swing in percent, all else at the baseline"
        + (
            f"; the first {MOST_COLUMNS} of {len(results.kernels)} kernels"
            if len(results.kernels) > MOST_COLUMNS
            else ""
        ),
    )
    style.headline(right, " ", "share of variance, mean of kernels")
    return figure


def _swing_panel(axes, order, kernels, found):
    swings = [found[axis, kernel].swing for axis in order for kernel in kernels]
    most = max([swing for swing in swings if swing is not None and math.isfinite(swing)], default=0) or 1
    for line, axis in enumerate(order):
        for column, kernel in enumerate(kernels):
            swing = found[axis, kernel].swing
            colour, ink = (style.PAPER, style.INK) if swing is None else style.heat(min(1.0, swing / most))
            axes.add_patch(
                Rectangle((column - 0.5, line - 0.5), 1, 1, facecolor=colour, edgecolor=style.PAPER, linewidth=1)
            )
            axes.text(
                column,
                line,
                "–" if swing is None else f"{swing:.1f}",
                ha="center",
                va="center",
                fontsize=8.5,
                color=ink,
            )
    axes.set_yticks(range(len(order)), [style.shorten(axis, 30) for axis in order])
    axes.set_ylim(len(order) - 0.5, -0.5)
    style.name_ticks(axes, [style.shorten(kernel, 20) for kernel in kernels])
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
        axes.barh(
            line, interaction, left=main, height=0.6, color=style.SERIES[5], label="with others" if line == 0 else None
        )
    axes.set_yticks([])
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.grid(False, axis="y")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12 - 0.25 / len(order)), ncol=2, handlelength=1)

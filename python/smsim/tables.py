"""The points of a sweep as text for a terminal, as CSV and as a table for Parquet."""

import csv
import io
import math

import pandas

from smsim import metrics, parquet, sensitivity
from smsim.errors import UserError
from smsim.results import LEADING, NOT_RUN, text

# Columns of files after number, kernel, launch and the axes; the metrics are between the two groups.
OUTCOME = ("status", "message")
ORIGIN = ("exit_status", "seconds", "worker", "finished", "model", "key", "command")
LONGEST_MESSAGE = 100


def is_missing(value):
    return value is None or value is pandas.NA or isinstance(value, float) and math.isnan(value)


def printable(words):
    """Text without terminal control characters and line breaks."""
    return "".join(letter if letter.isprintable() else " " for letter in text(words))


def number_text(value):
    """A figure for people: integers whole, others with four significant digits."""
    if is_missing(value):
        return "-"
    if isinstance(value, float) and not (value.is_integer() and abs(value) < 1e15):
        return f"{value:.4g}" if abs(value) < 10000 else f"{value:.0f}"
    return str(int(value))


def aligned(head, rows):
    """Lines with columns of equal width; numbers are right-aligned."""
    cells = [list(map(printable, row)) for row in [head, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    right = [all(_looks_numeric(row[column]) for row in cells[1:]) and len(cells) > 1 for column in range(len(head))]
    return [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width) for cell, width, to_right in zip(row, widths, right)
        ).rstrip()
        for row in cells
    ]


def _looks_numeric(cell):
    return cell == "-" or cell.replace(".", "").replace("-", "").replace("e+", "").isdigit()


def order(results, name):
    """The completed points, best first in a metric, or ascending in an axis, a configuration key or "number"."""
    table = results.completed
    axis = next((axis for axis in results.axes if axis.name == name), None)
    if name == "number" or name == "kernel":
        return table
    if name in metrics.ALL:
        keys = table[name].astype(float)
        return table.loc[keys.sort_values(ascending=metrics.ALL[name].better == "lower", kind="stable").index]
    if axis is not None:
        places = {text(value): place for place, value in enumerate(axis.values)}
        return table.loc[table[axis.column].map(text).map(places).sort_values(kind="stable").index]
    raise UserError(f"cannot sort by '{name}': no metric and no axis (--list-metrics lists the metrics)")


def summary(results):
    """One line on the completeness of the sweep, and one for each thing that a reader must know."""
    table = results.table
    missing, failed = int((table["status"] == NOT_RUN).sum()), len(results.failed)
    lines = [
        f"{results.name}: {len(table)} points, {len(results.completed)} completed, {failed} failed, {missing} not run"
    ]
    if len(results.models) > 1:
        lines.append(f"results of {len(results.models)} versions of the model: {', '.join(results.models)}")
    base = ", ".join(f"{name}={text(value)}" for name, value in results.baseline.items()) or "the only point"
    lines.append(f"baseline: {base}")
    without = [
        kernel for kernel in results.kernels if results.completed.query("kernel == @kernel")["speedup"].isna().all()
    ]
    if without:
        lines.append(f"no speedup, because the baseline did not complete: {', '.join(without)}")
    return [printable(line) for line in lines]


def points_text(results, names, sort="cycles", top=5):
    """The best points of each kernel (all with top=0), with the named metrics."""
    table = order(results, sort)
    axes = results.varied
    head = ["number", "kernel", *(axis.name for axis in axes), *names]
    rows, left = [], 0
    for kernel in results.kernels:
        chosen = table[table["kernel"] == kernel]
        shown = chosen.head(top) if top else chosen
        left += len(chosen) - len(shown)
        for row in shown.to_dict("records"):
            rows.append(
                [
                    row["number"],
                    kernel,
                    *(text(row[axis.column]) for axis in axes),
                    *(number_text(row[name]) for name in names),
                ]
            )
    lines = aligned(head, rows) if rows else ["no completed point"]
    if left:
        lines.append(f"{left} more completed points (--top 0 shows all)")
    return lines


def failures_text(results, most=10):
    """The points that failed, with the first line of their messages."""
    failed = results.failed
    if failed.empty:
        return []
    head = ["number", "kernel", *(axis.name for axis in results.varied), "status", "message"]
    rows = []
    for row in (failed.head(most) if most else failed).to_dict("records"):
        message = printable((str(row["message"] or "").strip().splitlines() or [""])[0])
        rows.append(
            [
                row["number"],
                row["kernel"],
                *(text(row[axis.column]) for axis in results.varied),
                row["status"],
                message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 1] + "…",
            ]
        )
    more = [f"{len(failed) - len(rows)} more failed points (--top 0 shows all)"] if len(rows) < len(failed) else []
    return ["failed:", *aligned(head, rows), *more]


def sensitivity_text(effects, order_of_axes):
    """Every effect, the axes by decreasing swing."""
    head = ["axis", "kernel", "swing %", "average %", "main", "total", "best", "worst", "loss %", "note"]
    rows = []
    for axis, _ in order_of_axes:
        for effect in effects:
            if effect.axis == axis:
                rows.append(
                    [
                        axis,
                        effect.kernel,
                        number_text(effect.swing),
                        number_text(effect.average),
                        _share(effect.main),
                        _share(effect.total),
                        effect.best or "-",
                        effect.worst or "-",
                        number_text(effect.loss),
                        effect.note,
                    ]
                )
    return aligned(head, rows) if rows else ["no axis has two values"]


def _share(value):
    return "-" if value is None else f"{value:.3f}"


def metrics_text():
    rows = [[metric.name, metric.unit, metric.better or "-", metric.description] for metric in metrics.ALL.values()]
    return aligned(["metric", "unit", "better", "meaning"], rows)


def export(results):
    """A table for files: every point, every metric, in the order of the points."""
    columns = [*LEADING, *(axis.column for axis in results.axes), *OUTCOME, *metrics.ALL, *ORIGIN]
    return results.table[columns]


def csv_text(results):
    """CSV with a head; missing figures are empty, floating-point numbers are exact."""
    table = export(results)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.columns)
    for row in zip(*(table[column] for column in table.columns)):
        writer.writerow(
            [
                "" if is_missing(value) else repr(float(value)) if isinstance(value, float) else text(value)
                for value in row
            ]
        )
    return buffer.getvalue()


def parquet_bytes(results):
    return parquet.encode(export(results))


def points_of(results, row):
    """The points of all kernels at a row's values of the axes."""
    table = results.table
    for axis in results.axes:
        table = table[table[axis.column].map(text) == text(row[axis.column])]
    return table


def _smallest(results, table, column):
    """The row with the smallest figure. Among rows that differ from it by less than sensitivity.SLIGHT: the one nearest to the
    baseline, then the smallest, then the first. None without rows."""
    figures = table[column].astype(float)
    equals = table[figures <= figures.min() * (1 + sensitivity.SLIGHT / 100)]
    return min(
        (row for _, row in equals.iterrows()), key=lambda row: (results.changes(row), row[column]), default=None
    )


def best_per_kernel(results):
    """For each kernel with completed points, the one with the fewest cycles: [row]."""
    rows = [
        _smallest(results, results.completed[results.completed["kernel"] == kernel], "cycles")
        for kernel in results.kernels
    ]
    return [row for row in rows if row is not None]


def best_overall(results):
    """The configuration with the smallest geometric mean of cycles over the kernels as a row with "value:cycles" and
    "value:speedup"; None if no configuration completed for every kernel."""
    return _smallest(results, results.over_kernels("cycles", "speedup"), "value:cycles")

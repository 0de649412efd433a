"""Reads a sweep's SQLite file into a table of points: the varied values, how each run ended, and its metrics.

One row per point. A point that failed, or has not been run, keeps its row with its status and message; its metrics are
missing (NaN), so that no figure of a run that did not complete enters a comparison.
"""

import collections
import contextlib
import dataclasses
import functools
import math
import shlex
import sqlite3
import urllib.parse
import zlib
from pathlib import Path

import pandas
import yaml

from smsim import document, metrics, stored
from smsim.errors import UserError, did_you_mean
from smsim.places import DATA
from smsim.values import LAUNCH

LAYOUT = 1
COMPLETED = "completed"
NOT_RUN = "not_run"
# Statuses that this module adds to those of the file.
UNREADABLE = "unreadable"
# Columns before and after the axes; an axis with such a name, or that of a metric, has the prefix "axis." in tables.
LEADING = ("number", "kernel", "launch")
TRAILING = ("status", "message", "exit_status", "seconds", "worker", "finished", "model", "settings", "command", "key")


def text(value):
    """A value as a configuration spells it: true, 0.5, two_level."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclasses.dataclass(frozen=True)
class Axis:
    """What one axis of the sweep varies; `column` is its column of the table."""

    name: str
    column: str
    values: tuple

    @property
    def numeric(self):
        return all(is_number(value) for value in self.values)

    @property
    def logarithmic(self):
        return self.numeric and lie_logarithmically(self.values)

    def value(self, written):
        """The value of the axis that a user wrote; UserError if there is no such value."""
        for value in self.values:
            if text(value) == written or is_number(value) and _same_number(value, written):
                return value
        raise UserError(f"axis {self.name} has no value '{written}'; it has {', '.join(map(text, self.values))}")


def lie_logarithmically(values):
    """Whether numbers are spread more evenly on a logarithmic scale than on a linear one."""
    values = sorted(set(values))
    if len(values) < 3 or values[0] <= 0:
        return False
    steps = list(zip(values, values[1:]))
    return _unevenness([b / a for a, b in steps], math.log) < _unevenness([b - a for a, b in steps], float)


def _unevenness(steps, scale):
    """Coefficient of variation of the steps on a scale."""
    scaled = [scale(step) for step in steps]
    average = sum(scaled) / len(scaled)
    return math.sqrt(sum((step - average) ** 2 for step in scaled) / len(scaled)) / average


def _same_number(value, written):
    try:
        return float(written) == value
    except ValueError:
        return False


class Results:
    """A sweep and its points.

    table       one row per point; see LEADING, TRAILING, the axes' columns, the metrics and `speedup`
    config      the effective configuration of each completed point, same rows; one column per key
    baseline    axis name -> value of the point that speedups refer to
    """

    def __init__(self, name, description, definition, axes, table, config, baseline=None):
        """`baseline`: axis name -> value, where the sweep has chosen one."""
        self.name = name
        self.description = description
        self.definition = definition
        self.axes = axes
        self.table = table
        self.config = config
        self.baseline = default_point(axes, table) | (baseline or {})
        self._add_speedup()

    def axis(self, name):
        for axis in self.axes:
            if axis.name == name:
                return axis
        names = ", ".join(axis.name for axis in self.axes) or "none"
        raise UserError(f"the sweep has no axis '{name}'; it has {names}")

    @functools.cached_property
    def varied(self):
        """Axes with more than one value among the points."""
        return [axis for axis in self.axes if self.table[axis.column].map(text).nunique() > 1]

    @property
    def kernels(self):
        return list(dict.fromkeys(self.table["kernel"]))

    @property
    def completed(self):
        return self.table[self.table["status"] == COMPLETED]

    @property
    def failed(self):
        """Points that were run, but did not complete with all checks passed."""
        return self.table[~self.table["status"].isin([COMPLETED, NOT_RUN])]

    @property
    def models(self):
        return sorted(set(self.table["model"].dropna()))

    def set_baseline(self, values):
        """Sets other values (axis name -> value as written) for the baseline point, which must be a point of the sweep."""
        before = self.baseline
        self.baseline = before | {name: self.axis(name).value(written) for name, written in values.items()}
        if values and self.at_baseline(self.table).empty:
            wanted = ", ".join(f"{name}={text(value)}" for name, value in self.baseline.items())
            self.baseline = before
            raise UserError(f"the baseline is no point of the sweep: {wanted}")
        self._add_speedup()

    def at_baseline(self, table, axes=None):
        """The rows of `table` at the baseline's value of `axes` (default: all)."""
        for axis in self.axes if axes is None else axes:
            table = table[table[axis.column].map(text) == text(self.baseline[axis.name])]
        return table

    def baseline_rows(self):
        """The completed baseline point of each kernel: kernel -> row."""
        rows = self.at_baseline(self.table[self.table["status"] == COMPLETED])
        return {row["kernel"]: row for _, row in rows.drop_duplicates("kernel").iterrows()}

    def _add_speedup(self):
        cycles = {kernel: row["cycles"] for kernel, row in self.baseline_rows().items()}
        base = self.table["kernel"].map(cycles).astype(float)
        self.table["speedup"] = base / self.table["cycles"].astype(float)

    def select(self, where=None, kernels=None):
        """The sweep with only the matching points: where: axis name -> values as written; kernels: names.
        Speedups stay those of the whole sweep."""
        keep = pandas.Series(True, index=self.table.index)
        for name, written in (where or {}).items():
            axis = self.axis(name)
            wanted = {text(axis.value(word)) for word in written}
            keep &= self.table[axis.column].map(text).isin(wanted)
        for kernel in kernels or []:
            if kernel not in self.kernels:
                raise UserError(f"the sweep has no kernel '{kernel}'; it has {', '.join(self.kernels)}")
        if kernels:
            keep &= self.table["kernel"].isin(kernels)
        if not keep.any():
            raise UserError("no point of the sweep fits --where and --kernel")
        chosen = object.__new__(Results)
        chosen.__dict__.update(self.__dict__)
        chosen.__dict__.pop("varied", None)
        chosen.table, chosen.config = self.table[keep], self.config[keep]
        return chosen

    def configuration(self, row):
        """The values of the axes at a row: axis name -> value."""
        return {axis.name: row[axis.column] for axis in self.axes}

    def changes(self, row):
        """The number of axes in which a point differs from the baseline."""
        return sum(text(row[axis.column]) != text(self.baseline[axis.name]) for axis in self.axes)

    def label(self, row, separator=", "):
        """A point's differences from the baseline, for people: "ibuffer.depth=8"."""
        parts = [
            f"{axis.name}={text(row[axis.column])}"
            for axis in self.varied
            if text(row[axis.column]) != text(self.baseline[axis.name])
        ]
        return separator.join(parts) or "baseline"

    def quantity(self, name):
        """A metric, or as a cost a configuration key or an axis of the launch file: (Metric, its values as floats, one per row)."""
        if name in metrics.ALL:
            return metrics.ALL[name], self.table[name].astype(float)
        launch = {axis.name: axis.column for axis in self.axes if axis.name.startswith(LAUNCH)}
        if name in self.config or name in launch:
            values = self.table[launch[name]] if name in launch else self.config[name]
            if not all(is_number(value) for value in values.dropna()):
                raise UserError(f"{name} is no number at every point")
            metric = metrics.Metric(name, "", "configuration", "lower", "arithmetic", lambda report: None)
            return metric, values.astype(float)
        hint = did_you_mean(name, [*metrics.ALL, *self.config, *launch])
        raise UserError(f"no metric and no configuration key '{name}'{hint} (--list-metrics lists the metrics)")

    def over_kernels(self, *names):
        """One row per configuration that completed for every kernel: the axes, the mean of each quantity over the
        kernels (column "value:NAME", each with the metric's own kind of mean), and the settings."""
        columns = [axis.column for axis in self.axes]
        frame = self.table[["kernel", "status", "settings", "number", *columns]].copy()
        kinds = {}
        for name in names:
            metric, frame[f"value:{name}"] = self.quantity(name)
            kinds[name] = metric.mean
        groups = collections.defaultdict(list)
        for row in frame.to_dict("records"):
            groups[tuple(text(row[column]) for column in columns)].append(row)
        rows = []
        for members in groups.values():
            if any(row["status"] != COMPLETED for row in members) or {row["kernel"] for row in members} != set(
                self.kernels
            ):
                continue
            mean = {
                f"value:{name}": metrics.mean([row[f"value:{name}"] for row in members], kind)
                for name, kind in kinds.items()
            }
            rows.append({column: members[0][column] for column in ["number", "settings", *columns]} | mean)
        figures = [f"value:{name}" for name in names]
        # As objects, because pandas would convert the axes' values to its own flags and numbers.
        frame = pandas.DataFrame(rows, columns=["number", "settings", *columns, *figures], dtype=object)
        return frame.astype({figure: float for figure in figures})


def default_point(axes, table):
    """The value of each axis nearest to the sweep's base configuration: that of the point with the fewest settings that differ
    from it; among equals the first."""
    defaults = set(_base_settings(_base_file(table["command"])).items())
    changed = [sum(setting not in defaults for setting in map(_normal, settings)) for settings in table["settings"]]
    nearest = {}
    for axis in axes:
        fewest = {}
        for value, count in zip(table[axis.column].map(text), changed):
            fewest[value] = min(count, fewest.get(value, count))
        nearest[axis.name] = min(
            (value for value in axis.values if text(value) in fewest), key=lambda value: fewest[text(value)]
        )
    return nearest


def _base_file(commands):
    """The configuration file on which all points are based, as their commands name it; None if there is none."""
    try:
        words = shlex.split(commands.iloc[0]) if len(commands) else []
    except ValueError:  # not a command of scripts/sweep
        words = []
    return DATA / words[words.index("-c") + 1] if "-c" in words[:-1] else None


@functools.lru_cache(maxsize=None)
def _base_settings(base):
    """Key -> value of the default configuration, overridden by those of the file `base`. If a sweep is analysed without access
    to that file, the defaults are used."""
    settings = _settings_of(DATA / "configs" / "default.yaml")
    if base is not None and base.is_file():
        settings |= _settings_of(base)
    return settings


def _settings_of(path):
    try:
        tree = document.tree(document.file_text(path))
        return dict(_flatten(tree if isinstance(tree, dict) else {}))
    except yaml.YAMLError as error:
        raise UserError(f"{path}: {error}") from error


def _normal(setting):
    """(key, value) of "key=value"."""
    key, _, value = str(setting).partition("=")
    try:
        read = document.tree(value)
    except yaml.YAMLError:
        read = value
    # A launch file may have a list there, which is no value of a configuration.
    return key, value if isinstance(read, (dict, list)) else read


def load(path, name=None):
    """The sweep of that name, or the only one of the file. UserError: no such sweep, or contents that are not a sweep."""
    if not Path(path).is_file():
        raise UserError(f"{path}: no such file")
    try:
        uri = f"file:{urllib.parse.quote(str(path))}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as database:
            _check_layout(database, path)
            return _load(database, path, name)
    except sqlite3.Error as error:
        raise UserError(f"{path}: {error}") from error


def _check_layout(database, path):
    try:
        version = database.execute("PRAGMA user_version").fetchone()[0]
        tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error as error:
        raise UserError(f"{path}: no file of a sweep: {error}") from error
    if version != LAYOUT or not {"sweep", "axis", "point", "result"} <= tables:
        raise UserError(f"{path}: no file of a sweep of layout {LAYOUT} (found layout {version})")


def _load(database, path, name):
    names = [row[0] for row in database.execute("SELECT name FROM sweep ORDER BY name")]
    if not all(isinstance(each, str) for each in names):
        raise UserError(f"{path}: the name of a sweep is no text")
    if name is None and len(names) != 1:
        raise UserError(
            f"{path} holds {len(names)} sweeps" + (f"; choose one with --sweep: {', '.join(names)}" if names else "")
        )
    if name is not None and name not in names:
        raise UserError(f"{path} has no sweep '{name}'; it has {', '.join(names) or 'none'}")
    name = names[0] if name is None else name
    description, definition = database.execute(
        "SELECT description, definition FROM sweep WHERE name = ?", (name,)
    ).fetchone()
    declared = {
        axis: _stored(path, f"the values of axis {axis}", values, list)
        for axis, values in database.execute(
            'SELECT name, "values" FROM axis WHERE sweep = ? ORDER BY position', (name,)
        )
    }
    records, configs = _points(database, path, name)
    if not records:
        raise UserError(f"{path}: sweep '{name}' has no points")
    for record in records:
        if not isinstance(record["kernel"], str):
            raise UserError(f"{path}: the kernel of point {record['number']} is no text")
    for axis in declared:
        if not any(axis in record["values"] for record in records):
            raise UserError(f"{path}: no point has a value of axis {axis}")
    axes = _axes(declared, [record["values"] for record in records])
    table = _table(records, axes)
    baseline = _chosen_baseline(database, path, name, axes)
    return Results(name, description or "", definition or "", axes, table, pandas.DataFrame(configs), baseline)


def _chosen_baseline(database, path, name, axes):
    """axis name -> value, where the sweep has chosen a baseline; the values are those of the axes."""
    if not database.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'baseline'").fetchone():
        return {}  # a file from before there was one
    row = database.execute('SELECT "values" FROM baseline WHERE sweep = ?', (name,)).fetchone()
    written = _stored(path, "the baseline", row[0], dict) if row else {}
    chosen = {}
    for axis in axes:
        if axis.name in written:
            try:
                chosen[axis.name] = axis.value(text(written[axis.name]))
            except UserError as error:
                raise UserError(f"{path}: the baseline: {error}") from None
    return chosen


def _stored(path, what, text, kind):
    """A list or a dictionary of plain values from a file of results."""
    try:
        tree = stored.parse(text)
    except ValueError as error:
        raise UserError(f"{path}: {what} cannot be read: {error}") from None
    if not isinstance(tree, kind):
        raise UserError(f"{path}: {what} cannot be read: {'a list' if kind is list else 'an object'} is expected")
    for value in [*tree, *(tree.values() if kind is dict else ())]:
        if not isinstance(value, (str, int, float)) or isinstance(value, str) and document.UNUSABLE.search(value):
            raise UserError(f"{path}: {what} cannot be read: numbers, flags and text are expected")
    return tree


def _points(database, path, name):
    """One record and one flat configuration per point, in the order of the expansion."""
    query = (
        'SELECT point.number, kernel, launch, "values", settings, command, point.key, status, message, exit_status, '
        "seconds, worker, finished, model, report FROM point LEFT JOIN result ON result.key = point.key "
        "WHERE point.sweep = ? ORDER BY point.number"
    )
    records, configs = [], []
    cursor = database.execute(query, (name,))
    columns = [column[0] for column in cursor.description]
    for row in cursor:
        record = dict(zip(columns, row))
        what = f"point {record['number']}"
        record["values"] = _stored(path, f"the values of {what}", record["values"], dict)
        record["settings"] = _stored(path, f"the settings of {what}", record["settings"] or "[]", list)
        record["status"] = record["status"] or NOT_RUN
        config = {}
        if record["status"] == COMPLETED:
            config = _read_report(record)
        del record["report"]
        records.append(record)
        configs.append(config)
    return records, configs


def _read_report(record):
    """Adds the metrics to the record and returns the configuration; an unreadable report makes the point a failed one."""
    try:
        report = stored.parse(zlib.decompress(record["report"]))
        record |= metrics.of_report(report)
        return dict(_flatten(report["config"]))
    except (TypeError, zlib.error, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        record["status"] = UNREADABLE
        record["message"] = f"report that cannot be read: {type(error).__name__}: {error}"
        return {}


def _flatten(tree, prefix=""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _axes(declared, values):
    """The declared axes; values that only points have follow the declared ones."""
    found = {name: {text(value): value for value in listed} for name, listed in declared.items()}
    for point in values:
        for name, value in point.items():
            found.setdefault(name, {}).setdefault(text(value), value)
    taken = {*LEADING, *TRAILING, *metrics.ALL}
    return [
        Axis(name, f"axis.{name}" if name in taken else name, tuple(listed.values())) for name, listed in found.items()
    ]


def _table(records, axes):
    columns = {}
    for name in LEADING:
        columns[name] = [record[name] for record in records]
    for axis in axes:
        columns[axis.column] = [record["values"].get(axis.name) for record in records]
    for name in TRAILING:
        columns[name] = [record[name] for record in records]
    table = pandas.DataFrame({name: pandas.Series(values, dtype=object) for name, values in columns.items()})
    figures = {name: _figures([record.get(name) for record in records]) for name in metrics.METRICS}
    return pandas.concat([table, pandas.DataFrame(figures)], axis=1)


def _figures(values):
    """Integers stay integers if all values are."""
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, int) for value in present):
        return pandas.Series(values, dtype="Int64")
    return pandas.Series([math.nan if value is None else float(value) for value in values], dtype=float)

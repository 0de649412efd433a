"""`scripts/correlate --fit`: keys and their bounds, the runs, the table, and the configuration that is written."""
import concurrent.futures
import itertools
import json
import pathlib
import re
import shutil
import subprocess

import yaml

from . import fitting, points as data, runner

MARKED = 3  # points that the comment on a key names


class FitError(Exception):
    """An error that the user must fix."""


def _asked(smsim, *arguments):
    """The output of `smsim config` as JSON; its message is passed to the user."""
    done = subprocess.run([smsim, "config", "--json", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise FitError(done.stderr.strip().splitlines()[0].removeprefix("smsim: error: "))
    return json.loads(done.stdout)


def value_of(configuration, name):
    """The value of a key in a configuration given as maps."""
    for part in name.split("."):
        configuration = configuration[part]
    return configuration


def _numbers(schema, low, high):
    step = schema["multiple_of"]
    return [number for number in range(-(-low // step) * step, high + 1, step)
            if not schema["power_of_two"] or number & (number - 1) == 0]


def key_of(text, schema, configuration):
    """The key that `--fit TEXT` names: KEY, whose numbers range from half to twice the present one, or KEY=LOW:HIGH."""
    name, given, bounds = text.partition("=")
    if name not in schema:
        raise FitError(f"--fit {text}: there is no key {name!r}")
    entry, present = schema[name], value_of(configuration, name)
    if entry["type"] in ("flag", "name"):
        if given:
            raise FitError(f"--fit {text}: {name} has no bounds, all its values are tried")
        values = [False, True] if entry["type"] == "flag" else entry["values"]
    elif entry["type"] in ("unsigned", "integer"):
        found = re.fullmatch(r"(-?\d+):(-?\d+)", bounds) if given else None
        if given and found is None:
            raise FitError(f"--fit {text}: expected KEY=LOW:HIGH with whole numbers")
        low, high = map(int, found.groups()) if found else (present // 2, max(2 * present, present + 2))
        values = _numbers(entry, max(low, entry["low"]), min(high, entry["high"]))
        if present not in values:
            values = sorted([*values, present])
    else:
        raise FitError(f"--fit {text}: {name} is neither a whole number nor one of several names")
    if len(values) < 2:
        raise FitError(f"--fit {text}: there is one value only")
    return fitting.Key(name, values, values.index(present), ordered=entry["type"] != "name")


def as_text(value):
    """A value in the form of the command line and YAML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Runs:
    """Figures of points with settings, `jobs` launches at a time."""

    def __init__(self, smsim, configuration, folder, jobs, given, progress):
        self.smsim, self.configuration, self.folder = smsim, configuration, pathlib.Path(folder)
        self.jobs, self.given, self.progress = jobs, given, progress
        self.numbers, self.done, self.message = itertools.count(), 0, ""

    def __call__(self, all_settings, points):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            results = [{point.name: pool.submit(self.one, point, settings) for point in points} for settings in all_settings]
            return [{name: future.result() for name, future in each.items()} for each in results]

    def one(self, point, settings):
        folder = self.folder / str(next(self.numbers))
        result = runner.run_point(self.smsim, point, self.configuration, folder,
                                  [*self.given, *(f"{name}={as_text(value)}" for name, value in settings.items())])
        shutil.rmtree(folder, ignore_errors=True)
        self.message = result.message or self.message
        self.done += 1
        self.progress(self.done)
        return result.value


def table(search, found):
    """The findings for each key, in Markdown."""
    rows = ["| key | tried | before | fitted | as good | points | determined |", "|---|---|---|---|---|---|---|"]
    for each in found:
        values = [as_text(value) for value in each.key.values]
        tried = ", ".join(values) if len(values) <= 3 or not isinstance(each.key.values[0], int) else f"{values[0]} to {values[-1]}"
        good = values[each.low] if each.low == each.high else f"{values[each.low]} to {values[each.high]}"
        rows.append(f"| `{each.key.name}` | {tried} | {values[each.key.present]} | {values[each.best]} | {good} | {len(each.points)} "
                    f"of {len(search.points)} | {each.verdict} |")
    return "\n".join(rows)


def mark(found, names):
    """The comment after a fitted key."""
    shown = ", ".join(names[:MARKED]) + (f" and {len(names) - MARKED} more" if len(names) > MARKED else "")
    return f"fitted: {shown}" + ("" if found.verdict == "yes" else f"; {found.verdict.replace('`', '')}")


def _entry(depth, name, change):
    value, comment = change
    return f"{'  ' * depth}{name}: {as_text(value)}".ljust(44) + f"# {comment}"


def _added(changes, depth):
    """Lines for keys that the text lacks, in their sections."""
    lines = []
    for name in dict.fromkeys(name.split(".")[0] for name in changes):
        if name in changes:
            lines.append(_entry(depth, name, changes[name]))
        else:
            inside = {key.partition(".")[2]: change for key, change in changes.items() if key.startswith(name + ".")}
            lines += [f"{'  ' * depth}{name}:", *_added(inside, depth + 1)]
    return lines


def write(text, changes):
    """The text of a configuration, with two blanks per level, and changed values: `changes` maps keys to (value, comment). Keys
    that the text lacks are added at the end of their section; everything else stays as it is."""
    lines, left, sections = [], dict(changes), []

    def close(depth):
        """Keeps the sections around a line of this depth; sections that end receive their remaining keys."""
        while len(sections) > depth:
            prefix = ".".join(sections) + "."
            rest = {name.removeprefix(prefix): left.pop(name) for name in list(left) if name.startswith(prefix)}
            lines.extend(_added(rest, len(sections)))
            sections.pop()

    for line in text.splitlines():
        found = re.match(r"( *)([a-z0-9_]+):(.*)$", line)
        if found:
            depth = len(found[1]) // 2
            close(depth)
            name = ".".join([*sections, found[2]])
            value, _, comment = found[3].partition("#")
            if not value.strip():
                sections.append(found[2])
            elif value.strip().startswith("{") and any(key.startswith(name + ".") for key in left):
                lines.append(f"{found[1]}{found[2]}:".ljust(44) + f"#{comment}" if comment else f"{found[1]}{found[2]}:")
                for inside, old in yaml.safe_load(value).items():
                    lines.append(_entry(depth + 1, inside, left.pop(f"{name}.{inside}", (old, ""))).rstrip("# "))
                sections.append(found[2])
                continue
            elif name in left:
                line = _entry(depth, found[2], left.pop(name))
        lines.append(line)
    close(0)
    return "\n".join([*lines, *_added(left, 0)]) + "\n"


def leaves(content, prefix=""):
    """The values, by key, of a configuration given as maps."""
    return {name: value for part, inside in (content or {}).items()
            for name, value in (leaves(inside, f"{prefix}{part}.").items() if isinstance(inside, dict) else [(prefix + part, inside)])}


def settings_of(given, configuration):
    """The keys of `--set`, with their values as the model interprets them."""
    return {setting.partition("=")[0]: (value_of(configuration, setting.partition("=")[0]), "set") for setting in given}


def run(arguments, points, progress):
    """Fits. Returns (text to print, figures before, figures with the fitted configuration, text of the configuration)."""
    generations = sorted({point.generation for point in points if point.probe})
    if len(generations) != 1:
        raise FitError(f"--fit needs a single generation, but the points are of {', '.join(generations) or 'none'}; choose with --generation or --only")
    chosen = [point for point in points if point.probe and not point.stated]
    if not chosen:
        raise FitError("--fit: no point is left that the model's figures decide")
    file = data.configurations()[generations[0]]
    settings = [word for setting in arguments.set for word in ("--set", setting)]
    configuration = _asked(arguments.smsim, "-c", file, *settings)
    schema = {entry["key"]: entry for entry in _asked(arguments.smsim, "--schema")["keys"]}
    keys = [key_of(text, schema, configuration) for text in arguments.fit]
    if len({key.name for key in keys}) != len(keys):
        raise FitError("--fit: a key is given twice")
    runs = Runs(arguments.smsim.resolve(), file, arguments.output / "runs", arguments.jobs, arguments.set, progress)
    search = fitting.Search(keys, chosen, runs)
    before = search.figures([search.present])[0]
    if not any(before.values()):
        raise FitError(f"no point has a figure: {runs.message}")
    places = search.run()
    found = fitting.findings(search, places)
    after = search.figures([places])[0]
    changes = settings_of(arguments.set, configuration)
    changes.update({each.key.name: (each.key.values[each.best], mark(each, each.points)) for each in found if each.points})
    text = write(file.read_text(), changes)
    if leaves(yaml.safe_load(text)) != {**leaves(yaml.safe_load(file.read_text())), **{name: value for name, (value, _) in changes.items()}}:
        raise FitError(f"{file}: these keys cannot be set in a text of this form")
    shown = (f"mean error of {len(chosen)} points: {search.error(before):.2f} % before, {search.error(after):.2f} % fitted, "
             f"{runs.done} runs of a point\n\n{table(search, found)}")
    return shown, before, after, text

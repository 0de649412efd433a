"""The command `scripts/correlate`."""
import argparse
import json
import os
import pathlib
import subprocess
import sys

from smsim import outputs, stored
from smsim.errors import UserError
from silicon import probes
from silicon.device import compilers

from . import bounds, causes, compiled, figures, page, points as data, runner, tables, validation

RECORD = data.SILICON / "record.json"
SLACK = 0.1  # percentage points by which an error may exceed the recorded one


class CommandError(Exception):
    """An error that the user must fix."""


def options():
    parser = argparse.ArgumentParser(prog="scripts/correlate",
                                     description="Correlates the model's cycles with published silicon.")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), metavar="N", help="launches at a time (all cores)")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=data.ROOT / "out/correlate", metavar="DIR",
                        help="folder of results.json, table.md and index.html (out/correlate)")
    parser.add_argument("--smsim", type=pathlib.Path, default=data.ROOT / "build/release/smsim", metavar="PROGRAM",
                        help="run another program than build/release/smsim")
    parser.add_argument("--only", action="append", metavar="TEXT", help="only points whose name contains it; may be repeated")
    parser.add_argument("--points", action="append", type=pathlib.Path, metavar="FILE",
                        help="points of this file, as scripts/measure-gpu writes it, instead of tb/silicon/points; may be repeated")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a key of the configuration")
    parser.add_argument("--generation", metavar="NUMBER", help="only points of this generation: 7.0, 9.0")
    parser.add_argument("--fit", action="append", metavar="KEY[=LOW:HIGH]",
                        help="find the value of a key with the smallest mean error of the points, and write the configuration; "
                             "may be repeated")
    parser.add_argument("--against", type=pathlib.Path, metavar="FILE",
                        help="show what has changed since an earlier results.json")
    parser.add_argument("--check", type=pathlib.Path, nargs="?", const=RECORD, metavar="FILE",
                        help="fail when an error is greater than that of FILE (tb/silicon/record.json), or a set of points beyond its "
                             "bounds (tb/silicon/bounds.yaml)")
    parser.add_argument("--record", action="store_true",
                        help="write the results to tb/silicon/record.json, what reports say of them to configs/validation.json")
    parser.add_argument("--compiled", action="store_true",
                        help="run the probes of tb/silicon/source, CUDA C, beside their hand-scheduled twins; with --check fail beyond "
                             "the bounds there")
    parser.add_argument("--recorded", action="store_true", help="run nothing, show what is recorded")
    parser.add_argument("--table", choices=("summary", "bounds", "far", "points", "without"), default="summary", help="what to print (summary)")
    return parser.parse_args()


def load(path):
    """Values and messages by name from a results.json."""
    try:
        content = stored.parse(path.read_text(encoding="utf-8"))["points"]
        values = {name: entry["value"] for name, entry in content.items()}
        if not all(value is None or isinstance(value, (int, float)) for value in values.values()):
            raise ValueError("a value is no number")
        return values, {name: entry.get("message", "") for name, entry in content.items()}
    except (OSError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise CommandError(f"{path}: not the results of a correlation ({error})") from error


def write_results(path, points, values, messages, version=None):
    entries = {}
    for point in points:
        if point.probe and point.name in values:
            value = values[point.name]
            entries[point.name] = {"published": point.value, "value": value}
            if value is None:
                entries[point.name]["message"] = messages[point.name]
            elif version:
                entries[point.name]["error_percent"] = round(figures.error(point, value), 3)
    # One line per point: the record is reviewed as a diff.
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items())
    head = f' "smsim": {json.dumps(version)},\n' if version else ""
    outputs.write(path, f'{{\n{head} "points": {{\n{lines}\n }}\n}}\n')


def select(points, texts, generation):
    chosen = [point for point in points if not texts or any(text in point.name for text in texts)]
    if not chosen:
        raise CommandError(f"no point's name contains {' or '.join(map(repr, texts))}")
    chosen = [point for point in chosen if generation in (None, point.generation)]
    if not chosen:
        raise CommandError(f"no such point is of generation {generation}")
    return chosen


def progress():
    """The progress display for a terminal: how many points are done."""
    def show(done, of):
        print(f"\r{done} of {of} points", end="\n" if done == of else "", file=sys.stderr, flush=True)
    return show if sys.stderr.isatty() else lambda done, of: None


def measure(arguments, points):
    """Values and messages of a run of the model."""
    results = runner.run(arguments.smsim.resolve(), points, arguments.output / "probes", arguments.jobs, arguments.set, progress())
    return {name: result.value for name, result in results.items()}, {name: result.message for name, result in results.items()}


def check(points, values, path):
    """What is worse than recorded, as lines. A point that had no figure may have any value."""
    recorded, _ = load(path)
    lines = []
    for point in points:
        before, now = recorded.get(point.name), values.get(point.name)
        if point.probe and point.name not in recorded:
            lines.append(f"{point.name}: is not recorded")
        if before is None:
            continue
        if now is None:
            lines.append(f"worse than recorded: {point.name}: has no figure any more")
        elif abs(figures.error(point, now)) > abs(figures.error(point, before)) + SLACK:
            lines.append(f"worse than recorded: {point.name}: published {tables.number(point.value)}, recorded {tables.number(before)} "
                         f"({tables.percent(figures.error(point, before))}), now {tables.number(now)} "
                         f"({tables.percent(figures.error(point, now))})")
    return lines


def fit(arguments, points):
    """Fits keys and writes the result."""
    if arguments.record or arguments.recorded or arguments.check or arguments.against:
        raise CommandError("--fit goes with neither --record, --recorded, --check nor --against")
    try:
        from . import fit as fitting  # nothing else needs its library
    except ImportError as missing:
        raise CommandError(f"{missing.name} is not installed (Debian package python3-scipy)") from missing
    progress = lambda done: print(f"\r{done} runs of a point", end="", file=sys.stderr, flush=True)  # noqa: E731
    try:
        text, before, after, configuration = fitting.run(arguments, points, progress if sys.stderr.isatty() else lambda done: None)
    except fitting.FitError as error:
        raise CommandError(str(error)) from error
    if sys.stderr.isatty():
        print(file=sys.stderr)
    text += "\n\n" + tables.differences(points, after, before)
    outputs.write(arguments.output / "fitted.yaml", configuration)
    outputs.write(arguments.output / "fit.md", text + "\n")
    print(f"{text}\n\nwritten: {arguments.output / 'fitted.yaml'}, {arguments.output / 'fit.md'}")


def compare_compiled(arguments, points):
    """Runs both forms of each probe that has two. Returns the exit status; 77 if clang is missing."""
    if arguments.record or arguments.recorded or arguments.against or arguments.fit:
        raise CommandError("--compiled goes with neither --record, --recorded, --against nor --fit")
    try:
        compilers.find_clang()
    except compilers.CompileError as error:
        print(f"correlate: {error}", file=sys.stderr)
        return 77
    chosen = compiled.select(points)
    if not chosen:
        raise CommandError("none of these points has a twin in CUDA C (tb/silicon/source)")
    text, beyond = compiled.run(arguments, chosen, progress())
    print(text)
    if left_out := compiled.without(points):
        print("\nWithout twin:\n" + "\n".join(left_out))
    for line in beyond:
        print(f"correlate: {line}", file=sys.stderr)
    return 1 if beyond and arguments.check else 0


def run(arguments):
    """Exit status."""
    known = data.read(probes.PROBES, arguments.points)
    points = select(known, arguments.only, arguments.generation)
    if not arguments.recorded and not arguments.smsim.exists():
        raise CommandError(f"{arguments.smsim}: not there; scripts/build makes it")
    if not arguments.recorded:  # report what cannot be written before the run
        outputs.make_folder(arguments.output)
    if arguments.compiled:
        return compare_compiled(arguments, points)
    if arguments.fit:
        fit(arguments, points)
        return 0
    if arguments.record:  # report what cannot be recorded before the run
        if arguments.only or arguments.generation or arguments.points or arguments.recorded or arguments.set:
            raise CommandError("--record is of a run of all points as they are")
        validation.check(points)
    version = ""
    if arguments.recorded:
        values, messages = load(RECORD)
    else:
        values, messages = measure(arguments, points)
        version = subprocess.run([arguments.smsim, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    limits = bounds.read()
    texts = {"summary": tables.summary(points, values), "bounds": tables.bounded(bounds.rows(limits, points, values)),
             "far": tables.far_off(causes.rows(*causes.read(), points, values)), "points": tables.each(points, values),
             "without": tables.without(points, values, messages)}
    sections = [("Summary", texts["summary"]), ("Bounds", texts["bounds"]), ("Far off", texts["far"])]
    if arguments.against:
        sections.append((f"Against {arguments.against}", tables.differences(points, values, load(arguments.against)[0])))
    sections += [("Points", texts["points"]), ("Without a figure", texts["without"])]
    if not arguments.recorded:
        write_results(arguments.output / "results.json", points, values, messages, version)
        outputs.write(arguments.output / "table.md", "\n\n".join(f"## {heading}\n\n{text}" for heading, text in sections) + "\n")
        outputs.write(arguments.output / "index.html", page.page(f"{version} against silicon", points, values, sections))
    if arguments.record:
        write_results(RECORD, points, values, messages)
        outputs.write(validation.FILE, validation.text(points, values))
    print(dict(sections)[f"Against {arguments.against}"] if arguments.against else texts[arguments.table])
    if arguments.check:
        worse = check(points, values, arguments.check) + bounds.exceeded(limits, known, values)
        for line in worse:
            print(f"correlate: {line}", file=sys.stderr)
        return 1 if worse else 0
    return 0


def main():
    return outputs.ended("correlate: ", lambda: _main(options()))


def _main(arguments):
    try:
        return run(arguments)
    except (CommandError, UserError, data.PointError) as error:
        print(f"correlate: {error}", file=sys.stderr)
        return 2

"""The command `scripts/compare-code`."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile

from smsim import outputs
from smsim.errors import UserError

from . import runner, sass, tables, variants

ORIGINS = ("clang", "nvcc")


class CommandError(Exception):
    """An error that the user must fix."""


def options():
    parser = argparse.ArgumentParser(
        prog="scripts/compare-code",
        description="Runs kernels with variants of the compiler and puts their figures side by side: warp instructions, cycles, "
                    "instructions of the code, registers and local memory per thread; ratios are to the first variant.")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL",
                        help="folders of kernels/, or launch files (all of kernels/compiled)")
    parser.add_argument("--variant", action="append", metavar="NAME[=PROGRAM][:OPTIONS]",
                        help="options of smsim run under a name, or another smsim; may be repeated (one without options)")
    parser.add_argument("-c", "--config", type=pathlib.Path, default=runner.ROOT / "configs/v100.yaml", metavar="FILE",
                        help="configuration of all runs (configs/v100.yaml)")
    parser.add_argument("--from", dest="origins", action="append", choices=ORIGINS,
                        help="from folders, only launches with PTX of this compiler; may be repeated (both)")
    parser.add_argument("--ptxas", action="store_true", help="also compare with the code of the vendor's assembler")
    parser.add_argument("--arch", default="sm_80", metavar="NAME", help="what ptxas compiles for (sm_80)")
    parser.add_argument("--mix", action="store_true", help="count the operations of the code of each kernel")
    parser.add_argument("--form", choices=("text", "markdown", "json"), default="text", help="what to print (text)")
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="DIR",
                        help="folder of table.txt, table.md and results.json, and of reports and assembly of the runs")
    parser.add_argument("--smsim", type=pathlib.Path, default=runner.ROOT / "build/release/smsim", metavar="PROGRAM",
                        help="program of variants that name none (build/release/smsim)")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), metavar="N", help="runs at a time (all cores)")
    return parser.parse_args()


def check(arguments):
    if not arguments.smsim.is_file():
        raise CommandError(f"{arguments.smsim} is missing; scripts/build makes it")
    if not arguments.config.is_file():
        raise CommandError(f"{arguments.config} is missing")
    if arguments.jobs < 1:
        raise CommandError(f"--jobs {arguments.jobs}: at least 1 is expected")


def vendor_rows(launches, ours, ptxas, architecture, work):
    """A row for each launch with PTX, from one call of ptxas per file."""
    made, rows = {}, []
    for launch in launches:
        row = {"kernel": launch.kernel, "origin": launch.origin, "variant": f"ptxas {architecture}", "launch": str(launch.path)}
        if launch.program.suffix != ".ptx":
            continue
        entry = ours.get(launch.path)
        if launch.program not in made:
            try:
                cubin = work / f"{launch.program.name}.cubin"
                made[launch.program] = sass.compile_ptx(ptxas, launch.program, architecture, cubin, runner.ROOT)
            except sass.SassError as error:
                made[launch.program] = error
        figures = made[launch.program]
        if isinstance(figures, sass.SassError):
            row["error"] = str(figures)
        elif entry is None:
            continue  # no variant ran, so the kernel's name is not known
        else:
            row |= {"entry": entry} | figures[entry]
        rows.append(row)
    return rows


def compare(arguments, work):
    """All rows: for each launch the variants in their order, then ptxas."""
    chosen = [variants.parse(text, arguments.smsim.resolve()) for text in arguments.variant or ["default"]]
    names = [variant.name for variant in chosen]
    names += [f"ptxas {arguments.arch}"]
    if len(set(names)) < len(names):
        raise CommandError("two variants have the same name")
    ptxas = sass.find_ptxas() if arguments.ptxas else None
    launches = runner.launches(arguments.kernels, arguments.origins or ORIGINS)
    repeated = {launch.folder for launch in launches if [other.folder for other in launches].count(launch.folder) > 1}
    if repeated:
        raise CommandError(f"two launches have the same name: {', '.join(sorted(repeated))}")
    tasks = [(launch, variant) for launch in launches for variant in chosen]

    def run(task):
        launch, variant = task
        return runner.measure(launch, variant, arguments.config.resolve(), work / launch.folder / variant.name)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(run, tasks))
    if ptxas:
        ours = {task[0].path: row["entry"] for task, row in zip(tasks, rows) if "entry" in row}
        rows += vendor_rows(launches, ours, ptxas, arguments.arch, work)
    place = {str(launch.path): number for number, launch in enumerate(launches)}
    rows.sort(key=lambda row: place[row["launch"]])  # stable
    return tables.with_ratios(rows)


def results(rows, configuration):
    return json.dumps({"configuration": str(configuration), "rows": rows, "geometric_means": tables.means(rows)}, indent=1) + "\n"


def main():
    return outputs.ended("compare-code: ", lambda: _main(options()))


def _main(arguments):
    try:
        check(arguments)
        with tempfile.TemporaryDirectory() as temporary:
            work = (arguments.output or pathlib.Path(temporary)).resolve()
            outputs.make_folder(work)
            rows = compare(arguments, work)
        forms = {form: tables.document(rows, form, arguments.mix) for form in ("text", "markdown")}
        forms["json"] = results(rows, arguments.config)
        if arguments.output:
            for name, form in (("table.txt", "text"), ("table.md", "markdown"), ("results.json", "json")):
                outputs.write(work / name, forms[form])
    except (CommandError, UserError, variants.VariantError, runner.LaunchError, sass.SassError) as error:
        print(f"compare-code: {error}", file=sys.stderr)
        return 2
    print(forms[arguments.form], end="")
    ours = [row for row in rows if row["variant"] != f"ptxas {arguments.arch}"]
    failed = sum("error" in row for row in ours)
    if failed:
        print(f"compare-code: {failed} of {len(ours)} runs have no figures", file=sys.stderr)
    return 1 if failed else 0

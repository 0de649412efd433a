"""What scripts/explore does, from the file of results to tables, files and pictures."""

import sys
from pathlib import Path

from smsim import assignments, metrics, outputs, page, pareto, plots, ranking_plots, sensitivity, style, tables
from smsim.errors import UserError, did_you_mean
from smsim.places import tool
from smsim.results import load


def chosen_metrics(written):
    names = written.split(",") if written else list(metrics.SHOWN)
    for name in names:
        if name not in metrics.ALL:
            hint = did_you_mean(name, metrics.ALL)
            raise UserError(f"--metrics {name}: no such metric{hint} (--list-metrics lists them)")
    return names


def quantities(written):
    try:
        return pareto.parse(written)
    except ValueError as error:
        raise UserError(f"--pareto {written}: {error}") from error


def open_results(arguments):
    """The points that the options select."""
    results = load(arguments.file, arguments.sweep)
    results.set_baseline(assignments.baseline(arguments.baseline))
    where = {name: assignments.split(values) for name, values in assignments.pairs("--where", arguments.where).items()}
    return results.select(where, arguments.kernel)


def draw(results, arguments):
    """The requested picture."""
    if arguments.stalls:
        return plots.stall_plot(results, results.axis(arguments.stalls))
    if arguments.pareto:
        return ranking_plots.pareto_plot(results, quantities(arguments.pareto))
    if arguments.sensitivity:
        return ranking_plots.sensitivity_plot(results, arguments.metric)
    axes = [results.axis(name) for name in arguments.plot.split(",")]
    if len(axes) == 1:
        return plots.axis_plot(
            results, axes[0], arguments.metric, by=results.axis(arguments.by) if arguments.by else None
        )
    if len(axes) != 2 or axes[0] is axes[1] or arguments.by:
        raise UserError(
            f"--plot {arguments.plot}: one axis (then --by may name another), or two different ones, are needed"
        )
    return plots.heat_map(results, *axes, arguments.metric)


def pareto_text(results, written):
    table, front, better = pareto.of_results(results, quantities(written))
    names = [name for name, _ in quantities(written)]
    rows = [
        [*(tables.number_text(table.iloc[index][f"value:{name}"]) for name in names), results.label(table.iloc[index])]
        for index in front
    ]
    kernels = (
        f"means over {len(results.kernels)} kernels" if len(results.kernels) > 1 else f"kernel {results.kernels[0]}"
    )
    directions = ", ".join(f"{name}: {good} is better" for name, good in zip(names, better))
    head = f"Pareto front of {len(table)} configurations, {kernels}; {directions}"
    return [head, *tables.aligned([*names, "configuration"], rows)]


def print_what_was_asked(results, arguments):
    if arguments.pareto:
        lines = pareto_text(results, arguments.pareto)
    elif arguments.sensitivity:
        effects = sensitivity.effects(results, arguments.metric)
        lines = [f"sensitivity of {arguments.metric}", *tables.sensitivity_text(effects, sensitivity.ranking(effects))]
    else:
        names = chosen_metrics(arguments.metrics)
        if arguments.sort in metrics.ALL and arguments.sort not in names:
            names.append(arguments.sort)
        lines = [
            *tables.points_text(results, names, arguments.sort, arguments.top),
            *tables.failures_text(results, 0 if arguments.top == 0 else 10),
        ]
    print("\n".join([*tables.summary(results), "", *lines]))


def save_pictures(results, arguments):
    """Saves all pictures of the page, each in its own file."""
    folder = Path(arguments.pictures)
    outputs.make_folder(folder)
    for name, figure in page.pictures(results, arguments.metric, page_quantities(arguments)):
        if isinstance(figure, str):
            print(f"explore: no picture {name}: {figure}", file=sys.stderr)
        else:
            style.save(figure, folder / f"{name}.{arguments.format}")


def page_quantities(arguments):
    return [quantities(arguments.pareto)] if arguments.pareto else None


def check(arguments):
    """Reports errors that can be found before any file is read."""
    if not arguments.file:
        raise UserError(f"SWEEP.sqlite is needed, the file that {tool('sweep')} wrote")
    one_picture = arguments.plot or arguments.stalls
    if one_picture and not arguments.output:
        raise UserError("--plot and --stalls need -o FILE")
    if arguments.output and not (one_picture or arguments.pareto or arguments.sensitivity):
        raise UserError("-o needs --plot, --stalls, --pareto or --sensitivity")
    if arguments.by and not arguments.plot:
        raise UserError("--by needs --plot")
    if arguments.top < 0:
        raise UserError("--top must not be negative")
    if arguments.output:
        style.picture_format(arguments.output)


def check_names(results, arguments):
    """Checks the names of metrics, including those that nothing else requested needs: a misspelled name is never ignored
    silently."""
    if arguments.metric:
        results.quantity(arguments.metric)
        if not (arguments.plot or arguments.sensitivity or arguments.html or arguments.pictures):
            raise UserError("--metric needs --plot, --sensitivity, --html or --pictures; --sort orders the table")
    arguments.metric = arguments.metric or "cycles"
    chosen_metrics(arguments.metrics)
    tables.order(results, arguments.sort)


def explore(arguments):
    check(arguments)
    results = open_results(arguments)
    check_names(results, arguments)
    if arguments.csv:
        outputs.write(arguments.csv, tables.csv_text(results))
    if arguments.parquet:
        outputs.write(arguments.parquet, tables.parquet_bytes(results))
    if arguments.html:
        outputs.write(arguments.html, page.render(results, arguments.metric, page_quantities(arguments)))
    if arguments.pictures:
        save_pictures(results, arguments)
    if arguments.output:
        style.save(draw(results, arguments), arguments.output)
    if not any((arguments.csv, arguments.parquet, arguments.html, arguments.pictures, arguments.output)):
        print_what_was_asked(results, arguments)


def run(arguments):
    """Exit status: 0, or 2 with one message for an error of the user."""
    if arguments.list_metrics:
        print("\n".join(tables.metrics_text()))
        return 0
    try:
        explore(arguments)
    except UserError as error:
        print(f"{tool('explore')}: error: {error}", file=sys.stderr)
        return 2
    return 0

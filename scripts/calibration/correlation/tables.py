"""Tables in Markdown: the summary, each point, points without a figure, differences between two results."""
from . import figures


def _row(cells):
    return "| " + " | ".join(cells) + " |"


def table(head, rows):
    """Markdown."""
    return "\n".join([_row(head), "|" + "---|" * len(head), *map(_row, rows)])


def number(value):
    """A figure with a suitable number of digits."""
    if value is None:
        return "–"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def percent(value):
    return "–" if value is None else f"{value:+.1f} %"


def _families(points):
    """(title, points) of each summary: all, fitted and not, generations, groups; points that are only documented are separate."""
    documented = [point for point in points if point.documented]
    points = [point for point in points if not point.documented]
    yield "all", points
    yield "fitted", [point for point in points if point.fitted]
    yield "not fitted", [point for point in points if not point.fitted]
    for generation in sorted({point.generation for point in points}):
        devices = sorted({point.device for point in points if point.generation == generation and point.probe})
        yield f"{generation}: {', '.join(devices)}", [point for point in points if point.generation == generation]
    for group in sorted({point.group for point in points}):
        yield group, [point for point in points if point.group == group]
    yield "documented, not measured", documented


def summaries(points, values):
    """(title, summary) of each family with a figure."""
    for title, family in _families(points):
        measured = figures.counted(family, values)
        if measured:
            yield title, figures.summary(measured)


def summary(points, values):
    rows = [[title, str(found.points), f"{found.median:.1f} %", f"{found.mean:.1f} %", f"{found.p90:.1f} %",
             f"{found.worst:.1f} %", "–" if found.rank is None else f"{found.rank:.3f}"]
            for title, found in summaries(points, values)]
    return table(["points", "number", "median", "mean", "P90", "worst", "rank correlation"], rows)


def bounded(rows):
    """Sets of points and their error bounds."""
    return table(["points", "number", "median", "at most", "P90", "at most", "worst", "at most"], rows)


def far_off(rows):
    """Points that are far off, and why."""
    return table(["points", "error", "cause"], rows)


def each(points, values):
    rows = []
    for point in points:
        value = values.get(point.name)
        if value is not None:
            use = "control fields" if point.stated else "fitted" if point.fitted else ""
            rows.append([f"`{point.name}`", point.generation, number(point.value), number(value),
                         percent(figures.error(point, value)), point.unit, use])
    return table(["point", "generation", "published", "model", "error", "unit", "use"], rows)


def without(points, values, messages):
    """Points that have no figure, and why."""
    rows = [[f"`{point.name}`", number(point.value), point.unit, point.reason or messages.get(point.name, "")]
            for point in points if values.get(point.name) is None]
    return table(["point", "published", "unit", "why it has no figure of the model"], rows)


def differences(points, values, earlier):
    """What has changed since an earlier result: summaries of points in both, then every point that moved."""
    both = {point.name for point in points if values.get(point.name) is not None and earlier.get(point.name) is not None}
    shared = [point for point in points if point.name in both]
    before = dict(summaries(shared, earlier))
    rows = [[title, str(now.points), f"{before[title].median:.1f} -> {now.median:.1f} %",
             f"{before[title].mean:.1f} -> {now.mean:.1f} %", f"{before[title].worst:.1f} -> {now.worst:.1f} %"]
            for title, now in summaries(shared, values)]
    text = [table(["points", "number", "median", "mean", "worst"], rows)] if rows else []
    moved = [point for point in points if values.get(point.name) != earlier.get(point.name)]
    rows = []
    for point in sorted(moved, key=lambda point: _improvement(point, values, earlier)):
        then, now = earlier.get(point.name), values.get(point.name)
        rows.append([f"`{point.name}`", number(point.value), number(then), number(now),
                     percent(None if then is None else figures.error(point, then)),
                     percent(None if now is None else figures.error(point, now))])
    text.append(table(["moved, worsened first", "published", "before", "now", "error before", "error now"], rows)
                if rows else "no point has moved")
    return "\n\n".join(text)


def _improvement(point, values, earlier):
    then, now = earlier.get(point.name), values.get(point.name)
    if then is None or now is None:
        return float("-inf") if now is None else float("inf")
    return abs(figures.error(point, then)) - abs(figures.error(point, now))

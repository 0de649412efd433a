"""Rows as tables: text, Markdown, the mix of operations, geometric means over kernels."""
import math

FIGURES = ("warp_instructions", "cycles", "static_instructions", "registers")
HEADS = ("kernel", "from", "variant", "warp instr.", "ratio", "cycles", "ratio", "static", "ratio", "registers", "local, B")
WORDS = 3  # columns of HEADS that are words


def with_ratios(rows):
    """Adds `ratios` of the figures to those of the first row of the same launch, which has none itself."""
    first = {}
    for row in rows:
        base = first.setdefault(row["launch"], row)
        row["ratios"] = {} if row is base else {
            figure: row[figure] / base[figure] for figure in FIGURES if row.get(figure) is not None and base.get(figure)}
    return rows


def means(rows):
    """Geometric mean of each ratio over the launches, by variant, with the number of launches; the first variant has none."""
    ratios = {}
    for row in rows:
        for figure, ratio in row["ratios"].items():
            ratios.setdefault(row["variant"], {}).setdefault(figure, []).append(ratio)
    return {
        variant: {figure: {"mean": math.exp(math.fsum(map(math.log, values)) / len(values)), "launches": len(values)}
                  for figure, values in figures.items()}
        for variant, figures in ratios.items()
    }


def cells(row):
    """The columns of HEADS for one row."""
    start = [row["kernel"], row["origin"], row["variant"]]
    if "error" in row:
        return [*start, row["error"]]

    def number(figure):
        return "" if row.get(figure) is None else str(row[figure])

    def ratio(figure):
        return f"{row['ratios'][figure]:.3f}" if figure in row["ratios"] else ""

    return [*start, number("warp_instructions"), ratio("warp_instructions"), number("cycles"), ratio("cycles"),
            number("static_instructions"), ratio("static_instructions"), number("registers"), number("local")]


def lines(table, form):
    """A table, whose first row contains the heads, as text or Markdown. A row may be short: then its last cell is a message."""
    columns = len(table[0])
    if form == "markdown":
        text = ["| " + " | ".join(table[0]) + " |", "|" + "---|" * columns]
        for row in table[1:]:
            shown = [cell.replace("|", "\\|") for cell in row] + [""] * (columns - len(row))
            text.append("| " + " | ".join(shown) + " |")
        return text
    left = WORDS if table[0] == list(HEADS) else 1
    widths = [max(len(row[i]) for row in table if len(row) == columns or i < left) for i in range(columns)]
    text = []
    for row in table:
        cells_of_row = [cell.ljust(width) if i < left or len(row) < columns else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))]
        text.append("  ".join(cells_of_row).rstrip())
    return text


def figures_table(rows):
    table = [list(HEADS)] + [cells(row) for row in rows]
    for earlier, row in zip(table[:0:-1][1:], table[:0:-1]):  # from the end, so that a kernel is named once
        if row[:2] == earlier[:2]:
            row[:2] = ["", ""]
    return table


def means_table(found):
    heads = ["geometric mean", "launches", "warp instr.", "cycles", "static", "registers"]
    table = [heads]
    for variant, figures in found.items():
        count = max(entry["launches"] for entry in figures.values())
        table.append([variant, str(count)] + [f"{figures[f]['mean']:.3f}" if f in figures else "" for f in FIGURES])
    return table


def mix_table(rows):
    """Static operations of the rows of one launch, sorted by their number in the first row."""
    rows = [row for row in rows if "mix" in row]
    names = {name for row in rows for name in row["mix"]}
    order = sorted(names, key=lambda name: ([-row["mix"].get(name, 0) for row in rows], name))
    title = f"{rows[0]['kernel']}, {rows[0]['origin']}"
    table = [[title] + [row["variant"] for row in rows]]
    table += [[name] + [str(row["mix"][name]) if name in row["mix"] else "" for row in rows] for name in order]
    return table + [["all"] + [str(row["static_instructions"]) for row in rows]]


def document(rows, form, mix):
    """The complete output as one text."""
    parts = [figures_table(rows)]
    found = means(rows)
    if found:
        parts.append(means_table(found))
    if mix:
        groups = {}
        for row in rows:
            groups.setdefault(row["launch"], []).append(row)
        parts += [mix_table(group) for group in groups.values() if any("mix" in row for row in group)]
    return "\n\n".join("\n".join(lines(part, form)) for part in parts) + "\n"

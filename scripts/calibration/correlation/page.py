"""The page of a correlation: the scatter plot and the tables, in one file."""
import html
import io
import re

from . import figures

COLOURS = ("#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377")
LIMIT = 120  # percent
# The pictures have a white background in either scheme.
STYLE = """
:root { color-scheme: light dark; --ink: #222222; --paper: #ffffff; --line: #dddddd; --ring: #0057a3; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e7e9ee; --paper: #15181d; --line: #3a404b; --ring: #7db7f5; }
}
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: var(--ink);
  background: var(--paper); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9em; }
th, td { padding: 0.15rem 0.6rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; min-width: 2.5rem; }
svg { max-width: 100%; height: auto; background: #ffffff; }
.scroll { overflow-x: auto; margin: 1rem 0; }
:focus-visible { outline: 2px solid var(--ring); outline-offset: -2px; }
@media print {
  :root { color-scheme: light; }
  body { margin: 0; padding: 0; max-width: none; font-size: 10pt; }
  .scroll { overflow: visible; }
  th, td { padding: 0.1rem 0.3rem; }
  tr, svg { break-inside: avoid; }
}
"""


def _pyplot():
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "correlate"
    import matplotlib.pyplot as plt
    return plt


def _svg(plt, figure, label):
    """The figure as an element of the page; `label` describes it to readers who cannot see it."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None})
    plt.close(figure)
    text = stream.getvalue()
    return text[text.index("<svg"):].replace("<svg", f'<svg role="img" aria-label="{html.escape(label)}"', 1)


def scatter(points, values):
    """Model against silicon on logarithmic axes with the diagonal, as SVG."""
    plt = _pyplot()
    measured = figures.counted(points, values)
    drawn = [(point, value) for point, value in measured if value > 0 and not point.documented]  # a logarithmic axis has no zero
    figure, axes = plt.subplots(figsize=(7.5, 7.5), layout="constrained")
    for number, generation in enumerate(sorted({point.generation for point, _ in drawn})):
        for fitted in (True, False):
            pairs = [(point.value, value) for point, value in drawn if (point.generation, point.fitted) == (generation, fitted)]
            colour = COLOURS[number % len(COLOURS)]
            axes.scatter(*zip(*pairs) if pairs else ([], []), s=22, marker="o" if fitted else "D", linewidths=0.9,
                         facecolors=colour if fitted else "none", edgecolors=colour,
                         label=f"{generation}{'' if fitted else ', not fitted'}" if pairs else None)
    ends = [min(min(p.value, v) for p, v in drawn) * 0.8, max(max(p.value, v) for p, v in drawn) * 1.25] if drawn else [1, 10]
    axes.plot(ends, ends, color="black", linewidth=0.8)
    for share in (0.9, 1.1):
        axes.plot(ends, [share * end for end in ends], color="grey", linewidth=0.6, linestyle=":")
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel="published", ylabel="model", aspect="equal")
    axes.legend(loc="upper left", frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return _svg(plt, figure, "Model against published figures, by generation")


def errors(points, values):
    """Error of each point by group, as SVG; points beyond the axis are drawn at its end."""
    plt = _pyplot()
    measured = [(point, value) for point, value in figures.counted(points, values) if not point.documented]
    groups = sorted({point.group for point, _ in measured})
    generations = sorted({point.generation for point, _ in measured})
    figure, axes = plt.subplots(figsize=(7.5, 0.36 * len(groups) + 1.2), layout="constrained")
    for number, generation in enumerate(generations):
        shown = [(max(-LIMIT, min(LIMIT, figures.error(point, value))), groups.index(point.group))
                 for point, value in measured if point.generation == generation]
        offset = 0.6 * ((number + 0.5) / len(generations) - 0.5)
        axes.scatter([size for size, _ in shown], [row + offset for _, row in shown], s=10, label=generation,
                     color=COLOURS[number % len(COLOURS)])
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(xlim=(-1.05 * LIMIT, 1.05 * LIMIT), xlabel="error of the model in percent")
    axes.set_yticks(range(len(groups)), groups)
    axes.invert_yaxis()
    axes.legend(loc="upper right", frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return _svg(plt, figure, "Error of the model for each point, by group")


def _inline(text):
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))


def _html_table(markdown, label):
    """A table in a frame that scrolls, also by keyboard: its columns may be wider than the window."""
    lines = [[_inline(cell.strip()) for cell in line.strip("|").split("|")] for line in markdown.splitlines()]
    head, rows = lines[0], lines[2:]
    cells = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return (f'<div class="scroll" role="group" aria-label="table: {html.escape(label)}" tabindex="0">\n'
            f"<table>\n<thead><tr>{cells}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n")


def page(title, points, values, sections):
    """The page; `sections` are (heading, Markdown table or sentence) pairs."""
    parts = [f"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
             f"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{html.escape(title)}</title>",
             f"<style>{STYLE}</style></head><body><main>\n<h1>{html.escape(title)}</h1>\n{scatter(points, values)}",
             "<p>Filled: the model's figures were chosen with the point. Dotted: 10 % off. Figures of 0 are not drawn.</p>",
             errors(points, values), f"<p>What is further off than {LIMIT} % stands at the end.</p>"]
    for heading, text in sections:
        parts.append(f"<h2>{html.escape(heading)}</h2>")
        for block in text.split("\n\n"):
            parts.append(_html_table(block, heading) if block.startswith("|") else f"<p>{_inline(block)}</p>")
    return "\n".join(parts) + "</main></body></html>\n"

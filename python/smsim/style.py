"""How pictures look and how they are saved: sizes, fonts, colours that colour-blind readers can distinguish, equal bytes for
equal contents.

A colour that depends on the reader's scheme (ink, grid, paper, the steps of heat maps) is drawn in the light scheme's
value; `inline_svg` replaces it by the CSS variable of the page.
"""

import html
import io
import math
import re
import textwrap

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from smsim import outputs
from smsim.errors import UserError
from smsim.explore_options import FORMATS
from smsim.results import text

INK, MUTED, GRID, PAPER = "#1b1f24", "#5b6470", "#dfe3e8", "#ffffff"
BLUE, SKY = "#0072b3", "#56b4e9"
# Colours of a heat map, from low to high, and of text on the pale and the deep ones. On dark paper, pale colours are dark.
HEAT = ("#f4f8fb", "#dcebf4", "#bcd9ea", "#97c5e0", "#6aaed6", "#2676b3", "#1c61a0", "#144e87", "#0b3c71")
ON_PALE, ON_DEEP = "#10151c", "#fdfdfe"
FIRST_DEEP = 5
VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    PAPER: "--paper",
    BLUE: "--blue",
    SKY: "--sky",
    ON_PALE: "--on-pale",
    ON_DEEP: "--on-deep",
} | {colour: f"--heat-{step}" for step, colour in enumerate(HEAT)}
# Okabe and Ito's colours, without the yellow, which lacks contrast.
SERIES = (BLUE, "#e69f00", "#009e73", "#cc79a7", "#d55e00", SKY, "#8c8c8c")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", ":", "-.")
# Hatching for stall reasons whose colours are hard to distinguish; names as in stall_reasons.json.
HATCHES = {"diagonal": "/////", "level": "-----"}
# Text on the colours of stall reasons; like these, it is not part of the reader's scheme.
ON_LIGHT, ON_DARK = "#10151b", "#fdfefe"
# In inches. Every picture is PAGE_WIDTH wide; one with a key beside it leaves room for the key.
PAGE_WIDTH, KEYED_WIDTH = 9.0, 7.2
MARGIN = 0.1
# Width of a letter of a tick label, in inches.
LETTER_WIDTH = 0.076
MOST_NAMES = 24
FONTS = ["DejaVu Sans", "Verdana", "Bitstream Vera Sans", "sans-serif"]
SETTINGS = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "svg.fonttype": "none",
    "svg.hashsalt": "smsim",
    "pdf.fonttype": 42,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 20,
    "axes.labelsize": 9,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "savefig.facecolor": PAPER,
    "figure.dpi": 100,
    "figure.subplot.left": 0.08,
    "figure.subplot.right": 0.99,
    "text.parse_math": False,
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": True,
}


def subplots(height, key=False, **arguments):
    """A new figure with its axes; `key`: leaves room for a legend at the right."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(KEYED_WIDTH if key else PAGE_WIDTH, height))
        FigureCanvasAgg(figure)
        return figure, figure.subplots(**arguments)


def styled(function):
    """Decorator: gives everything that the function draws the common style."""

    def wrapper(*positional, **named):
        with matplotlib.rc_context(SETTINGS):
            return function(*positional, **named)

    wrapper.__doc__, wrapper.__name__ = function.__doc__, function.__name__
    return wrapper


def headline(axes, title, subtitle=""):
    """Draws the title, and below it, in smaller letters, the meaning of the marks."""
    lines = textwrap.wrap(subtitle, 125)
    axes.set_title(title, pad=8 + 11 * len(lines))
    for number, line in enumerate(lines):
        axes.annotate(
            line,
            (0, 1),
            (0, 6 + 11 * (len(lines) - 1 - number)),
            xycoords="axes fraction",
            textcoords="offset points",
            color=MUTED,
            fontsize=8,
        )


def figure_text(value):
    """A number with few characters: 0.872, 12.3, 2410, 661k."""
    size = abs(value)
    if size >= 1e6:
        return f"{value / 1e6:.3g}M" if size < 1e9 else f"{value:.3g}"
    if size >= 10000:
        return f"{value / 1000:.3g}k" if size < 999500 else "1M"
    if size >= 1000 or value == int(value) and size < 1000:
        return f"{value:.0f}"
    return f"{value:.3g}" if size >= 1 else f"{value:.3f}" if size >= 0.01 else f"{value:.2g}"


def ratio_format(low, high):
    """The format of ratios between low and high: with enough decimals to distinguish them."""
    decimals = 2 if high - low > 0.5 else 3
    return lambda value: f"{value:.{decimals}f}"


def shorten(words, limit=26):
    """A name of bounded length, so that one kernel cannot make pictures unreadable."""
    printable = "".join(letter if letter.isprintable() else "?" for letter in text(words))
    return printable if len(printable) <= limit else printable[: limit - 1] + "…"


def stall_fill(stall):
    """How an area of a stall reason (an entry of stall_reasons.json) is drawn."""
    fill = {"facecolor": stall["colour"], "linewidth": 0}
    if "hatch" not in stall:
        return fill
    lines = tuple(0.6 * channel + 0.4 * (stall["ink"] == "#ffffff") for channel in to_rgb(stall["colour"]))
    return fill | {"hatch": HATCHES[stall["hatch"]], "edgecolor": lines}


def heat(share):
    """(colour of a heat map's cell, colour of what is written on it) for a share between 0 and 1."""
    step = min(int(share * len(HEAT)), len(HEAT) - 1)
    return HEAT[step], ON_DEEP if step >= FIRST_DEEP else ON_PALE


def picture_format(path):
    """svg, png or pdf, by the file's ending."""
    ending = str(path).rsplit(".", 1)[-1].lower()
    if ending not in FORMATS or "." not in str(path):
        raise UserError(f"{path}: a picture's name ends in .svg, .png or .pdf")
    return ending


def save(figure, path):
    """Writes the figure in the format of the path's ending."""
    kind = picture_format(path)
    outputs.write(path, render(figure, kind))


def render(figure, kind):
    """The bytes of a figure, without a date or a version in them."""
    nothing = {
        "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        "png": {"Software": None},
    }
    buffer = io.BytesIO()
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(buffer, format=kind, dpi=130, bbox_inches=_extent(figure), metadata=nothing[kind])
    data = buffer.getvalue()
    if kind == "svg":
        data = with_fonts(data.decode("utf-8")).encode("utf-8")
    return data


def _extent(figure):
    """The drawn area with a margin, as wide as all pictures. Long labels take space from the plot."""
    renderer = figure.canvas.get_renderer()
    box = figure.get_tightbbox(renderer)
    width, place = figure.get_size_inches()[0], figure.subplotpars
    wide, left, right = box.x1 - box.x0 + 2 * MARGIN > PAGE_WIDTH, max(0.0, -box.x0), max(0.0, box.x1 - PAGE_WIDTH)
    if wide and left + right < 0.4 * width:
        figure.subplots_adjust(left=place.left + left / width, right=place.right - right / width)
        box = figure.get_tightbbox(renderer)
    x0 = box.x0 - MARGIN
    return Bbox([[x0, box.y0 - MARGIN], [max(box.x1 + MARGIN, x0 + PAGE_WIDTH), box.y1 + MARGIN]])


def with_fonts(svg):
    """Names fonts of similar width after the one that was measured, for readers who lack it."""
    names = ", ".join(name if name == "sans-serif" else f"'{name}'" for name in FONTS)
    return re.sub(r"(font: [^;\"]*?px) [^;\"]*", rf"\g<1> {names}", svg)


def title_of(figure):
    """The title above a figure; empty without one."""
    return next((title for axes in figure.axes if (title := axes.get_title(loc="left").strip())), "")


def inline_svg(figure, prefix, label):
    """The figure as an element for a page: it uses the page's colours, its names do not clash with those of other pictures (all
    begin with `prefix`), and it has no external references; `label` describes it to readers who cannot see it."""
    svg = render(figure, "svg").decode("utf-8")
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r' xmlns(:xlink)?="[^"]*"', "", svg).replace("xlink:href=", "href=")
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", svg)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\g<1>", svg, count=1)
    attributes = f' role="img" aria-label="{html.escape(label)}"'
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', lambda found: found[1] + attributes, svg, count=1)
    for colour, variable in VARIABLES.items():
        svg = svg.replace(f": {colour}", f": var({variable})")
    return svg


def apart(values, logarithmic):
    """Values whose labels do not overlap; they include the first and the last."""
    place = math.log if logarithmic else float
    span = place(values[-1]) - place(values[0]) or 1
    kept = [values[0]]
    for value in values[1:]:
        if (place(value) - place(kept[-1])) / span >= 0.05:
            kept.append(value)
    if kept[-1] != values[-1]:
        kept[-1:] = [values[-1]]
    return kept


def name_ticks(axes, names):
    """Names below 0, 1, 2 ...; slanted if they would overlap."""
    width = axes.get_position().width * axes.figure.get_size_inches()[0]
    step = math.ceil(len(names) / MOST_NAMES)
    places, names = range(0, len(names), step), names[::step]
    slanted = max(map(len, names)) * LETTER_WIDTH > width / len(names)
    axes.set_xticks(places, names, rotation=25 if slanted else 0, ha="right" if slanted else "center")

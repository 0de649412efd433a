"""The options of scripts/explore; needs only Python's standard library."""

import argparse

from smsim import metrics
from smsim.places import tool

# The formats in which pictures can be saved.
FORMATS = ("svg", "png", "pdf")
EPILOG = """Without an option for a file or a picture the best points of each kernel are printed. docs/explore.md
explains every picture and measure."""


def parser():
    options = argparse.ArgumentParser(
        prog=tool("explore"), description="Analyses the results of a sweep.", epilog=EPILOG
    )
    options.add_argument("file", metavar="SWEEP.sqlite", nargs="?", help=f"what {tool('sweep')} wrote")
    options.add_argument("--list-metrics", action="store_true", help="list the metrics and end")
    choice = options.add_argument_group("which points")
    choice.add_argument("--sweep", metavar="NAME", help="which sweep, where the file holds several")
    choice.add_argument(
        "--where", metavar="AXIS=VALUE[,VALUE]", action="append", default=[], help="only these values of an axis"
    )
    choice.add_argument(
        "--kernel", metavar="NAME", action="append", default=[], help="only this kernel; may be repeated"
    )
    choice.add_argument(
        "--baseline",
        metavar="AXIS=VALUE[,...]",
        default="",
        help="what speedups and relative figures refer to; by default the baseline of the sweep",
    )
    table = options.add_argument_group("table")
    table.add_argument("--metrics", metavar="NAME[,NAME]", help=f"columns; {','.join(metrics.SHOWN)} by default")
    table.add_argument(
        "--sort", metavar="NAME", default="cycles", help="metric (best first) or axis; cycles by default"
    )
    table.add_argument("--top", metavar="N", type=int, default=5, help="points per kernel, 0 for all; 5 by default")
    files = options.add_argument_group("files")
    files.add_argument("--csv", metavar="FILE", help="all points and metrics as CSV; - for standard output")
    files.add_argument("--parquet", metavar="FILE", help="the same as Apache Parquet")
    files.add_argument("--html", metavar="FILE", help="one page of everything")
    files.add_argument("--pictures", metavar="DIR", help="every picture of the page as files")
    files.add_argument("--format", choices=FORMATS, default="svg", help="format of --pictures; svg by default")
    picture = options.add_argument_group("one picture", "saved with -o; SVG, PNG or PDF by the ending of its name")
    kind = picture.add_mutually_exclusive_group()
    kind.add_argument("--plot", metavar="AXIS[,AXIS]", help="a metric over one axis, or a heat map over two")
    kind.add_argument("--stalls", metavar="AXIS", help="stall reasons over an axis")
    kind.add_argument(
        "--pareto",
        metavar="X,Y",
        help="Pareto front of two metrics, configuration keys or launch axes; NAME:higher or "
        "NAME:lower says which is better; printed without -o",
    )
    kind.add_argument(
        "--sensitivity", action="store_true", help="how far each axis moves the metric; printed without -o"
    )
    picture.add_argument(
        "--metric", metavar="NAME", help="what --plot, --sensitivity and the page are about; cycles by default"
    )
    picture.add_argument(
        "--by", metavar="AXIS", help="--plot of one axis: a line per value of this axis, not per kernel"
    )
    picture.add_argument("-o", "--output", metavar="FILE", help="the picture's file")
    return options


def parse(words=None):
    return parser().parse_args(words)

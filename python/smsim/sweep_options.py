"""The options of scripts/sweep; needs only Python's standard library."""

import argparse

from smsim.places import PROGRAM, tool


def parser():
    options = argparse.ArgumentParser(
        prog=tool("sweep"),
        description="Runs kernels over configuration axes on Dask workers and keeps every result (docs/explore.md).",
        epilog="Exit status: 0 every point completed, 1 some did not or the sweep stopped early, 2 the sweep itself was"
        " refused, 130 interrupted. Started again, a sweep goes on where it stopped.",
    )
    options.add_argument("file", metavar="SWEEP.yaml", help="what to run")
    options.add_argument("--output", metavar="FILE", help="file of results (default: out/sweeps/NAME.sqlite)")
    options.add_argument("--smsim", metavar="PROGRAM", default=str(PROGRAM), help="the smsim to run")
    options.add_argument("--workers", type=int, metavar="N", help="local worker processes (default: one per core)")
    options.add_argument(
        "--scheduler", metavar="ADDRESS", help="use the workers of a running Dask scheduler (address or file)"
    )
    options.add_argument("--timeout", metavar="SECONDS", help="limit of a run, in place of the file's")
    options.add_argument(
        "--around", action="store_true", help="only the points that differ from the baseline in one axis at most"
    )
    options.add_argument(
        "--baseline", metavar="AXIS=VALUE[,...]", default="", help="what results are compared with, in place of the file's"
    )
    options.add_argument("--retry-failed", action="store_true", help="compute again what has failed")
    action = options.add_mutually_exclusive_group()
    action.add_argument("--list", action="store_true", help="print the points, run nothing")
    action.add_argument("--command", metavar="N", help="print the command of point N, or of 'all'")
    action.add_argument("--dry-run", action="store_true", help="count points and results, run nothing")
    return options


def parse(words=None):
    options = parser()
    chosen = options.parse_args(words)
    if chosen.workers is not None and chosen.workers < 1:
        options.error("--workers must be at least 1")
    if chosen.workers is not None and chosen.scheduler:
        options.error("--workers is for local workers; those of --scheduler are started beside it")
    return chosen

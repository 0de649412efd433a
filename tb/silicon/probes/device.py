"""The twin of a benchmark of tb/silicon/device: the same source, launched on the model with the same arguments."""
from ..device import catalogue
from .kernel import Probe, ProbeError


def device(machine, *, benchmark):
    """The figure of a benchmark by its name; generations differ only in their configuration."""
    found = catalogue.BENCHMARKS.get(benchmark)
    if found is None:
        raise ProbeError(f"no benchmark {benchmark!r} (scripts/measure-gpu --list)")
    return Probe(list(found.launches), found.figure)


PROBES = {"device": device}

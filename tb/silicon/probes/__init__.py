"""The probes: generators of assembly kernels that measure the published figures, as the machine's compiler would write them."""
from . import arithmetic, barriers, chases, device, matrix, memory, patterns, shares
from .kernel import Launch, ProbeError, outcome  # noqa: F401  (for scripts/calibration/correlation)
from .machine import MACHINES

PROBES = {**arithmetic.PROBES, **memory.PROBES, **barriers.PROBES, **chases.PROBES, **device.PROBES, **matrix.PROBES, **patterns.PROBES, **shares.PROBES}


def make(name, generation, arguments):
    """The probe of a point."""
    return PROBES[name](MACHINES[generation], **arguments)

"""Twins in CUDA C of probes of latencies: chains of loads (latencies.cu), and chains of arithmetic from the benchmarks for
GPUs (tb/silicon/device)."""
import pathlib
import random

from ..device import catalogue
from ..device.launches import DeviceLaunch
from ..probes.kernel import Probe
from ..probes.memory import ring

HERE = pathlib.Path(__file__).resolve().parent
RESULT = {"name": "result", "type": "u32", "count": 1024}
# Benchmarks whose step is that of the probe.
STEPS = {name: name for name in "FADD FMUL FFMA FMNMX LOP3 SHF IMAD POPC FLO BREV DADD DMUL DFMA HADD2".split()} | {
    "CVT": "int_float", "MUFU": "EX2"}


def latency(*, operation):
    if operation not in STEPS:
        return None
    benchmark = catalogue.BENCHMARKS[f"latency.{STEPS[operation]}"]
    return Probe(list(benchmark.launches), benchmark.figure)


def _chase(kernel, operations, unroll, arguments, block=32):
    launch = DeviceLaunch(source="latencies", folder=HERE, kernel=kernel, block=block, sections=1, arguments=[
        {"name": "rounds", "type": "u32", "value": operations // unroll}, *arguments, RESULT])
    return Probe([launch], lambda outcomes: outcomes[0].span() / operations)


def pointer_chase(*, level="L1", operations=1024):
    return _chase(f"chase_{level.lower()}", operations, 32, [{"name": "word", "type": "u64", "count": 32}])


def shared_pointer_chase(*, operations=1024):
    return _chase("chase_shared", operations, 32, [])


def dram_chase(*, kb=4096, behind_kb=131072, steps=1024):
    words = 256 * kb
    order = random.Random(kb).sample(range(words), steps + 1)
    return _chase("chase_behind_l1", steps, 16, [
        {"name": "warm", "type": "u32", "count": 32}, {"name": "ring", "type": "u32", "count": words, "data": ring(words, order)},
        {"name": "start", "type": "u32", "value": order[0]},
        {"name": "behind", "type": "u32", "count": 256 * behind_kb, "data": bytes(1024 * behind_kb)}])


def atomic_chase(*, operations=256):
    return _chase("chase_atomics", operations, 16, [{"name": "word", "type": "u32", "count": 32}])


def _difference(kernel, operations, unroll, name, value, diverges=False):
    """Extra cost of an operation in section 0 over section 1."""
    launch = DeviceLaunch(source="latencies", folder=HERE, kernel=kernel, block=32, sections=2, diverges=diverges, arguments=[
        {"name": "rounds", "type": "u32", "value": operations // unroll}, {"name": name, "type": "u32", "value": value}, RESULT])
    return Probe([launch], lambda outcomes: (outcomes[0].span(0) - outcomes[0].span(1)) / operations)


def conflict_increase(*, stride, operations=1024):
    return _difference("chase_conflicts", operations, 32, "stride", stride)


def shared_atomic_lanes(*, lanes, operations=256):
    return _difference("chase_shared_atomics", operations, 16, "lanes", lanes, diverges=True)


def access_latency(*, opcode, width=32, dependence="RAW", address=None):
    """For loads into registers that form the next address; no source has those of a source operand or with a uniform address."""
    if dependence != "RAW" or address is not None:
        return None
    if (opcode, width) == ("LDS", 32):
        return shared_pointer_chase()
    if (opcode, width) == ("LDG", 32):
        return _chase("chase_l1_32", 1024, 32, [{"name": "word", "type": "u32", "count": 32}])
    if opcode == "LDC":
        return _chase(f"chase_constant_{width}", 1024, 32, [])
    return pointer_chase() if (opcode, width) == ("LDG", 64) else None


TWINS = {function.__name__: function for function in (latency, pointer_chase, shared_pointer_chase, dram_chase, atomic_chase,
                                                      conflict_increase, shared_atomic_lanes, access_latency)}

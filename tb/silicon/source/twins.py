"""Twins in CUDA C (one_cta.cu) of probes of tb/silicon/probes: the same launch, the same loop, the same figure, from a source
that does not mention instructions."""
import pathlib
import random

from ..device.launches import DeviceLaunch
from ..probes.kernel import Probe
from ..probes.memory import ring
from . import latencies, rates

HERE = pathlib.Path(__file__).resolve().parent
RESULT = {"name": "result", "type": "u32", "count": 1024}
ONE = 0x3f800000  # as a float


# Steps in a round and accumulators of the chains of one_cta.cu.
CHAINS = {(32, 1), (32, 4), (24, 1), (128, 1), (16, 1), (8, 1), (8, 3), (8, 6), (8, 12), (2, 8)}


# Type and operands of the other chains, by operation and steps in a round.
STEPS = {(operation, unroll): operands for operands, all_of_them in {
    ("f32", 1.0, 1.0): [("FADD", 24), ("MUFU", 24), ("FMUL_MUFU", 24), ("FMUL_MUFU", 64)],
    ("f64", 1.0, 1.0): [("DADD", 24), ("DFMA", 24), ("DFMA", 128)],
    ("u32", 3, 5): [("IMAD", 24), ("IMAD", 32), ("LOP3", 24), ("PRMT", 24), ("BREV", 24), ("SHFL", 24), ("REDUX", 24), ("HFMA2", 64)],
}.items() for operation, unroll in all_of_them}


def _value(name, value):
    return {"name": name, "type": "u32", "value": value}


def _probe(kernel, block, rounds, arguments, divisor, diverges=False):
    launch = DeviceLaunch(source="one_cta", folder=HERE, kernel=kernel, block=block, sections=1, diverges=diverges,
                          arguments=[_value("rounds", rounds), *arguments, RESULT])
    return Probe([launch], lambda outcomes: outcomes[0].span() / divisor)


def chains(*, operation, unroll, operations, accumulators=1, block=32, stay="thread", divisor=1):
    threads = {"thread": 1, "warp": 32, "all": block}.get(stay) or 32 * stay
    if operation != "FFMA" or (unroll, accumulators) not in CHAINS:
        return None
    return _probe(f"chains_{unroll}_{accumulators}", block, operations // unroll, [_value("stay", threads), _value("addend", ONE)],
                  divisor)


def chain_per_operation(*, operation, unroll, operations, accumulators=1, block=32, stay="thread"):
    if operation == "FFMA":
        return chains(operation=operation, unroll=unroll, operations=operations, accumulators=accumulators, block=block, stay=stay,
                      divisor=operations * accumulators)
    if (operation, unroll) not in STEPS or accumulators != 1 or stay not in ("thread", "warp"):
        return None
    kind, one, other = STEPS[operation, unroll]
    launch = DeviceLaunch(source="one_cta", folder=HERE, kernel=f"chain_{operation}_{unroll}", block=block, sections=1, arguments=[
        _value("rounds", operations // unroll), _value("stay", 1 if stay == "thread" else 32),
        {"name": "a", "type": kind, "value": one}, {"name": "b", "type": kind, "value": other},
        {"name": "result", "type": kind, "count": 1024}])
    return Probe([launch], lambda outcomes: outcomes[0].span() / operations)


def rotating(*, unroll, accumulators, operations):
    return chains(operation="FFMA", unroll=unroll // accumulators, operations=operations // accumulators, accumulators=accumulators,
                  divisor=operations)


def ready_warps(*, warps):
    return chains(operation="FFMA", unroll=16, operations=2048, block=1024, stay=warps)


def shared_chase(*, operations=4096, block=1024, unroll=64):
    return _probe(f"shared_chase_{unroll}", block, operations // unroll, [], operations) if unroll in (32, 64) else None


def bank_stride(*, stride, operations=4096):
    return _probe("bank_stride", 32, operations // 32, [_value("stride", stride)], operations)


def _chase(words, order, steps=4096):
    lists = [{"name": "warm", "type": "u32", "count": 32},
             {"name": "ring", "type": "u32", "count": words, "data": ring(words, order)}]
    return _probe("chase", 32, steps // 16, [*lists, _value("start", order[0])], steps)


def working_set(*, kb, steps=4096):
    words = 256 * kb
    return _chase(words, random.Random(kb).sample(range(words), min(words, steps + 1)))


def conflict_sets(*, ways):
    return _chase(1024 * ways, [1024 * way for way in range(ways)])


def barrier_loop(*, block, operations=4096):
    return _probe("barrier_loop", block, operations // 8, [], operations, diverges=True)


def fence_loop(*, level, operations=512, block=256):
    return _probe(f"fence_loop_{level}", block, operations // 8, [], operations) if level in ("GPU", "SYS") else None


TWINS = {function.__name__: function for function in (
    chains, chain_per_operation, rotating, ready_warps, shared_chase, bank_stride, working_set, conflict_sets, barrier_loop,
    fence_loop)}


def make(name, arguments):
    """The twin of a probe; none for operations and levels that no source has."""
    known = TWINS | latencies.TWINS | rates.TWINS
    return known[name](**arguments) if name in known else None

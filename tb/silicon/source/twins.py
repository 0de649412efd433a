"""Twins in CUDA C (one_cta.cu) of probes of tb/silicon/probes: the same launch, the same loop, the same figure, from a source
that says nothing of instructions."""
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


def chain_per_operation(*, operations, accumulators=1, **arguments):
    return chains(operations=operations, accumulators=accumulators, divisor=operations * accumulators, **arguments)


def rotating(*, unroll, accumulators, operations):
    return chains(operation="FFMA", unroll=unroll // accumulators, operations=operations // accumulators, accumulators=accumulators,
                  divisor=operations)


def ready_warps(*, warps):
    return chains(operation="FFMA", unroll=16, operations=2048, block=1024, stay=warps)


def shared_chase(*, operations=4096, block=1024, unroll=64):
    return _probe("shared_chase", block, operations // 64, [], operations) if unroll == 64 else None


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
    return _probe("fence_loop", block, operations // 8, [], operations) if level == "GPU" else None


TWINS = {function.__name__: function for function in (
    chains, chain_per_operation, rotating, ready_warps, shared_chase, bank_stride, working_set, conflict_sets, barrier_loop,
    fence_loop)}


def make(name, arguments):
    """The twin of a probe; none of operations and levels that no source has."""
    known = TWINS | latencies.TWINS | rates.TWINS
    return known[name](**arguments) if name in known else None

"""Twins in CUDA C (whole_sm.cu) of probes of a full SM: results, bytes and accesses per clock."""
import pathlib

from ..device.launches import DeviceLaunch
from ..probes.kernel import Probe

HERE = pathlib.Path(__file__).resolve().parent
KINDS = {"DFMA": "f64", "FADD": "f32", "FFMA": "f32", "CVT": "f32", "MUFU": "f32"}


def _slope(kernel, block, grid, lengths, arguments, kind, figure):
    """`figure` of the extra cycles of the launch with more rounds."""
    launches = [DeviceLaunch(source="whole_sm", folder=HERE, kernel=kernel, block=block, grid=grid, clocks=False,
                             arguments=[{"name": "rounds", "type": "u32", "value": length}, *arguments,
                                        {"name": "result", "type": kind, "count": 1024}]) for length in lengths]
    return Probe(launches, lambda outcomes: figure(outcomes[1].cycles - outcomes[0].cycles))


def throughput(*, operation, results=32, accumulators=8, block=1024, grid=2, unroll=8, lengths=(16, 48)):
    if operation not in (*KINDS, "IMAD", "LOP3", "SHFL", "HFMA2"):
        return None
    kind = KINDS.get(operation, "u32")
    operands = [{"name": name, "type": kind, "value": value} for name, value in (("a", 1), ("b", 3))]
    work = results * (block // 32) * grid * unroll * accumulators * (lengths[1] - lengths[0])
    return _slope(f"rate_{operation}_{accumulators}_{unroll}", block, grid, lengths, operands, kind, lambda cycles: work / cycles)


def bandwidth(*, space, width=32, loads=96, lengths=(2, 6), block=1024, grid=2):
    arguments = [{"name": "data", "type": "f32", "count": 256}]
    moved = 128 * width // 32 * loads * (block // 32) * grid * (lengths[1] - lengths[0])
    return _slope(f"{space}_loads_{width}", block, grid, lengths, arguments, "f32", lambda cycles: moved / cycles)


def shared_throughput(*, ways=1, same=1, loads=64, lengths=(2, 6), block=128, grid=16):
    arguments = [{"name": name, "type": "u32", "value": value} for name, value in (("step", 0), ("same", same), ("ways", ways))]
    accesses = (loads + 1) * (block // 32) * grid * (lengths[1] - lengths[0])
    return _slope("conflicts", block, grid, lengths, arguments, "f32", lambda cycles: cycles / accesses)


TWINS = {function.__name__: function for function in (throughput, bandwidth, shared_throughput)}

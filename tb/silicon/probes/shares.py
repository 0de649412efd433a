"""Kernels as published programs launch them on a whole GPU, of which the model runs the CTAs of one SM with its share of L2 and DRAM
(tb/silicon/device/shares.cu). What other SMs do to them beyond that is not there. A profiler counts cycles in which an SM has warps."""
import array
import math
import pathlib

import yaml

from ..device import launches
from .kernel import Probe

SMS = 80  # of a V100
_V100 = yaml.safe_load((pathlib.Path(__file__).resolve().parents[3] / "configs/v100.yaml").read_text(encoding="utf-8"))
_L2 = _V100["l2"]
DRAM = SMS * _L2["dram_bytes_per_cycle"]  # bytes per clock of all of them
L2 = _L2["bytes"]
L2_SET = _L2["line_bytes"] * _L2["ways"]  # bytes
# What a load takes that misses the L2, in cycles: the profiler empties that of code too.
CODE = _V100["icache"]["l1_miss_latency"] + _L2["miss_latency"]
# The profiler empties the caches before each launch. In the model the L2 has the data of the host as far as they fit: the last 8 MB,
# of which the kernel needs nothing.
OTHERS = {"name": "others", "type": "u32", "count": 1 << 21}


def _value(name, value):
    return {"name": name, "type": "s32", "value": value}


def _floats(name, count, value=1.0):
    return {"name": name, "type": "f32", "count": count, "init": {"value": value}}


def _launch(kernel, block, grid, arguments, busy=SMS, diverges=False):
    """A launch on one of so many `busy` SMs."""
    launch = launches.DeviceLaunch(source="shares", kernel=kernel, block=block, grid=grid, sections=0, arguments=[*arguments, OTHERS],
                          diverges=diverges)
    launch.settings = (f"l2.dram_bytes_per_cycle={DRAM // busy}", f"l2.bytes={math.ceil(L2 / busy / L2_SET) * L2_SET}",
                       f"icache.l1_miss_latency={CODE}")
    return launch


def elimination_factors(machine, *, size):
    """The first step of an elimination: cycles of the only CTA."""
    matrix = {"name": "matrix", "type": "f32", "count": size * size, "init": {"seed": 1, "low": 1, "high": 2}}
    launch = _launch("elimination_factors", 512, 1, [
        {"name": "factors", "type": "f32", "count": size * size}, matrix, _value("size", size), _value("step", 0)],
        busy=1, diverges=True)
    return Probe([launch], lambda outcomes: outcomes[0].active)


def elimination_rows(machine, *, size):
    """The same of the rows, CTAs of 4 x 4: mean cycles of the CTAs, each on its own SM. Only those of the first column have the
    right side."""
    columns = [_launch("elimination_rows", (4, 4), 1, [
        _floats("factors", size * size), _floats("matrix", size * size), _floats("right", size), _value("size", size),
        _value("step", 0), _value("from", first)], busy=size * size // 16, diverges=True) for first in (0, 4)]
    return Probe(columns, lambda outcomes: (outcomes[0].active + (size // 4 - 1) * outcomes[1].active) / (size // 4))


def _euler(kernel, elements, arguments):
    """Mean cycles of an SM: some have a CTA of 192 elements more than others."""
    ctas = math.ceil(elements / 192)
    fewest, more = divmod(ctas, SMS)
    return Probe([_launch(kernel, 192, grid, arguments(192 * ctas)) for grid in (fewest, fewest + 1)],
                 lambda outcomes: outcomes[0].active + (outcomes[1].active - outcomes[0].active) * more / SMS)


def euler_widths(machine, *, elements):
    """Step widths of a flow."""
    def arguments(count):
        state = array.array("f", [value for value in (1.4, 0.5, 0.1, 0.1, 2.5) for _ in range(count)])
        return [_value("elements", count), {"name": "state", "type": "f32", "data": state.tobytes()}, _floats("areas", count),
                {"name": "widths", "type": "f32", "count": count}]
    return _euler("euler_widths", elements, arguments)


def euler_step(machine, *, elements):
    """A step of a flow."""
    def arguments(count):
        return [_value("stage", 1), _value("elements", count), _floats("before", 5 * count),
                {"name": "state", "type": "f32", "count": 5 * count}, _floats("widths", count, 0.01), _floats("fluxes", 5 * count)]
    return _euler("euler_step", elements, arguments)


def stream_read(machine, *, ctas):
    """Bytes per clock that an SM gets from DRAM with so many CTAs of 256 threads, each with a load of 16 bytes under way."""
    round_bytes, rounds = 16 * 256 * ctas, (50, 250)
    return Probe([launches.DeviceLaunch(source="shares", kernel="stream_read", block=256, grid=ctas, sections=0, arguments=[
        {"name": "data", "type": "u32", "count": 1 << 24},  # 64 MB, of which the L2 has the last part
        {"name": "vectors", "type": "u64", "value": round_bytes * number // 16}, {"name": "result", "type": "f32", "count": 1}])
                  for number in rounds],
                 lambda outcomes: round_bytes * (rounds[1] - rounds[0]) / (outcomes[1].cycles - outcomes[0].cycles))


PROBES = {function.__name__: function for function in (elimination_factors, elimination_rows, euler_widths, euler_step, stream_read)}

"""CTA barriers and memory barriers."""
from . import kernel
from .kernel import BRANCH, COUNT, TEST, Probe, Section
from .schedule import in_order


def barrier_loop(machine, *, block, unroll=8, operations=4096):
    """Thread 0 adds one to a word of shared memory, then all meet; the other warps issue the same with a false guard."""
    step = ["@P1 LDS R8, [R4] &wsb=0", "@P1 IADD3 R8, R8, 0x1, RZ", "@P1 STS [R4], R8 &rsb=5", "BAR.SYNC 0x0"]
    body = []
    for number in range(unroll):
        body += [step[0] + (" &req={5}" if number else ""), *step[1:]]
    lines = in_order(body[:1] + [COUNT] + body[1:2] + [TEST] + body[2:] + [BRANCH + " &req={5}"], machine)
    setup = ["MOV R4, RZ", "ISETP.EQ.AND P1, PT, R55, RZ, PT", "BAR.SYNC 0x0"]
    launch = kernel.build([Section(lines, operations // unroll, setup=setup)], block=block, shared=0x80)
    return Probe([launch], lambda outcomes: outcomes[0].span() / operations)


def barrier_latency(machine, *, block):
    """Cycles of a BAR.SYNC at which all warps have arrived: slope over two lengths of straight code, warp 0."""
    sections = [Section(["BAR.SYNC 0x0 ?stall6;"] * length, setup=["BAR.SYNC 0x0"]) for length in (16, 32)]
    launch = kernel.build(sections, block=block)
    return Probe([launch], lambda outcomes: (outcomes[0].span(1) - outcomes[0].span(0)) / 16)


def fence_loop(machine, *, level, block=256, unroll=8, operations=512):
    """Memory barriers of all warps with nothing in flight."""
    body = [text for _ in range(unroll) for text in ("IADD3 R8, R8, 0x1, RZ", f"MEMBAR.{level}")]
    lines = in_order(body[:1] + [COUNT] + body[1:2] + [TEST] + body[2:] + [BRANCH], machine)
    launch = kernel.build([Section(lines, operations // unroll)], block=block)
    return Probe([launch], lambda outcomes: outcomes[0].span() / operations)


PROBES = {"barrier_loop": barrier_loop, "barrier_latency": barrier_latency, "fence_loop": fence_loop}

"""Two warps that follow the same ring of 64-bit pointers, one every 64 bytes of a working set: the loop of gpu-latency."""
import math

from . import kernel
from .kernel import ARGUMENTS, BRANCH, COUNT, TEST, Buffer, Probe, Section
from .schedule import in_order

SPACING = 64               # bytes from pointer to pointer
BLOCK = 64
UNROLL = 32
MOST_MEASURED = 1 << 16    # steps


def pointer_ring(machine, *, kb):
    """Cycles per load when the ring has been followed once before."""
    length = round(1024 * kb / SPACING)
    # Each pointer leads as far ahead as the golden ratio says, so neighbours are visited at times far apart.
    step = round(length * (math.sqrt(5) - 1) / 2)
    while math.gcd(step, length) != 1:
        step += 1
    ring = [f"MOV R4, c[0x0][{ARGUMENTS + 8:#x}]", f"MOV R5, c[0x0][{ARGUMENTS + 12:#x}]"]
    link = ["IMAD.WIDE.U32 R[10:11], R6, 0x40, R[4:5]", "IADD3 R7, R6, R16, RZ", "ISETP.GE.U32.AND P1, PT, R7, R17, PT",
            "@P1 IADD3 R7, R7, -R17, RZ", "IMAD.WIDE.U32 R[12:13], R7, 0x40, R[4:5]", "ISETP.LT.U32.AND P2, PT, R6, R17, PT",
            "@P2 STG.64 [R[10:11]], R[12:13]", f"IADD3 R6, R6, {BLOCK:#x}, RZ"]
    # A word that holds its own address serves the pass that brings the code into its caches.
    word = [f"MOV R8, c[0x0][{ARGUMENTS:#x}]", f"MOV R9, c[0x0][{ARGUMENTS + 4:#x}]"]
    begin = [*word, "@P5 MOV R8, R4", "@P5 MOV R9, R5"]
    loads = ["LDG.64 R[8:9], [R[8:9]]"] * UNROLL
    chase = in_order(loads[:1] + [COUNT] + loads[1:2] + [TEST] + loads[2:] + [BRANCH], machine)
    sections = [Section(in_order([*link, COUNT, TEST, BRANCH], machine), math.ceil(length / BLOCK),
                        setup=[*ring, "MOV R6, R55", f"MOV R16, {step:#x}", f"MOV R17, {length:#x}"]),
                Section(chase, math.ceil(length / UNROLL), setup=["BAR.SYNC 0x0", *begin]),
                Section(chase, min(length, MOST_MEASURED) // UNROLL, setup=["BAR.SYNC 0x0"])]
    launch = kernel.build(sections, block=BLOCK, prologue=[*word, "STG.64 [R[8:9]], R[8:9]", "MEMBAR.GPU"],
                          buffers=[Buffer("word", words=32), Buffer("ring", words=SPACING // 4 * length)])
    # The frame has twice the registers of the original, of which as many CTAs as an SM takes would fit.
    launch.settings = ("sm.watchdog_cycles=4000000000", "sm.registers=131072")
    return Probe([launch], lambda outcomes: outcomes[0].widest(2) / (min(length, MOST_MEASURED) // UNROLL * UNROLL))


PROBES = {"pointer_ring": pointer_ring}

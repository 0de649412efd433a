"""Loads of a full SM that hit the L1, with lanes a stride apart or in blocks of rows: the loops of gpu-strides."""
from . import kernel
from .kernel import ARGUMENTS, BRANCH, COUNT, TEST, Buffer, Probe, Section
from .schedule import in_order

ALIGNED = 0x40000          # bytes: the buffer is the first of its program on the card, so every hash of its lines begins at 0
OFFSETS = (0, 4, 8, 12, 20, 16, 24, 28)  # elements: the loads of an iteration
PITCH = 4096 + 2           # elements from row to row of the blocks
ROWS = 32


def _loop(machine, width):
    """Eight independent loads, and the sum of the products of each pair."""
    bytes_ = width // 8
    multiply = "FFMA" if width == 32 else "DFMA"

    def register(number):
        return f"R{number}" if width == 32 else f"R[{number}:{number + 1}]"

    values = [16 + bytes_ // 4 * number for number in range(len(OFFSETS))]
    size = "" if width == 32 else f".{width}"
    body = ["IMAD.WIDE.U32 R[4:5], R12, 0x1, R[4:5]"]
    body += [f"LDG{size} {register(value)}, [R[4:5]+{bytes_ * offset:#x}] &wsb={number // 2}"
             for number, (value, offset) in enumerate(zip(values, OFFSETS))]
    body += [COUNT, TEST]
    body += [f"{multiply} {register(10)}, {register(first)}, {register(second)}, {register(10)}"
             for first, second in zip(values[::2], values[1::2])]
    return in_order([*body, BRANCH], machine)


def l1_pattern(machine, *, stride=None, lanes=None, width=32, iterations=48):
    """Cycles per load of a warp, of 32 warps: threads `stride` elements of `width` bits apart, starting again every 64, or
    rows of `lanes` neighbouring elements."""
    bytes_ = width // 8
    base = [f"MOV R4, c[0x0][{ARGUMENTS:#x}]", f"MOV R5, c[0x0][{ARGUMENTS + 4:#x}]", f"IADD3 R4, R4, {ALIGNED - 1:#x}, RZ",
            f"LOP3 R4, R4, {0x100000000 - ALIGNED:#x}, RZ, 0xc0", "MOV R12, RZ"]
    if stride is not None:
        place = ["LOP3 R6, R55, 0x3f, RZ, 0xc0", f"IMAD R6, R6, {bytes_ * stride:#x}, RZ"]
        elements = 64 * stride
    else:
        shift = lanes.bit_length() - 1
        place = [f"LOP3 R7, R55, {lanes - 1:#x}, RZ, 0xc0", f"SHR R6, R55, {shift:#x}", f"LOP3 R6, R6, {ROWS - 1:#x}, RZ, 0xc0",
                 f"MOV R13, {PITCH:#x}", "IADD3 R6, R6, 0x1, RZ", "IMAD R6, R6, R13, R7", f"IMAD R6, R6, {bytes_:#x}, RZ"]
        elements = (ROWS + 1) * PITCH + 64
    clear = ["MOV R10, RZ", "MOV R11, RZ"]
    setup = [*base, *place, "IMAD.WIDE.U32 R[4:5], R6, 0x1, R[4:5]", *clear]
    words = (bytes_ * (elements + 64) + ALIGNED) // 4
    launch = kernel.build([Section(_loop(machine, width), iterations, setup=setup)], block=1024, buffers=[Buffer("data", words=words)])
    return Probe([launch], lambda outcomes: outcomes[0].widest() / (32 * len(OFFSETS) * iterations))


PROBES = {"l1_pattern": l1_pattern}

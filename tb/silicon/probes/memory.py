"""Shared memory, L1 and the levels below it, the memory pipeline of a sub-partition, constants."""
import random
import struct

from . import kernel
from .kernel import ARGUMENTS, BRANCH, COUNT, TEST, Buffer, Probe, Section
from .schedule import in_order

RING = ["IADD3 R2, R55, 0x1, RZ", "LOP3 R2, R2, 0x3ff, RZ, 0xc0", "SHL R3, R55, 0x2", "STS [R3], R2", "BAR.SYNC 0x0"]


def shared_chase(machine, *, unroll=64, operations=4096, block=1024):
    """next[i] = i + 1 through shared memory: index to address, load."""
    if machine.generation < "8":  # the compiler spreads the shifts over both pipes
        address = ["IMAD R4, R8, 0x4, RZ", "SHF.L R4, R8, 0x2, RZ"]
    else:
        address = ["LEA R4, R8, RZ, 0x2"]
    body = [text for number in range(unroll) for text in (address[number % len(address)], "LDS R8, [R4]")]
    lines = in_order(body[:2] + [COUNT] + body[2:4] + [TEST] + body[4:] + [BRANCH], machine)
    launch = kernel.build([Section(lines, operations // unroll, setup=["MOV R8, RZ"])], block=block, stay="thread",
                          shared=0x1000, before_leaving=RING)
    return Probe([launch], lambda outcomes: outcomes[0].span() / operations)


def shared_pointer_chase(machine, *, width=32, unroll=32, operations=1024):
    """Each word of shared memory holds its own address: only loads."""
    load = "LDS R8, [R8]" if width == 32 else f"LDS.{width} R[8:9], [R8]"
    body = [load] * unroll
    lines = in_order(body[:1] + [COUNT] + body[1:2] + [TEST] + body[2:] + [BRANCH], machine)
    launch = kernel.build([Section(lines, operations // unroll, setup=["MOV R8, 0x100"])], block=32, stay="thread",
                          shared=0x1000, before_leaving=["MOV R2, 0x100", "STS [R2], R2"])
    return Probe([launch], lambda outcomes: outcomes[0].span() / operations)


def _stride_body(unroll):
    """A software pipeline: index plus stride four steps ahead of its load, mask three, address two, and the XOR of a pair
    of words into the sum six steps after it. The first address of the next iteration is made at the end of this one."""
    def index(number):
        return f"R{2 + number % 8}" if number % unroll else "R2"

    def make(ahead, number):
        """The step `ahead` of the loads for access `number`; access `unroll` is the first of the next iteration."""
        if not 1 <= number <= unroll:
            return []
        address = 64 + number % unroll
        return [{"index": f"IADD3 {index(number)}, {index(number - 1)}, R11, RZ",
                 "mask": f"LOP3 R{12 + number % 4}, {index(number)}, 0x7ff, RZ, 0xc0",
                 "address": f"IMAD R{address}, R{12 + number % 4}, 0x4, RZ"}[ahead]]

    body = [text for number in (1, 2, 3) for text in make("index", number)]
    body += [text for number in (1, 2) for text in make("mask", number)] + make("address", 1)
    for number in range(unroll + 6):
        if number < unroll:
            body.append(f"LDS R{96 + number}, [R{64 + number}] &wsb={number // 2 % 4}")
        body += make("index", number + 4) + make("mask", number + 3) + make("address", number + 2)
        first = number - 6
        if first >= 0 and first % 2 == 0 and first < unroll:
            body.append(f"LOP3 R10, R10, R{96 + first}, R{97 + first}, 0x96")
    return body


def bank_stride(machine, *, stride, unroll=32, operations=4096, per_operation=True):
    """Loads of 32 lanes `stride` words apart, at computed addresses."""
    body = _stride_body(unroll)
    lines = in_order([*body[:24], COUNT, *body[24:48], TEST, *body[48:], BRANCH], machine)
    setup = [f"MOV R11, {stride:#x}", "IMAD R2, R55, R11, RZ", "LOP3 R12, R2, 0x7ff, RZ, 0xc0", "SHL R64, R12, 0x2",
             "MOV R10, RZ"]
    launch = kernel.build([Section(lines, operations // unroll, setup=setup)], block=32, shared=0x2000,
                          before_leaving=["SHL R3, R55, 0x2", "STS [R3], R55"])
    return Probe([launch], lambda outcomes: outcomes[0].span() / (operations if per_operation else 1))


def conflict_increase(machine, *, stride):
    """Cost of a 32-way conflict for a dependent load: latency with lanes `stride` words apart, minus that without conflict."""
    lines = [["LDS R8, [R4] &wsb=0 ?stall2;", "MOV R9, R8 &req={0};", "NOP;"]]
    sections = [Section(lines[0], setup=[f"IMAD R4, R55, {4 * words:#x}, RZ"]) for words in (stride, 1)]
    launch = kernel.build(sections, block=32, shared=0x1000)
    return Probe([launch], lambda outcomes: outcomes[0].span(0) - outcomes[0].span(1))


def ring(words, order):
    """A ring of indices through these words, the rest zero."""
    data = bytearray(4 * words)
    for here, following in zip(order, order[1:] + order[:1]):
        struct.pack_into("<I", data, 4 * here, following)
    return bytes(data)


def _chase(machine, words, order, steps, *, cached, unroll=16):
    load = "LDG R8, [R[10:11]]" if cached else "LDG.CG R8, [R[10:11]]"
    body = [text for _ in range(unroll) for text in ("IMAD.WIDE.U32 R[10:11], R8, 0x4, R[4:5]", load)]
    branch = BRANCH
    if machine.branch_waits_for_load:
        body[-1] += " &wsb=4"
        branch += " &req={4}"
    lines = in_order(body[:2] + [COUNT] + body[2:4] + [TEST] + body[4:] + [branch], machine)
    # The pass that warms the code uses its own buffer: the lines of the other stay cold.
    setup = [f"MOV R4, c[0x0][{ARGUMENTS:#x}]", f"MOV R5, c[0x0][{ARGUMENTS + 4:#x}]",
             f"@P5 MOV R4, c[0x0][{ARGUMENTS + 8:#x}]", f"@P5 MOV R5, c[0x0][{ARGUMENTS + 12:#x}]",
             "MOV R8, RZ", f"@P5 MOV R8, {order[0]:#x}"]
    launch = kernel.build([Section(lines, steps // unroll, setup=setup)], block=32, stay="thread",
                          buffers=[Buffer("warm", words=32), Buffer("ring", data=ring(words, order))])
    return Probe([launch], lambda outcomes: outcomes[0].span() / steps)


def working_set(machine, *, kb, steps=4096):
    """A chase through a ring of 4-byte indices in random order, lines cold at the start."""
    words = 256 * kb
    order = random.Random(kb).sample(range(words), min(words, steps + 1))
    return _chase(machine, words, order, steps, cached=True)


def conflict_sets(machine, *, ways, steps=4096):
    """A chase through words 4096 bytes apart."""
    return _chase(machine, 1024 * ways, [1024 * way for way in range(ways)], steps, cached=True)


def l2_chase(machine, *, kb, steps=1024):
    """A chase that bypasses the L1."""
    words = 256 * kb
    order = random.Random(kb).sample(range(words), min(words, steps + 1))
    return _chase(machine, words, order, steps, cached=False)


def dram_chase(machine, *, kb=4096, behind_kb=131072, steps=1024):
    """A chase through words that were written before `behind_kb` others, so that no L2 holds them any longer."""
    words = 256 * kb
    order = random.Random(kb).sample(range(words), steps + 1)
    probe = _chase(machine, words, order, steps, cached=False)
    probe.launches[0].buffers.append(Buffer("behind", data=bytes(1024 * behind_kb)))
    return probe


def pointer_chase(machine, *, level="L1", unroll=32, operations=1024):
    """64-bit pointers through global memory, only loads: a word that holds its own address."""
    load = "LDG.64 R[8:9], [R[8:9]]" if level == "L1" else "LDG.64.CG R[8:9], [R[8:9]]"
    body = [load] * unroll
    lines = in_order(body[:1] + [COUNT] + body[1:2] + [TEST] + body[2:] + [BRANCH], machine)
    setup = [f"MOV R8, c[0x0][{ARGUMENTS:#x}]", f"MOV R9, c[0x0][{ARGUMENTS + 4:#x}]"]
    prologue = [*setup, "STG.64 [R[8:9]], R[8:9]", "MEMBAR.GPU"]
    launch = kernel.build([Section(lines, operations // unroll, setup=setup)], block=32, stay="thread", prologue=prologue,
                          buffers=[Buffer("word", words=32)])
    return Probe([launch], lambda outcomes: outcomes[0].span() / operations)


def atomic_chase(machine, *, operations=256, unroll=16):
    """Dependent atomics on one word of global memory."""
    lines = in_order(_counted(["ATOMG.ADD R8, [R[4:5]], R8"] * unroll), machine)
    setup = [f"MOV R4, c[0x0][{ARGUMENTS:#x}]", f"MOV R5, c[0x0][{ARGUMENTS + 4:#x}]", "MOV R8, RZ"]
    launch = kernel.build([Section(lines, operations // unroll, setup=setup)], block=32, stay="thread",
                          buffers=[Buffer("word", words=32)])
    return Probe([launch], lambda outcomes: outcomes[0].span() / operations)


def _counted(body):
    return body[:1] + [COUNT] + body[1:2] + [TEST] + body[2:] + [BRANCH]


def shared_atomic_lanes(machine, *, lanes):
    """Extra cost of an atomic of the given lanes on one word over an atomic of one lane."""
    def section(count):
        return Section(["@P1 ATOMS.ADD R8, [R4], R9 &wsb=0 ?stall2;", "MOV R10, R8 &req={0};", "NOP;"],
                       setup=["MOV R4, RZ", "MOV R9, 0x1", f"ISETP.LT.U32.AND P1, PT, R55, {count:#x}, PT"])
    launch = kernel.build([section(lanes), section(1)], block=32, shared=0x80)
    return Probe([launch], lambda outcomes: outcomes[0].span(0) - outcomes[0].span(1))


def _addresses(kind, width, uniform=False):
    """Addresses of the accesses below, contiguous across lanes: shared memory in R4, global in R[4:5]; a uniform one, the
    same for all lanes, in UR4 or UR[4:5]. Data are in R8 and the following."""
    if uniform:
        return (["UMOV UR4, 0x0"] if kind == "S" else
                [f"UMOV UR4, c[0x0][{ARGUMENTS:#x}]", f"UMOV UR5, c[0x0][{ARGUMENTS + 4:#x}]"])
    if kind == "C":
        return ["MOV R4, RZ"]
    if kind == "S":
        return [f"IMAD R4, R55, {width // 8:#x}, RZ"]
    return [f"MOV R4, c[0x0][{ARGUMENTS:#x}]", f"MOV R5, c[0x0][{ARGUMENTS + 4:#x}]",
            f"IMAD.WIDE.U32 R[4:5], R55, {width // 8:#x}, R[4:5]"]


def _access(opcode, width, address=None):
    size = "" if width == 32 else f".{width}"
    data = {32: "R8", 64: "R[8:9]", 128: "R[8:11]"}[width]
    if opcode == "LDC":
        place = "c[0x0][0x160]" if address == "immediate" else "c[0x0][R4+0x160]"
    else:
        base = "UR" if address == "uniform" else "R"
        place = f"[{base}[4:5]]" if opcode[2] == "G" else f"[{base}4]"
    return f"{opcode}{size} {data}, {place}" if opcode[0] == "L" else f"{opcode}{size} {place}, {data}"


def access_latency(machine, *, opcode, width=32, dependence="RAW", address=None):
    """Cycles from an access to the first issue of an instruction that needs its result (RAW), or overwrites its sources (WAR): the address
    of a load, the data of a store. `address`: uniform, or immediate for LDC; otherwise in a register."""
    uniform = address == "uniform"
    if dependence == "RAW":
        pair = [_access(opcode, width, address) + " &wsb=0 ?stall2;", "MOV R12, R8 &req={0};"]
    else:
        overwrite = "MOV R8, R14" if opcode[0] == "S" else "UMOV UR4, UR6" if uniform else "MOV R4, R14"
        fields = " &wsb=0" if opcode[0] == "L" else ""
        pair = [_access(opcode, width, address) + fields + " &rsb=1 ?stall2;", overwrite + " &req={1};"]
    kind = "C" if opcode == "LDC" else opcode[2]
    section = Section(["NOP;", *pair, "NOP;"], setup=_addresses(kind, width, uniform))
    launch = kernel.build([section], block=32, shared=0x400, buffers=[Buffer("data", words=256)])
    return Probe([launch], lambda outcomes: outcomes[0].span() - 4)  # clock, NOP, access; the other, NOP, clock


def issue_of_access(machine, *, number, sub_partitions=1, rank=0):
    """Cycle in which the `number`-th of independent loads of shared memory issues, the first in cycle 2; of the warp that
    is `rank`-th to issue it, one warp per sub-partition."""
    sections = [Section([f"LDS R{8 + i}, [R4] &wsb=0;" for i in range(count)], setup=["SHL R4, R55, 0x2"], together=True)
                for count in (1, number)]
    launch = kernel.build(sections, block=32 * sub_partitions, shared=0x400, passes=6)
    return Probe([launch], lambda outcomes: 2 + sorted(outcomes[0].together(1))[rank] - min(outcomes[0].together(0)))


def issue_span(machine, *, number, sub_partitions, stall):
    """Cycles from the first to the `number`-th of independent loads of shared memory whose control fields space them by
    `stall`, until the last of the sub-partitions has issued it; one warp each."""
    sections = [Section([f"LDS R{8 + i}, [R4] &wsb=0 ?stall{stall if i + 1 < count else 1};" for i in range(count)],
                        setup=["SHL R4, R55, 0x2"], together=True) for count in (1, number)]
    launch = kernel.build(sections, block=32 * sub_partitions, shared=0x400, passes=6)
    return Probe([launch], lambda outcomes: max(outcomes[0].together(1)) - max(outcomes[0].together(0)))


def issue_period(machine, *, sub_partitions):
    """Cycles between such loads when the queues are full."""
    sections = [Section([f"LDS R{8 + i}, [R4] &wsb=0;" for i in range(count)], setup=["SHL R4, R55, 0x2"], together=True)
                for count in (16, 32)]
    launch = kernel.build(sections, block=32 * sub_partitions, shared=0x400, passes=6)
    return Probe([launch], lambda outcomes: sum(
        (longer - shorter) / 16 for longer, shorter in zip(outcomes[0].together(1), outcomes[0].together(0))) / sub_partitions)


def constant_miss(machine):
    """Delay of an instruction with a constant operand that is read for the first time: its first time minus its second."""
    text = ["NOP;", "@P1 BRA skipped ?stall5;", "FFMA R8, R9, c[0x3][0x400], R11;", "skipped:", "NOP;"]
    # The first pass loads the code without executing the instruction; the second finds the constant cold, the third warm.
    section = Section(text, setup=["ISETP.EQ.AND P1, PT, R54, RZ, PT"])
    launch = kernel.build([section], block=32, passes=3)
    launch.text += ".const 3\n" + ".zero 0x400\n" + ".float 1.0\n" + ".zero 0x100\n"

    def figure(outcomes):
        spans = [(end - begin) & 0xffffffff for ((begin, end),), in outcomes[0].clocks]
        return spans[1] - spans[2]
    return Probe([launch], figure)


def shared_throughput(machine, *, ways=1, same=1, loads=64, lengths=(2, 6), block=128, grid=16):
    """Cycles per access of a warp with a full SM: loads with an FADD each, the sum in the other register bank, and a store
    per iteration."""
    body = []
    for number in range(loads):
        body.append(f"LDS R{16 + 2 * (number % 8)}, [R4+{4 * (number % 2):#x}] &wsb={number % 4}")
        if number >= 4:
            body.append(f"FADD R9, R9, R{16 + 2 * ((number - 4) % 8)}")
    body += [f"FADD R9, R9, R{16 + 2 * (number % 8)}" for number in range(loads - 4, loads)]
    body.append("STS [R4], R9 &rsb=5")
    lines = in_order([COUNT, TEST, *body, BRANCH + " &req={5}"], machine)
    # Conflicting lanes are 32 words apart in groups of `ways`; `same` lanes read one word.
    prologue = ["LOP3 R2, R55, 0x1f, RZ, 0xc0", f"SHR R2, R2, {same.bit_length() - 1:#x}",
                f"LOP3 R3, R2, {ways - 1:#x}, RZ, 0xc0", "SHL R3, R3, 0x7",
                f"SHR R2, R2, {ways.bit_length() - 1:#x}", "SHL R2, R2, 0x2", "IADD3 R4, R2, R3, RZ", "MOV R9, RZ"]
    launches = [kernel.plain(lines, block=block, grid=grid, shared=0x1080, prologue=prologue, iterations=length)
                for length in lengths]
    accesses = (loads + 1) * (block // 32) * grid * (lengths[1] - lengths[0])
    return Probe(launches, lambda outcomes: (outcomes[1].cycles - outcomes[0].cycles) / accesses)


def bandwidth(machine, *, space, width=32, loads=96, lengths=(2, 6), block=1024, grid=2):
    """Bytes per clock with a full SM: loads of neighbouring lanes that hit, whose words are added up."""
    words = width // 32
    ahead = 12  # enough to keep the unit busy when one warp is left
    body, kept = [], []
    for number in range(0, loads, 2):
        pair = [12 + 4 * ((number + second) % ahead) for second in (0, 1)]
        if number >= ahead:
            body += [f"FADD R9, R9, R{register}" for register in pair]
        for first in pair:
            data = f"R{first}" if words == 1 else f"R[{first}:{first + words - 1}]"
            size = "" if width == 32 else f".{width}"
            load = f"LDS{size} {data}, [R4]" if space == "shared" else f"LDG{size} {data}, [R[4:5]]"
            body.append(f"{load} &wsb={number // 2 % 6}")
        kept += pair
    body += [f"FADD R9, R9, R{register}" for register in kept[-ahead:]]
    lines = in_order([COUNT, TEST, *body, BRANCH], machine)
    if space == "shared":
        prologue = ["LOP3 R2, R55, 0x1f, RZ, 0xc0", f"IMAD R4, R2, {4 * words:#x}, RZ", "MOV R9, RZ"]
    else:
        prologue = [f"MOV R4, c[0x0][{ARGUMENTS:#x}]", f"MOV R5, c[0x0][{ARGUMENTS + 4:#x}]",
                    "LOP3 R2, R55, 0x1f, RZ, 0xc0", f"IMAD.WIDE.U32 R[4:5], R2, {4 * words:#x}, R[4:5]", "MOV R9, RZ"]
    launches = [kernel.plain(lines, block=block, grid=grid, shared=0x400, prologue=prologue, iterations=length,
                             buffers=[Buffer("data", words=256)]) for length in lengths]
    moved = 128 * words * loads * (block // 32) * grid * (lengths[1] - lengths[0])
    return Probe(launches, lambda outcomes: moved / (outcomes[1].cycles - outcomes[0].cycles))


PROBES = {
    "shared_chase": shared_chase, "shared_pointer_chase": shared_pointer_chase, "bank_stride": bank_stride,
    "conflict_increase": conflict_increase, "working_set": working_set, "conflict_sets": conflict_sets, "l2_chase": l2_chase,
    "dram_chase": dram_chase,
    "pointer_chase": pointer_chase, "atomic_chase": atomic_chase, "shared_atomic_lanes": shared_atomic_lanes,
    "access_latency": access_latency, "issue_of_access": issue_of_access, "issue_span": issue_span, "issue_period": issue_period,
    "constant_miss": constant_miss, "shared_throughput": shared_throughput, "bandwidth": bandwidth,
}

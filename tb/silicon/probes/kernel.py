"""The frame of a probe: threads that stay, a pass to warm the code, clocks around each measured section, results.

A kernel runs its sections once to bring their code into the instruction caches (a loop with one iteration), and then as
they are measured. Two reads of the clock enclose each section; the first lane of each warp stores both. Registers from
R48 on, P4, P5 and P6 belong to the frame, the others to the sections.
"""
import dataclasses
import struct
from typing import Callable

import yaml

from .schedule import careful

LINE = 8                      # instructions per line of the instruction cache
ARGUMENTS = 0x168             # constant bank 0: first argument of the probe, after the address of the results
COUNT = "IADD3 R61, R61, 0x1, RZ"
TEST = "ISETP.LT.AND P0, PT, R61, R60, PT"
BRANCH = "@P0 BRA loop"
MEASURED = "P5"               # true in the measured pass


class ProbeError(Exception):
    """A probe did not measure what it should."""


@dataclasses.dataclass
class Section:
    """The code between two reads of the clock. `body` has its control fields; with `iterations` it is a loop."""
    body: list
    iterations: int = 0
    setup: list = dataclasses.field(default_factory=list)  # before the clock, texts without control fields
    together: bool = False                                 # all warps start the section in the same cycle


@dataclasses.dataclass
class Buffer:
    """A buffer of 32-bit words, or with the contents `data`, as an argument of the launch."""
    name: str
    words: int = 0
    data: bytes = b""


@dataclasses.dataclass(eq=False)
class Launch:
    """One launch of a program."""
    text: str
    block: int
    grid: int = 1
    sections: int = 1
    passes: int = 2
    buffers: list = dataclasses.field(default_factory=list)
    clocks: bool = True
    diverges = False             # whether a branch may split a warp
    settings = ()                # further settings of the configuration, key=value

    @property
    def warps(self):
        return (self.block + 31) // 32

    def write(self, folder):
        """Program, launch file and contents of buffers for smsim, which leaves the clocks in clocks.bin."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "probe.sasm").write_text(self.text)
        words = max(2, 2 * self.warps * self.sections * self.passes)
        arguments = [{"name": "clocks", "type": "u32", "count": words}]
        for buffer in self.buffers:
            argument = {"name": buffer.name, "type": "u32"}
            if buffer.data:
                (folder / f"{buffer.name}.bin").write_bytes(buffer.data)
                argument["init"] = {"file": f"{buffer.name}.bin"}
            else:
                argument["count"] = buffer.words
            arguments.append(argument)
        (folder / "launch.yaml").write_text(yaml.safe_dump({
            "program": "probe.sasm", "grid": self.grid, "block": self.block, "arguments": arguments,
            "dump": [{"buffer": "clocks", "file": "clocks.bin"}]}, sort_keys=False))


@dataclasses.dataclass
class Outcome:
    """The outcome of a launch: its cycles, and both reads of the clock as `clocks[pass][section][warp]`, a pair each. `active`: cycles
    until the last warp has ended, without what is still on its way to memory then."""
    cycles: int
    clocks: list
    active: int = 0

    def span(self, section=0, warp=0):
        """Cycles between the reads in the measured pass."""
        begin, end = self.clocks[-1][section][warp]
        return (end - begin) & 0xffffffff

    def widest(self, section=0):
        """Cycles from the first start to the last end of all warps in the measured pass."""
        pairs = self.clocks[-1][section]
        begins, ends = ([(pair[which] - pairs[0][0] + 0x80000000) % 0x100000000 for pair in pairs] for which in (0, 1))
        return max(ends) - min(begins)

    def together(self, section):
        """The same for every warp, in a pass in which all have begun in one cycle."""
        for sections in reversed(self.clocks[1:]):
            spans = sections[section]
            if len({begin for begin, _ in spans}) == 1:
                return [(end - begin) & 0xffffffff for begin, end in spans]
        raise ProbeError("in no pass have all warps begun in the same cycle")


@dataclasses.dataclass
class Probe:
    """Launches, and how to compute the published figure from their outcomes."""
    launches: list
    figure: Callable


def outcome(launch, cycles, results, active=0):
    """Reads the stored clocks."""
    clocks = []
    if launch.clocks:
        words = struct.unpack(f"<{len(results) // 4}I", results)
        place = 0
        for _ in range(launch.passes):
            sections = []
            for _ in range(launch.sections):
                sections.append([(words[place + 2 * warp], words[place + 2 * warp + 1]) for warp in range(launch.warps)])
                place += 2 * launch.warps
            clocks.append(sections)
    return Outcome(cycles, clocks, active)


class _Text:
    def __init__(self):
        self.lines = []
        self.count = 0

    def add(self, *instructions):
        for line in instructions:
            self.lines.append("    " + line)
            self.count += 1

    def careful(self, *texts):
        for text in texts:
            self.add(*careful(text))

    def label(self, name):
        self.lines.append(name + ":")

    def align(self, behind=0):
        """NOPs so that the code that follows the next N = `behind` instructions begins a line."""
        while (self.count + behind) % LINE:
            self.add("NOP;")


def _who_stays(text, stay):
    if stay == "thread":
        text.careful("ISETP.NE.AND P6, PT, R55, RZ, PT", "@P6 EXIT")
    elif stay == "warp":
        text.careful("ISETP.GE.U32.AND P6, PT, R55, 0x20, PT", "@P6 EXIT")
    elif isinstance(stay, int):
        text.careful(f"ISETP.GE.U32.AND P6, PT, R55, {32 * stay:#x}, PT", "@P6 EXIT")


def _meet(text, number):
    """All warps of the CTA, one per sub-partition, leave in the same cycle: each jumps to the place in a row of NOPs that its
    clock selects, so that all reach the end of the row in a cycle that is a multiple of its length. Warps just before and
    after such a multiple miss each other by a row, so each pass uses a different length."""
    text.careful("BAR.SYNC 0x0", "IMAD R57, R54, 0xd, RZ")
    text.align(3)
    text.add("CS2R.32 R56, SR_CLOCKLO ?stall8;", "IADD3 R56, R56, R57, RZ ?stall6;", "LOP3 R56, R56, 0x3f, RZ, 0xc0 ?stall6;",
             "SHL R56, R56, 0x4 ?stall11;")
    text.add("NOP ?stall11;", "BRX R56, 0x0 ?stall5;")
    text.lines.append(f"row{number}:")
    for _ in range(64):
        text.add("NOP;")


def build(sections, *, block, stay="all", shared=0, prologue=(), before_leaving=(), buffers=(), passes=2, grid=1):
    """The launch of a kernel with these sections. `stay`: all threads, thread 0 alone, warp 0, or that many warps; the others
    exit after `before_leaving`, which all execute."""
    text = _Text()
    text.lines += [".kernel probe", ".schedule manual"] + ([f".shared {shared:#x}"] if shared else [])
    text.careful("S2R R55, SR_TID.X", *before_leaving)
    _who_stays(text, stay)
    text.careful("SHR R56, R55, 0x5", "MOV R48, c[0x0][0x160]", "MOV R49, c[0x0][0x164]",
                 "IMAD.WIDE.U32 R[48:49], R56, 0x8, R[48:49]", "LOP3 R56, R55, 0x1f, RZ, 0xc0",
                 "ISETP.EQ.AND P6, PT, R56, RZ, PT", "MOV R54, RZ", *prologue)
    text.label("pass")
    text.careful("ISETP.NE.AND P5, PT, R54, RZ, PT")
    warps = (block + 31) // 32
    for number, section in enumerate(sections):
        text.careful(*section.setup, f"MOV R60, {section.iterations:#x}", "SEL R60, R60, 0x1, P5", "MOV R61, RZ")
        if section.together:
            _meet(text, number)
        text.align(1)
        text.add("CS2R R[50:51], SR_CLOCKLO;")
        loop = f"loop{number}"
        text.label(loop)
        text.add(*[line.replace("BRA loop ", f"BRA {loop} ") for line in section.body])
        text.add("CS2R R[52:53], SR_CLOCKLO ?stall10;")
        text.careful("MOV R51, R52", "@P6 STG.64 [R[48:49]], R[50:51]", f"IADD3 R48, R48, {8 * warps:#x}, RZ")
    text.careful("IADD3 R54, R54, 0x1, RZ", f"ISETP.LT.AND P4, PT, R54, {passes:#x}, PT", "@P4 BRA pass", "EXIT")
    return Launch("\n".join(text.lines) + "\n", block, grid, len(sections), passes, list(buffers))


def plain(body, *, block, grid=1, shared=0, prologue=(), buffers=(), iterations=0):
    """A launch without clocks, measured by its own cycles: a loop that all threads run."""
    text = _Text()
    text.lines += [".kernel probe", ".schedule manual"] + ([f".shared {shared:#x}"] if shared else [])
    text.careful("S2R R55, SR_TID.X", *prologue, f"MOV R60, {iterations:#x}", "MOV R61, RZ")
    text.align()
    text.label("loop")
    text.add(*body)
    text.careful("EXIT")
    return Launch("\n".join(text.lines) + "\n", block, grid, 0, 0, list(buffers), clocks=False)

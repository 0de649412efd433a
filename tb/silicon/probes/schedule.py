"""Control fields for the loops of the probes, as the machine's compiler sets them.

Instructions are assembly text in the compiler's order. Fields given in a text (`&wsb=1`, `&rsb=5`, `&req={5}`) stay;
stall counts, write scoreboards and waits for them are added.
"""
import re

from . import machine as machines

_CONTROL = re.compile(r"[?&][a-z]+\d*(?:=(?:\d|\{[\d,]*\}))?")
_REGISTER = re.compile(r"(?<![A-Z_\d])(R|P)(?:\[(\d+):(\d+)\]|(\d+))")
_WITHOUT_RESULT = {"STS", "STG", "STL", "BRA", "BRX", "BAR", "EXIT", "NOP", "MEMBAR", "RED"}
_LONGEST_STALL = 11  # the value that compilers write without yield
_SCOREBOARDS = 5     # number 5 is reserved for texts that name it


class Instruction:
    """One instruction: its text without control fields, registers and control fields."""

    def __init__(self, text):
        control = dict(re.findall(r"&(wsb|rsb)=(\d)", text))
        self.wsb = int(control["wsb"]) if "wsb" in control else None
        self.rsb = int(control["rsb"]) if "rsb" in control else None
        waits = re.search(r"&req=\{([\d,]*)\}", text)
        self.waits = {int(number) for number in waits.group(1).split(",")} if waits else set()
        stall = re.search(r"\?stall(\d+)", text)
        self.own_stall = int(stall.group(1)) if stall else None
        self.marks = "".join(" " + mark for mark in re.findall(r"\?yield", text))
        self.stall = self.own_stall or 1
        self.text = _CONTROL.sub("", text).strip().rstrip(";").strip()
        guard, rest = re.match(r"(?:@!?(P\d)\s+)?(.*)$", self.text).groups()
        self.opcode = rest.split()[0].split(".")[0]
        operands = [operand.strip() for operand in rest[len(rest.split()[0]):].split(",")]
        results = 0 if self.opcode in _WITHOUT_RESULT else 2 if operands[0].startswith("P") else 1
        self.results = {name for operand in operands[:results] for name in _registers(operand)}
        self.sources = {name for operand in operands[results:] for name in _registers(operand)}
        self.guard = {guard} if guard else set()
        self.variable = self.opcode in machines.VARIABLE

    def __str__(self):
        fields = f"?stall{self.stall}{self.marks}"
        if self.wsb is not None:
            fields += f" &wsb={self.wsb}"
        if self.rsb is not None:
            fields += f" &rsb={self.rsb}"
        if self.waits:
            fields += " &req={" + ",".join(str(number) for number in sorted(self.waits)) + "}"
        return f"{self.text} {fields};"


def _registers(operand):
    for kind, first, last, single in _REGISTER.findall(operand):
        if single:
            yield kind + single
        else:
            yield from (f"{kind}{number}" for number in range(int(first), int(last) + 1))


def careful(text):
    """An instruction outside the measured stretch: waits for everything before it, and everything after waits for it."""
    instruction = Instruction(text)
    if instruction.opcode in machines.CONTROL:
        instruction.stall = 5
    else:
        instruction.stall = 10
    instruction.waits = set(range(6))
    if instruction.variable:
        if instruction.results:
            instruction.wsb = 0
        else:
            instruction.rsb = 0
    return [str(instruction), "NOP ?stall10;"]


class _State:
    """What is in flight while control fields are set."""

    def __init__(self, machine):
        self.machine = machine
        self.time = 0
        self.fixed = {}    # register -> (cycle, opcode) of its last writer with fixed latency
        self.guarded = {}  # register -> scoreboard that guards it
        self.raised = {}   # scoreboard -> cycle of its last increment
        self.pipes = {}    # unit -> cycle of its last instruction

    def earliest(self, instruction):
        """Earliest cycle, and the scoreboards to wait for."""
        cycle, waits = self.time, set(instruction.waits)
        for name in instruction.sources | instruction.guard | instruction.results:
            if name in self.guarded:
                waits.add(self.guarded[name])
            elif name in self.fixed and name not in instruction.results - instruction.sources:
                written, producer = self.fixed[name]
                cycle = max(cycle, written + self.machine.latency(
                    producer, instruction.opcode, predicate=name.startswith("P"), guard=name in instruction.guard))
        for board in waits:
            if board in self.raised:
                cycle = max(cycle, self.raised[board] + 2)
        unit = machines.unit(instruction.opcode)
        if unit in self.pipes:
            cycle = max(cycle, self.pipes[unit] + self.machine.interval(instruction.opcode))
        return cycle, waits

    def issue(self, instruction, cycle, waits):
        instruction.waits = waits
        for name in [name for name, board in self.guarded.items() if board in waits]:
            del self.guarded[name]
        if instruction.rsb is not None:
            self.raised[instruction.rsb] = cycle
        for name in instruction.results:
            self.guarded.pop(name, None)
            self.fixed.pop(name, None)
            if instruction.variable:
                self.guarded[name] = instruction.wsb
                self.raised[instruction.wsb] = cycle
            else:
                self.fixed[name] = cycle, instruction.opcode
        self.pipes[machines.unit(instruction.opcode)] = cycle
        self.time = cycle + 1


def _one_pass(texts, state):
    """Control fields for one pass over the texts."""
    placed, board, before, at = [], 0, None, state.time
    for text in texts:
        instruction = Instruction(text)
        if instruction.variable and instruction.results and instruction.wsb is None:
            instruction.wsb = board
            board = (board + 1) % _SCOREBOARDS
        cycle, waits = state.earliest(instruction)
        if before is not None:
            if before.own_stall is not None:
                cycle = max(at + before.own_stall, cycle if before.own_stall > 1 else at + 1)
            gap = cycle - at
            before.stall = min(gap, _LONGEST_STALL)
            gap -= before.stall
            while gap > 0:
                placed.append(Instruction("NOP"))
                placed[-1].stall = min(gap, _LONGEST_STALL)
                gap -= placed[-1].stall
        state.issue(instruction, cycle, waits)
        placed.append(instruction)
        before, at = instruction, cycle
    if before is not None and before.own_stall is None:
        before.stall = 5 if before.opcode == "BRA" else 1
    return placed


def in_order(texts, machine, *, loop=True):
    """The texts with control fields. For a loop, includes the waits that the second iteration needs."""
    state = _State(machine)
    placed = _one_pass(texts, state)
    if loop:
        state.time += 10
        again = _one_pass(texts, state)
        # The waits that the second iteration needs in its first instructions, with the distances of the first iteration.
        for first, second in zip([i for i in placed if i.text != "NOP"], [i for i in again if i.text != "NOP"]):
            first.waits |= second.waits
    return [str(instruction) for instruction in placed]


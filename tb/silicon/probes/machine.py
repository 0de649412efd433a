"""What a compiler knows about a generation: latencies and intervals that it writes into control fields.

The figures are those of the machines, not those of the model's configurations: a probe must use the instruction stream
that the machine executed, however the model runs it. Sources: control fields in the output of the vendor's compiler,
published latency tables, and the published loops themselves (docs/accuracy.md).
"""
import dataclasses

ALU = {"IADD3", "LOP3", "SHF", "SHL", "SHR", "LEA", "PRMT", "SEL", "MOV", "ISETP", "FSETP", "FMNMX", "IMNMX", "PLOP3",
       "VOTE", "PSETP", "P2R", "IABS"}
FMA = {"FADD", "FMUL", "FFMA"}
IMAD = {"IMAD"}
HALF = {"HADD2", "HMUL2", "HFMA2"}
XU = {"MUFU", "F2I", "I2F", "F2F", "POPC", "FLO", "BREV", "S2R"}
FP64 = {"DADD", "DMUL", "DFMA", "DSETP"}
MEMORY = {"LDS", "STS", "LDG", "STG", "LDC", "LDL", "STL", "SHFL", "ATOMS", "ATOMG", "RED", "REDUX"}
CONTROL = {"BRA", "BRX", "EXIT", "BAR", "MEMBAR", "BSSY", "BSYNC"}

# Results that a scoreboard guards; FP64 too, because the model's instruction set defines it that way.
VARIABLE = XU | FP64 | MEMORY


def unit(opcode):
    """Unit of an opcode without modifiers."""
    for name, opcodes in (("alu", ALU), ("fma", FMA), ("imad", IMAD), ("half", HALF), ("xu", XU), ("fp64", FP64), ("memory", MEMORY),
                          ("control", CONTROL)):
        if opcode in opcodes:
            return name
    return "clock" if opcode == "CS2R" else "none"


@dataclasses.dataclass(frozen=True)
class Machine:
    """One generation as its compiler sees it."""
    generation: str
    fma_interval: int           # cycles between two FP32 instructions of a warp
    to_memory: int              # ALU or FMA result to an address or to stored data
    to_unit: int                # .. to an instruction of the XU or FP64
    predicate_to_guard: int     # .. comparison to the guard of an instruction
    half_latency: int           # 16-bit floats to their own kind, and from others to them
    half_to_others: int
    half_interval: int
    imad_latency: int = 4
    fmnmx_latency: int = 4
    branch_waits_for_load: bool = False  # a backward branch waits for the scoreboards in flight

    def latency(self, producer, consumer, *, predicate=False, guard=False):
        """Cycles from issue to issue of two dependent instructions; `producer` and `consumer` are opcodes."""
        source, target = unit(producer), unit(consumer)
        if source == "clock":
            return 6
        if predicate:
            if guard:
                return self.predicate_to_guard
            return 5 if target in ("fma", "imad") else 4
        if source == "half":
            return self.half_latency if target == "half" else self.half_to_others
        if target == "half":
            return self.half_latency
        if target in ("memory", "control"):
            return self.to_memory
        if target in ("xu", "fp64"):
            return self.to_unit
        own = {"imad": self.imad_latency}.get(source, 4)
        if producer == "FMNMX":
            own = self.fmnmx_latency
        fma_side = ("fma", "imad")
        return max(own, 4) if (source in fma_side) == (target in fma_side) else 5

    def interval(self, opcode):
        """Cycles between two instructions of a warp on one pipe."""
        return {"alu": 2, "imad": 2, "fma": self.fma_interval, "half": self.half_interval}.get(unit(opcode), 1)


def _older(generation, **figures):
    return Machine(generation, fma_interval=2, to_memory=6, to_unit=6, predicate_to_guard=12, half_latency=6,
                   half_to_others=8, half_interval=2, **figures)


def _newer(generation, fma_interval, half_interval, **figures):
    return Machine(generation, fma_interval=fma_interval, to_memory=5, to_unit=4, predicate_to_guard=13, half_latency=5,
                   half_to_others=5, half_interval=half_interval, **figures)


MACHINES = {machine.generation: machine for machine in (
    _older("7.0"),
    _older("7.5", imad_latency=5, fmnmx_latency=5),
    _newer("8.0", 2, 1),
    _newer("8.6", 1, 2),
    _newer("8.9", 1, 2),
    _newer("9.0", 1, 1, branch_waits_for_load=True),
)}

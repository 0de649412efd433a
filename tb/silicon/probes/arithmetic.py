"""Chains of arithmetic: latencies, issue of several warps, register files, throughput."""
from . import kernel
from .kernel import BRANCH, COUNT, TEST, Probe, Section
from .schedule import in_order

# One step of a dependent chain through register {0}; R9, R11, R13 hold operands (odd bank).
STEPS = {
    "FADD": ["FADD R{0}, R{0}, R9"],
    "FMUL": ["FMUL R{0}, R{0}, R9"],
    "FFMA": ["FFMA R{0}, R{0}, 1.000001, R9"],
    "IADD3": ["IADD3 R{0}, R{0}, R9, RZ"],
    "LOP3": ["LOP3 R{0}, R{0}, R9, RZ, 0x3c"],
    "SHF": ["SHF.L R{0}, R{0}, 0x1, RZ"],
    "PRMT": ["PRMT R{0}, R{0}, 0x2103, R9"],
    "SEL": ["SEL R{0}, R{0}, R9, PT"],
    "MOV": ["MOV R{0}, R{0}"],
    "IMAD": ["IMAD R{0}, R{0}, R9, R9"],
    "HADD2": ["HADD2 R{0}, R{0}, R9"],
    "HFMA2": ["HFMA2 R{0}, R{0}, R9, R9"],
    "FMNMX": ["FMNMX R{0}, R{0}, R9, PT"],
    "MUFU": ["MUFU.EX2 R{0}, R{0}"],
    "FMUL_MUFU": ["FMUL R{0}, R{0}, R9", "MUFU.SIN R{0}, R{0}"],
    "FMUL_MUFU_COS": ["FMUL R{0}, R{0}, R9", "MUFU.COS R{0}, R{0}"],
    "POPC": ["POPC R{0}, R{0}"],
    "FLO": ["FLO R{0}, R{0}"],
    "BREV": ["BREV R{0}, R{0}"],
    "CVT": ["F2I R{0}, R{0}", "I2F R{0}, R{0}"],
    "SHFL": ["SHFL.BFLY R{0}, R{0}, 0x1, 0x1f"],
    "REDUX": ["REDUX.ADD R{0}, R{0}"],
    "DADD": ["DADD R[{0}:{1}], R[{0}:{1}], R[10:11]"],
    "DMUL": ["DMUL R[{0}:{1}], R[{0}:{1}], R[10:11]"],
    "DFMA": ["DFMA R[{0}:{1}], R[{0}:{1}], R[10:11], R[12:13]"],
}
# Accumulators in one register bank, the addend in the other.
ACCUMULATORS = range(16, 48, 2)
OPERANDS = ["MOV R9, 1.0", "MOV R10, RZ", "MOV R11, 0x3ff00000", "MOV R12, RZ", "MOV R13, 0x3ff00000",
            *[f"MOV R{register}, {'1.0' if register % 2 == 0 else '0x3ff00000'}" for register in range(16, 48)]]


def steps(operation, accumulator):
    return [step.format(ACCUMULATORS[accumulator], ACCUMULATORS[accumulator] + 1) for step in STEPS[operation]]


def with_loop(body, distance=4):
    """A loop around the body: count and test early, the branch after the last instruction."""
    first = min(distance, max(1, len(body) // 2)) if distance > 1 else 1
    second = min(2 * first, len(body))
    return body[:first] + [COUNT] + body[first:second] + [TEST] + body[second:] + [BRANCH]


def chains(machine, *, operation, unroll, operations, accumulators=1, block=32, stay="thread", warp=0, grid=1):
    """A loop of `unroll` steps for each of `accumulators` chains in rotation; `operations` steps of each chain in total."""
    body = [text for _ in range(unroll) for number in range(accumulators) for text in steps(operation, number)]
    lines = in_order(with_loop(body, accumulators), machine)
    launch = kernel.build([Section(lines, operations // unroll)], block=block, stay=stay, prologue=OPERANDS, grid=grid)
    return Probe([launch], lambda outcomes: outcomes[0].span(warp=warp))


def chain_per_operation(machine, *, operations, accumulators=1, of_chain=False, **arguments):
    """Cycles per step, of each chain or of all."""
    probe = chains(machine, operations=operations, accumulators=accumulators, **arguments)
    divisor = operations * (1 if of_chain else accumulators)
    return Probe(probe.launches, lambda outcomes: probe.figure(outcomes) / divisor)


def rotating(machine, *, unroll, accumulators, operations):
    """Steps over several accumulators in rotation, `unroll` in a loop."""
    body = [text for number in range(unroll) for text in steps("FFMA", number % accumulators)]
    lines = in_order(with_loop(body), machine)
    launch = kernel.build([Section(lines, operations // unroll)], block=32, stay="thread", prologue=OPERANDS)
    return Probe([launch], lambda outcomes: outcomes[0].span() / operations)


def ready_warps(machine, *, warps):
    """2048 dependent FFMA by each of the given warps of a CTA of 1024 threads; cycles of the first."""
    return chains(machine, operation="FFMA", unroll=16, operations=2048, block=1024, stay=warps)


def latency(machine, *, operation, stay="all", lengths=(32, 64), per_step=1):
    """Slope of straight code over two lengths."""
    use = f"MOV R9, R{ACCUMULATORS[0]}"  # the second clock waits for the last result
    sections = [Section(in_order([*(text for _ in range(length) for text in steps(operation, 0)), use], machine, loop=False),
                        setup=OPERANDS) for length in lengths]
    launch = kernel.build(sections, block=32, stay=stay)
    return Probe([launch], lambda outcomes: (outcomes[0].span(1) - outcomes[0].span(0)) /
                 ((lengths[1] - lengths[0]) * per_step))


def throughput(machine, *, operation, results=32, accumulators=8, block=1024, grid=2, unroll=8, lengths=(16, 48)):
    """Results per clock with a full SM: slope of the launch's cycles over two numbers of iterations."""
    body = [text for _ in range(unroll) for number in range(accumulators) for text in steps(operation, number)]
    lines = in_order(with_loop(body), machine)
    launches = [kernel.plain(lines, block=block, grid=grid, prologue=OPERANDS, iterations=length) for length in lengths]
    work = results * (block // 32) * grid * unroll * accumulators * (lengths[1] - lengths[0])
    return Probe(launches, lambda outcomes: work / (outcomes[1].cycles - outcomes[0].cycles))


def stretch(machine, *, texts, against=None, setup=(), block=32):
    """Clocks between two reads around instructions with their own control fields, minus those of others."""
    sections = [Section([text + ";" for text in lines], setup=[*OPERANDS, *setup]) for lines in (texts, against) if lines]
    launch = kernel.build(sections, block=block)
    if against:
        return Probe([launch], lambda outcomes: outcomes[0].span(0) - outcomes[0].span(1))
    return Probe([launch], lambda outcomes: outcomes[0].span(0))


def streams(machine, *, texts, per=1, lengths=(16, 32), setup=(), shared=0):
    """Cycles per instruction (or per `per` of them) of a stream of these instructions: slope over two lengths."""
    def section(length):
        body = [text + ";" for _ in range(length) for text in texts]
        return Section(body + ["NOP ?stall11;", "NOP ?stall11 &req={0,1,2,3,4,5};"], setup=[*OPERANDS, *setup])
    launch = kernel.build([section(length) for length in lengths], block=32, shared=shared)
    steps_more = (lengths[1] - lengths[0]) * len(texts) / per
    return Probe([launch], lambda outcomes: (outcomes[0].span(1) - outcomes[0].span(0)) / steps_more)


def rounds(machine, *, operations, repeats=(16, 64), count=16):
    """Cost of one repetition of dependent operations: two loops between barriers that differ in the number of repetitions."""
    step = [text for name in operations for text in steps(name, 0)]
    sections = [Section(in_order(with_loop(step * repeat), machine), count, setup=["BAR.SYNC 0x0"]) for repeat in repeats]
    launch = kernel.build(sections, block=32, prologue=OPERANDS)
    return Probe([launch], lambda outcomes: (outcomes[0].widest(1) - outcomes[0].widest(0)) / (count * (repeats[1] - repeats[0])))


def loop_round(machine, *, body, counts=(8, 40)):
    """Cycles per round of a loop of the given number of dependent FFMA: slope over two numbers of rounds."""
    lines = in_order(with_loop([text for _ in range(body) for text in steps("FFMA", 0)]), machine)
    launch = kernel.build([Section(lines, count) for count in counts], block=32, prologue=OPERANDS)
    return Probe([launch], lambda outcomes: (outcomes[0].span(1) - outcomes[0].span(0)) / (counts[1] - counts[0]))


PROBES = {
    "rounds": rounds, "loop_round": loop_round, "chains": chains, "chain_per_operation": chain_per_operation,
    "rotating": rotating, "ready_warps": ready_warps,
    "latency": latency, "throughput": throughput, "stretch": stretch, "streams": streams,
}

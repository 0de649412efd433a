"""All benchmarks: the launches of each, and the meaning of their clocks. docs/accuracy.md describes the families."""
import dataclasses
import pathlib
import random
import struct
from typing import Callable

from .launches import DeviceLaunch

KERNELS = pathlib.Path(__file__).resolve().parents[3] / "kernels/compiled"
ROUNDS = 16
ONE, OTHER = 0x3f800001, 0x3f000001  # as floats slightly above 1 and 1/2
DOUBLE, OTHER_DOUBLE = 0x3ff0000000000001, 0x3fe0000000000001


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """A figure of one SM. `figure` computes it from one outcome (tb/silicon/probes/kernel.py) per launch."""
    name: str
    group: str
    unit: str
    launches: tuple
    figure: Callable
    oldest: str = "7.0"    # lowest compute capability that has the instruction
    newest: str = "99.0"   # and the highest one
    without: str = ""      # why the model has no figure
    twin: tuple = ()       # probe and arguments if the model's compiler would change the shape of the code; otherwise the source


def _slope(steps):
    """Cost of one of the `steps` by which section 1 is longer than section 0."""
    return lambda outcomes: (outcomes[0].widest(1) - outcomes[0].widest(0)) / (steps * ROUNDS)


def _rate(work):
    """Work per clock: the extra work of section 1 over section 0 in a round."""
    return lambda outcomes: work * ROUNDS / (outcomes[0].widest(1) - outcomes[0].widest(0))


def _value(name, value, kind="u32"):
    return {"name": name, "type": kind, "value": value}


def _buffer(name, count, kind="u32"):
    return {"name": name, "type": kind, "count": count}


RESULT = _buffer("result", 1024)


def _launch(source, kernel, *arguments, block=32, sections=2, rounds=ROUNDS, **others):
    """A launch with the frame of harness.h: rounds first, the result last."""
    return DeviceLaunch(source=source, kernel=kernel, block=block, sections=sections,
                        arguments=[_value("rounds", rounds), *arguments, RESULT], **others)


def _floats(wide=False):
    if wide:
        return [_value("a", DOUBLE, "u64"), _value("b", OTHER_DOUBLE, "u64")], _buffer("result", 1024, "u64")
    return [_value("a", ONE), _value("b", OTHER)], RESULT


def _with_operands(source, kernel, wide, **others):
    operands, result = _floats(wide)
    return DeviceLaunch(source=source, kernel=kernel, sections=2, arguments=[_value("rounds", ROUNDS), *operands, result],
                        **others)


LATENCIES = {
    "arithmetic": ("FADD FMUL FFMA FMNMX IADD LOP3 SHF PRMT compare IMAD IMAD_HI IMAD_WIDE FFMA_LOP3 FFMA_IMAD IMAD_LOP3 FFMA_PRMT "
                   "FADD_FMNMX").split(),
    "special functions": ("POPC FLO BREV EX2 LG2 RCP RSQ SQRT SIN COS int_float float_double float_half FFMA_EX2 LOP3_EX2 LOP3_POPC "
                          "IMAD_POPC EX2_POPC").split(),
    "FP64": ["DADD", "DMUL", "DFMA", "DADD_LOP3"],
    "half": ["HADD2", "HMUL2", "HFMA2"],
    "shuffles": ["SHFL", "REDUX", "FFMA_SHFL"],
    "votes": ["VOTE", "MATCH"],
}
STEPS = {"IADD": "IADD3 and LOP3", "compare": "ISETP and SEL", "IMAD_HI": "IMAD.HI", "IMAD_WIDE": "IMAD.WIDE",
         "RCP": "FADD and MUFU.RCP", "SIN": "FMUL and MUFU.SIN", "COS": "FMUL and MUFU.COS", "int_float": "I2F and F2I",
         "float_double": "F2F up and down", "float_half": "F2F down and up", "VOTE": "ISETP and VOTE",
         "DADD_LOP3": "DADD and two LOP3"}
# A GPU's MUFU.SIN and MUFU.COS need a preceding multiplication, smsim's take radians.
TWINS = {"SIN": ["FMUL_MUFU"], "COS": ["FMUL_MUFU_COS"]}


def _latencies():
    for group, names in LATENCIES.items():
        for name in names:
            wide = name.startswith("D") or name == "IMAD_WIDE"
            unit = f"cycles per {STEPS.get(name, name.replace('_', ' and '))}"
            steps = 96 if name in ("FMNMX", "LOP3") else 48  # a minimum and a maximum, two functions
            yield Benchmark(f"latency.{name}", group, unit, (_with_operands("latency", f"latency_{name}", wide),), _slope(steps),
                            oldest="8.0" if name == "REDUX" else "7.0",
                            twin=("rounds", {"operations": TWINS[name]}) if name in TWINS else ())


MIXES = {
    "arithmetic": "FFMA FADD LOP3 SHF IMAD".split(), "special functions": "EX2 POPC I2F_F2I".split(), "half": ["HFMA2"],
    "FP64": ["DFMA"], "shuffles": ["SHFL"],
    "issue order": "FFMA_LOP3 FFMA_IMAD IMAD_LOP3 FFMA_EX2 LOP3_EX2 FFMA_SHFL".split(),
}


def _throughputs():
    for group, names in MIXES.items():
        for name in names:
            for warps in (1, 4, 8, 16, 32):
                yield Benchmark(f"throughput.{name}.{warps}", group, "instructions per clock",
                                (_with_operands("throughput", f"throughput_{name}", name.startswith("D"), block=32 * warps),),
                                _rate(64 * warps))


def _registers():
    for number in range(1, 13):
        yield Benchmark(f"registers.accumulators.{number}", "register file", "cycles per FFMA",
                        (_with_operands("registers", f"registers_accumulators_{number}", False),), _slope(32 * number))
    for form in ("own", "shared", "one", "alternating", "immediate"):
        for warps in (1, 16):
            yield Benchmark(f"registers.operands.{form}.{warps}", "register file", "FFMA per clock",
                            (_with_operands("registers", f"registers_operands_{form}", False, block=32 * warps),),
                            _rate(64 * warps))


def _vector(opcode, width):
    """The twin of a chase through a word of a vector, which smsim moves to another register before using it as an address."""
    return ("access_latency", {"opcode": opcode, "width": width})


def _shared():
    def latency(width, words):
        return (_launch("shared", f"shared_latency_{width}", _value("stride", words)),)

    def loads(width, words, warps):
        return (_launch("shared", f"shared_loads_{width}", _value("stride", words), _value("step", 0), block=32 * warps),)

    for width in (32, 64, 128):
        words = width // 32
        yield Benchmark(f"shared.latency.{width}", "shared memory", "cycles per LDS", latency(width, words), _slope(32),
                        twin=_vector("LDS", width) if width > 32 else ())
        for warps in (1, 4, 16):
            yield Benchmark(f"shared.loads.{width}.{warps}", "shared memory", "bytes per clock", loads(width, words, warps),
                            _rate(32 * 128 * words * warps))
            yield Benchmark(f"shared.stores.{width}.{warps}", "shared memory", "bytes per clock",
                            (_launch("shared", f"shared_stores_{width}", _value("stride", words), block=32 * warps),),
                            _rate(32 * 128 * words * warps))
    for ways in (2, 4, 8, 16, 32):
        yield Benchmark(f"shared.conflict_latency.{ways}", "shared memory", "cycles per LDS", latency(32, ways), _slope(32))
        yield Benchmark(f"shared.conflict_loads.{ways}", "shared memory", "cycles per LDS", loads(32, ways, 4), _slope(32 * 4))


def _global():
    def launch(kernel, stride, warps=1):
        return (_launch("global", f"global_{kernel}", _value("stride", stride), _value("step", 0, "u64"), _buffer("data", 16384),
                        block=32 * warps),)

    for width in (32, 64, 128):
        yield Benchmark(f"l1.latency.{width}", "L1", "cycles per LDG" if width > 32 else "cycles per LDG and addition",
                        launch(f"latency_{width}", width // 8), _slope(32), twin=_vector("LDG", width) if width > 64 else ())
        for warps in (1, 4, 16):
            kernel = f"loads_{width}" if width > 32 else "stride_4"
            yield Benchmark(f"l1.loads.{width}.{warps}", "L1", "bytes per clock", launch(kernel, width // 8, warps),
                            _rate(32 * 4 * width * warps))
    for stride in (8, 16, 32, 64, 128):
        sectors = min(32, stride)
        lines = f"{sectors} sectors in {max(1, stride // 4)} lines"
        yield Benchmark(f"l1.sectors_latency.{stride}", "L1", f"cycles per LDG of {lines}", launch("latency_64", stride), _slope(32))
        yield Benchmark(f"l1.sectors_loads.{stride}", "L1", f"cycles per LDG of {lines}", launch(f"stride_{stride}", stride, 4),
                        _slope(32 * 4))


def _queue():
    for number in (2, 3, 4, 5, 6, 7, 8, 10, 12, 16):
        for warps in (1, 2, 3, 4):
            yield Benchmark(f"queue.issue.{number}.{warps}", "memory pipeline", f"cycles from load 1 to load {number}",
                            (_launch("queue", f"queue_issue_{number}", block=32 * warps),),
                            lambda outcomes: outcomes[0].widest(1) - outcomes[0].widest(0),
                            twin=("issue_span", {"number": number, "sub_partitions": warps, "stall": 4}))
    for access in ("load", "store"):
        yield Benchmark(f"queue.overwritten_address.{access}", "memory pipeline", "cycles more per round",
                        (_launch("queue", f"queue_war_{access}", _value("step", 4)),), _slope(1))


def _constants():
    def chase(size, addresses):
        return (_launch("constants", "constants_chase", _value("bytes", size), _value("addresses", addresses)),)

    for kb in (1, 2, 4, 8, 16, 32, 64):
        yield Benchmark(f"constants.load.{kb}", "constants", "cycles per LDC, LOP3 and addition", chase(1024 * kb, 1), _slope(32))
    for addresses in (2, 4, 8, 16, 32):
        yield Benchmark(f"constants.addresses.{addresses}", "constants", "cycles per LDC, LOP3 and addition",
                        chase(16384, addresses), _slope(32))
    for space in (4, 64, 512):
        yield Benchmark(f"constants.operand.{space}", "constants", "cycles per FFMA with a constant",
                        (_launch("constants", f"constants_operand_{space}", _value("a", ONE)),), _slope(48))


def _atomics():
    for operation in ("add", "exchange", "compare"):
        for lanes in (1, 2, 4, 8, 16, 32):
            yield Benchmark(f"atomics.shared_{operation}.{lanes}", "shared atomics", f"cycles per ATOMS of {lanes} lanes",
                            (_launch("atomics", f"atomics_shared_{operation}", block=lanes),), _slope(8))
    yield Benchmark("atomics.global_add", "global atomics", "cycles per ATOMG",
                    (_launch("atomics", "atomics_global_add", _buffer("data", 32), block=1),), _slope(8))


def _barriers():
    def launch(kernel, warps, step=0):
        return (_launch("barriers", kernel, _value("step", step, "u64"), _buffer("data", 2048), block=32 * warps),)

    for warps in (1, 2, 4, 8, 16, 32):
        yield Benchmark(f"barriers.cta.{warps}", "barriers", "cycles per barrier", launch("barriers_cta", warps), _slope(8))
        yield Benchmark(f"barriers.cta_loads.{warps}", "barriers", "cycles per load of the L2 and barrier",
                        launch("barriers_cta_loads", warps), _slope(8))
    yield Benchmark("barriers.warp", "divergence", "cycles per barrier of the warp", launch("barriers_warp", 1), _slope(8))
    for level in ("cta", "gl", "sys"):
        yield Benchmark(f"fences.{level}", "memory barriers", "cycles per MEMBAR", launch(f"fences_{level}", 1), _slope(8))
        yield Benchmark(f"fences.store_{level}", "memory barriers", "cycles per store and MEMBAR",
                        launch(f"fences_store_{level}", 1), _slope(8))


def _control():
    def launches(kernel, lengths, **others):
        operands = [_value("a", ONE), _value("b", OTHER)]
        return tuple(_launch("control", kernel, *operands, sections=1, rounds=rounds, **others) for rounds in lengths)

    def figure(lengths):
        return lambda outcomes: (outcomes[1].widest() - outcomes[0].widest()) / (lengths[1] - lengths[0])

    for body in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
        yield Benchmark(f"control.loop.{body}", "issue order", f"cycles per round of {body} FFMA",
                        launches(f"control_loop_{body}", (8, 40)), figure((8, 40)), twin=("loop_round", {"body": body}))
    for ways in (1, 2, 4, 8, 16, 32):
        yield Benchmark(f"control.ways.{ways}", "divergence", f"cycles per round of {ways} ways",
                        launches(f"control_ways_{ways}", (4, 20), diverges=ways > 1), figure((4, 20)))


def _quantile(numbers, part):
    return sorted(numbers)[round(part * (len(numbers) - 1))]


def _starts():
    warps = DeviceLaunch(source="starts", kernel="starts_clock", block=1024, sections=1, arguments=[_value("cycles", 0)])
    yield Benchmark("starts.warps", "starts", "cycles from the first to the last warp of a CTA of 32", (warps,),
                    lambda outcomes: _spread(outcomes[0].clocks[0][0]))
    ctas = DeviceLaunch(source="starts", kernel="starts_clock", block=128, sections=1, ctas_per_sm=4,
                        arguments=[_value("cycles", 10000)])
    yield Benchmark("starts.ctas", "starts", "cycles from the first to the last of 4 CTAs of an SM, median of SMs", (ctas,),
                    _start_of_ctas)
    for nanoseconds in (0, 100, 1000):
        sleep = DeviceLaunch(source="starts", kernel="starts_sleep", block=32, sections=64,
                             arguments=[_value("nanoseconds", nanoseconds)])
        for name, part in (("min", 0), ("p10", 0.1), ("median", 0.5), ("p90", 0.9), ("max", 1)):
            yield Benchmark(f"sleep.{nanoseconds}.{name}", "sleep", f"cycles of NANOSLEEP {nanoseconds}, {name} of 64", (sleep,),
                            lambda outcomes, part=part: _quantile(
                                [outcomes[0].widest(section) for section in range(64)], part))


def _spread(pairs):
    offsets = [(begin - pairs[0][0] + 0x80000000) % 0x100000000 for begin, _ in pairs]
    return max(offsets) - min(offsets)


def _start_of_ctas(outcomes):
    of_sm = {}
    for sections in outcomes[0].clocks:
        now, sm = sections[0][0]
        of_sm.setdefault(sm, []).append((now, sm))
    return _quantile([_spread(pairs) for pairs in of_sm.values()], 0.5)


def _code():
    operands, result = _floats()
    cold = DeviceLaunch(source="code", kernel="code_cold", sections=9, arguments=[*operands, result], before="code_other")
    for number in range(9):
        yield Benchmark(f"code.cold.{1 << number}", "issue order", f"cycles of {1 << number} KB of independent FFMA",
                        (cold,), lambda outcomes, number=number: outcomes[0].span(number))


BEHIND_L2 = "the model has one latency behind the L1; of the GPU these come from far parts of the L2 or from DRAM"


def _chases():
    for cache in ("ca", "cg"):
        for kb in (4, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536, 131072):
            if cache == "cg" and kb < 64:
                continue
            large = kb > 4096
            steps = max(512, min(1024 * kb // 128, 2048))
            launch = DeviceLaunch(source="chase", kernel=f"chase_{cache}", sections=1, flush=large, arguments=[
                _value("warm", 1 if large else max(1, 1024 * kb // 128 // 16)), _value("rounds", steps // 16),
                {"name": "ring", "type": "u32", "ring": 1024 * kb}, RESULT])
            yield Benchmark(f"chase.{cache}.{kb}", "L1" if cache == "ca" and kb < 128 else "L2 and DRAM", "cycles per load", (launch,),
                            lambda outcomes, steps=steps: outcomes[0].widest() / steps, without=BEHIND_L2 if large else "")


def _random(name, kind, count, seed, low, high):
    return {"name": name, "type": kind, "count": count, "init": {"seed": seed, "low": low, "high": high}}


def _pattern(name, count, start, modulo, step=1):
    return {"name": name, "type": "f32", "count": count, "init": {"pattern": {"start": start, "step": step, "modulo": modulo}}}


def _file(name, kind, path):
    return {"name": name, "type": kind, "init": {"file": str(KERNELS / path)}}


def _zeros(name, count, kind="u32"):
    return {"name": name, "type": kind, "count": count, "init": "zeros"}


def _kernel_sizes():
    """Name, size, block and arguments of the kernels of kernels/compiled, one CTA of each."""
    for block in (32, 96):
        yield ("backoff_lock", block, block, [_random("values", "u32", block, 31, 0, 0xffffffff), _zeros("result", 4)])
    for block in (64, 256):
        yield ("bfs", block, block, [
            _value("nodes", 1500), _file("offsets", "u32", "cuda_bfs/offsets.bin"), _file("targets", "u32", "cuda_bfs/targets.bin"),
            _file("distance", "u32", "cuda_bfs/distance.bin"), _zeros("queues", 3000), _zeros("of_level", 64)])
    yield ("bitonic_sort", 2048, 1024, [_random("data", "s32", 2048, 24, -2000, 2000)])
    for n in (64, 256):
        yield ("black_scholes", n, n, [
            _value("n", n, "s32"), _random("price", "f32", n, 25, 5, 100), _random("strike", "f32", n, 26, 1, 100),
            _random("years", "f32", n, 27, 0.25, 10), _zeros("call", n, "f32"), _zeros("put", n, "f32")])
    for block in (64, 128):
        yield ("function_table", block, block, [
            _value("rounds", 12, "s32"), _random("choices", "u8", 12 * block, 32, 0, 5),
            _random("parameters", "u32", 12, 33, 0, 0xffffffff), _zeros("results", block)])
    for k in (16, 64):
        yield ("gemm", k, (16, 16), [
            _value("m", 16, "s32"), _value("n", 16, "s32"), _value("k", k, "s32"), _pattern("a", 16 * k, -8, 17),
            _pattern("b", 16 * k, -6, 13), _zeros("c", 256, "f32")])
    for n in (32, 64):
        yield ("hash_table", n, 64, [_value("n", n), _random("keys", "u32", n, 29, 0, 399), _zeros("next", n), _zeros("counts", 32),
                                     _zeros("sums", 32)])
    for words in (1000, 4000):
        yield ("histogram", words, 256, [_value("words", words), _random("data", "u8", 4 * words, 14, 40, 63), _zeros("bins", 256)])
    for block in (32, 64):
        yield ("interpreter", block, block, [_value("length", 24, "s32"), _random("programs", "u32", 24 * block, 34, 0, 4095),
                                             _zeros("results", block)])
    for matrices in (1, 2):
        yield ("lu", matrices, 32 * matrices, [_random("matrices", "f32", 576 * matrices, 15, -1, 1),
                                               _zeros("factors", 576 * matrices, "f32"), _zeros("inverses", 576 * matrices, "f32")])
    for height in (2, 4):
        yield ("mandelbrot", height, (16, height), [
            _value("width", 16, "s32"), _value("height", height, "s32"), _value("left", -1.0, "f32"), _value("top", 0.5, "f32"),
            _value("step", 0.0625, "f32"), _zeros("iterations", 16 * height, "s32")])
    for n in (32, 96):
        yield ("matmul", n, (32, 8), [_value("n", n, "s32"), _pattern("a", n * n, -8, 17), _pattern("b", n * n, -6, 13),
                                      _zeros("c", n * n, "f32")])
    for n in (64, 256):
        yield ("nbody", n, 64, [_value("n", n, "s32"), _random("bodies", "f32", 4 * n, 28, -1, 1),
                                _zeros("accelerations", 4 * n, "f32")])
    yield ("needleman_wunsch", 96, 96, [_random("first", "u8", 96, 16, 0, 3), _random("second", "u8", 96, 17, 0, 3),
                                        _zeros("scores", 9216, "s32")])
    for steps in (5, 25):
        yield ("producer_consumer", steps, 128, [_value("steps", steps, "s32"), _random("data", "u32", 64 * steps, 30, 0, 0xffffffff),
                                                 _zeros("results", 64)])
    for n in (1024, 8192):
        yield ("reduction", n, 256, [_value("n", n), _random("data", "s32", n, 11, -100000, 100000), _zeros("total", 1, "s32")])
    for n in (1000, 8000):
        yield ("scan", n, 1024, [_value("n", n, "s32"), _random("data", "s32", n, 12, -1000, 3000), _zeros("sums", n, "s32")])
    for rows in (32, 128):
        yield ("spmv_thread", rows, 128, [
            _value("rows", rows, "s32"), _file("offsets", "s32", "cuda_spmv/offsets.bin"),
            _file("columns", "s32", "cuda_spmv/columns.bin"), _file("values", "f32", "cuda_spmv/values.bin"),
            _pattern("x", 800, -9, 19), _zeros("y", rows, "f32")])
    for height in (4, 8):
        yield ("stencil", height, (32, 8), [_value("width", 32, "s32"), _value("height", height, "s32"),
                                            _pattern("from", 32 * height, -500, 143, 7), _zeros("to", 32 * height, "f32")])
    for size in (16, 32):
        yield ("transpose_padded", size, (32, 8), [
            _value("width", size, "s32"), _value("height", size, "s32"), _random("from", "u32", size * size, 13, 0, 0xffffffff),
            _zeros("to", size * size)])


def _kernels():
    for name, size, block, arguments in _kernel_sizes():
        launch = DeviceLaunch(source="whole_kernels", kernel=f"whole_{name}", block=block, sections=1, arguments=arguments, fresh=True,
                              diverges=True)
        yield Benchmark(f"kernels.{name}.{size}", "whole kernels", "cycles of the CTA", (launch,),
                        lambda outcomes: outcomes[0].widest())


def _offsets(offsets):
    return {"name": "offsets", "type": "u32", "data": struct.pack("<32I", *offsets)}


def _shuffled(seed, count=32):
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return order


def _lanes(place):
    return [place(lane) for lane in range(32)]


def _patterns_of(bytes_, strides, blocks):
    """Offsets of the lanes for the named pattern, for accesses of the given bytes per lane."""
    for stride in strides:
        yield f"stride.{stride}", _lanes(lambda lane, stride=stride: bytes_ * stride * lane)
    for lanes in blocks:  # of neighbouring lanes; blocks are in other rows of banks, in the same banks or the next ones
        yield f"block.{lanes}", _lanes(lambda lane, lanes=lanes: lane // lanes * 128 + bytes_ * (lane % lanes))
        yield f"diagonal.{lanes}", _lanes(lambda lane, lanes=lanes: lane // lanes * (128 + bytes_ * lanes) + bytes_ * (lane % lanes))
    for lanes in (2, 4, 8, 16):
        yield f"groups.{lanes}", _lanes(lambda lane, lanes=lanes: bytes_ * (lane // lanes))
        yield f"turns.{lanes}", _lanes(lambda lane, lanes=lanes: bytes_ * (lane % lanes))
    for seed in (1, 2):
        order = _shuffled(seed)
        yield f"shuffled.{seed}", _lanes(lambda lane, order=order: bytes_ * order[lane])
        anywhere = random.Random(seed)
        yield f"random.{seed}", _lanes(lambda lane, anywhere=anywhere: bytes_ * anywhere.randrange(1024 // bytes_))


PATTERN_WARPS = 8


def _patterns():
    def rate(name, group, unit, kernel, offsets, *others, accesses=32, before=()):
        launch = _launch("patterns", kernel, *before, _offsets(offsets), *others, block=32 * PATTERN_WARPS)
        return Benchmark(f"patterns.{name}", group, unit, (launch,), _slope(accesses * PATTERN_WARPS))

    memory = _buffer("data", 32768)
    strides = {32: (0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63), 64: (0, 1, 2, 3, 4, 5, 7, 8, 15, 16),
               128: (0, 1, 2, 3, 4, 8)}
    blocks = {32: (2, 4, 8, 16), 64: (2, 4, 8), 128: (2, 4)}
    for width in (32, 64, 128):
        found = dict(_patterns_of(width // 8, strides[width], blocks[width]))
        for name, offsets in found.items():
            yield rate(f"l1.{width}.{name}", "L1", "cycles per LDG", f"pattern_global_{width}", offsets, memory,
                       before=(_value("step", 0, "u64"),))
            yield rate(f"shared.{width}.{name}", "shared memory", "cycles per LDS", f"pattern_shared_{width}", offsets,
                       before=(_value("step", 0),))
            if not name.startswith(("diagonal", "groups", "turns", "random")) and name != "stride.0":
                yield rate(f"stores.{width}.{name}", "shared memory", "cycles per STS", f"pattern_store_{width}", offsets,
                           before=(_value("step", 0),))
        for shift in {32: (1, 3, 8, 16, 31), 64: (1, 4, 15), 128: (1, 2, 7)}[width]:
            offsets = _lanes(lambda lane, shift=shift, width=width: width // 8 * (lane + shift))
            yield rate(f"l1.{width}.shifted.{shift}", "L1", "cycles per LDG", f"pattern_global_{width}", offsets, memory,
                       before=(_value("step", 0, "u64"),))
    for lanes in (1, 2, 4, 8, 16):  # like `diagonal`, lines 2 KB apart
        offsets = _lanes(lambda lane, lanes=lanes: lane // lanes * (2048 + 4 * lanes) + 4 * (lane % lanes))
        yield rate(f"l1.32.apart.{lanes}", "L1", "cycles per LDG", "pattern_global_32", offsets, memory, before=(_value("step", 0, "u64"),))


# Chains of operations that take several instructions or a call, by group; integer ones have a large dividend.
SEQUENCES = {
    "special functions": ("f32_div_rn f32_div_full f32_div_approx f32_rcp_rn f32_rcp_approx f32_sqrt_rn f32_sqrt_approx "
                          "f32_rsqrt_approx f32_lg2_approx f32_ex2_approx f32_sin_approx f32_cos_approx f32_tanh s32_f64 s64_f64 s64_f32 "
                          "f32_floor").split(),
    "arithmetic": ("s32_div u32_div s32_rem u32_rem u32_mul_hi s32_mul_hi u32_bfe s32_bfe bfe_variable bfi sad abs dp4a shl u64_add "
                   "u64_mul s64_div u64_rem").split(),
    "FP64": ["f64_div_rn", "f64_rcp_rn", "f64_sqrt_rn"],
    "shuffles": ["shfl_idx", "shfl_up", "redux_min", "redux_or"],
    "votes": ["vote_any", "activemask", "match_all"],
    "divergence": ["warp_sync"],
    "half": ["f16x2_min", "bf16x2_fma", "f16_tanh"],
}
WIDE = {"u64_add", "u64_mul", "s64_div", "u64_rem", "f64_div_rn", "f64_rcp_rn", "f64_sqrt_rn", "s64_f64"}

FROM_8_0 = {"redux_min", "redux_or", "f16x2_min", "bf16x2_fma"}


def _sequences():
    for group, names in SEQUENCES.items():
        for name in names:
            yield Benchmark(f"sequences.{name}", group, "cycles per step of the chain (sequences.cu)",
                            (_with_operands("sequences", f"sequence_{name}", name in WIDE),), _slope(16),
                            oldest="8.0" if name in FROM_8_0 else "7.5" if "tanh" in name else "7.0")


# One operation in a loop, by group; those of the warp with four warps, one per sub-partition.
OPERATIONS = {
    "special functions": ("f32_div_approx f32_div_rn f32_rcp_approx f32_rcp_rn f32_sqrt_approx f32_sqrt_rn f32_rsqrt f32_sin f32_cos f32_lg2 "
                          "f32_ex2 b32_popc b32_clz b32_brev s32_bfind").split(),
    "arithmetic": ("f32_add f32_mul f32_fma f32_min s32_add s32_mul_lo s32_mul_hi s32_mad_hi s32_min s32_abs s32_div s32_rem u32_div "
                   "u32_rem s32_addcc_addc b32_and b32_shl s32_bfe u32_bfe b32_bfi b32_prmt").split(),
    "half": ["f16x2_add", "f16x2_mul"],
    "FP64": ["f64_add", "f64_div_rn", "f64_sqrt_rn"],
    "shuffles": ["shfl_bfly", "redux_add", "redux_min", "redux_or", "rate_shfl_bfly"],
    "votes": ["vote_ballot", "vote_any", "vote_all", "match_any", "rate_vote_ballot"],
    "barriers": ["bar_sync", "bar_arrive"],
    "divergence": ["warp_sync"],
}


def _operations():
    for group, names in OPERATIONS.items():
        for name in names:
            operands, result = _floats(name.startswith("f64"))
            launch = DeviceLaunch(source="operations", kernel=f"operation_{name}", block=128, sections=1,
                                  arguments=[_value("rounds", ROUNDS), *operands, result])
            yield Benchmark(f"operations.{name}", group, "cycles per operation of a warp, its loop included (operations.cu)", (launch,),
                            lambda outcomes: outcomes[0].widest() / (32 * ROUNDS), oldest="8.0" if "redux" in name else "7.0")


def _of_rounds(source, kernel, lengths, *arguments, block):
    """Launches that differ in rounds, for a slope between them."""
    return tuple(DeviceLaunch(source=source, kernel=kernel, block=block, sections=1,
                              arguments=[_value("rounds", rounds), *arguments]) for rounds in lengths)


def _more(outcomes):
    """Cycles that the second launch takes more."""
    return outcomes[1].widest() - outcomes[0].widest()


def _doubles():
    def of(name, kernel, warps, lengths, unit):
        launches = _of_rounds("doubles", f"doubles_{kernel}", lengths, _value("p", 0.32, "f64"),
                              _buffer("result", 1024 + lengths[1], "f64"), block=32 * warps)
        operations = 128 * warps * (lengths[1] - lengths[0])
        return Benchmark(f"doubles.{name}.{warps}", "FP64", unit, launches, lambda outcomes: _more(outcomes) / operations)

    for warps in (1, 4, 8, 32):
        for chains in (1, 2, 4, 8):
            yield of(f"fma.{chains}", f"fma_{chains}", warps, (4, 20), "cycles per DFMA of the CTA, loop included (doubles.cu)")
        yield of("div", "div", warps, (2, 6), "cycles per addition and division of the CTA (doubles.cu)")
        yield of("sqrt", "sqrt", warps, (2, 6), "cycles per addition and root of the CTA (doubles.cu)")


def _sums():
    for kb in (32, 96):
        launches = _of_rounds("sums", f"sums_{kb}", (4, 20), _value("zero", 0), _buffer("data", 256 * kb, "f32"),
                              _buffer("result", 256, "f32"), block=256)
        yield Benchmark(f"sums.{kb}", "L1", "bytes per clock", launches, lambda outcomes, kb=kb: 16 * 1024 * kb / _more(outcomes))


NO_MATRIX = "the model has no matrix instructions"
MATRICES = ("f16_k8_f32 f16_k8_f16 f16_k16_f32 f16_k16_f16 bf16_k8 bf16_k16 tf32_k4 tf32_k8 s8_m8_k16 s8_k16 s8_k32 s4_m8_k32 s4_k32 s4_k64 "
            "b1_m8_k128 b1_k128 b1_k256 sparse_f16_k16 sparse_f16_k32 sparse_tf32_k8 sparse_tf32_k16 sparse_s8_k32 sparse_s8_k64").split()


def _matrix():
    def of(name, unit, launch, figure, oldest="8.0"):
        return Benchmark(f"matrix.{name}", "matrix instructions", unit, (launch,), figure, oldest=oldest)

    for name in MATRICES:
        yield of(f"latency.{name}", "cycles per mma", _launch("matrix", f"matrix_latency_{name}"), _slope(48))
        for warps in (1, 4, 8, 16):
            yield of(f"rate.{name}.{warps}", "mma per clock", _launch("matrix", f"matrix_rate_{name}", block=32 * warps),
                     _rate(48 * warps))
    for name in ("f64_m8_k4", "f64_k4", "f64_k8", "f64_k16"):
        for warps in (1, 4, 8):
            yield of(f"latency.{name}.{warps}", "cycles per mma and warps", _launch("matrix", f"matrix_latency_{name}", block=32 * warps),
                     _slope(48), "8.0" if "m8" in name else "9.0")
    for name in ("A_k16", "B_k16", "A_k8", "C_LOP3_k16", "A_LOP3_k16", "A_FFMA_k16", "A_SHFL_k16", "movmatrix"):
        yield of(f"through.{name}", "cycles per step of the chain (matrix.cu)", _launch("matrix", f"matrix_through_{name}"), _slope(48))
    for name in ("load_word", "load_1", "load_2", "load_4", "load_4_trans", "store_1", "store_2", "store_4"):
        oldest = "9.0" if "store" in name else "8.0"
        for stride in (16, 32, 64, 128, 144):
            yield of(f"rows.latency.{name}.{stride}", "cycles per access of rows and addition",
                     _launch("matrix", f"matrix_rows_{name}", _value("stride", stride), _value("step", 0), sections=4), _slope(32), oldest)
            yield of(f"rows.rate.{name}.{stride}", "cycles per access of rows",
                     _launch("matrix", f"matrix_rows_{name}", _value("stride", stride), _value("step", 0), sections=4, block=128),
                     lambda outcomes: (outcomes[0].widest(3) - outcomes[0].widest(2)) / (32 * ROUNDS * 4), oldest)


def _warpgroups():
    for name, k in (("f16_shared", 16), ("f16_registers", 16), ("tf32_shared", 8), ("e4m3_shared", 32)):
        for n in (8, 16, 32, 64, 128):
            for groups in (1, 2):
                launch = _launch("warpgroups", f"warpgroups_{name}_{n}", block=128 * groups)
                yield Benchmark(f"warpgroups.{name}.{n}.{groups}", "matrix instructions", f"cycles per wgmma m64n{n}k{k} of {groups} warpgroups",
                                (launch,), _slope(16 * groups), oldest="9.0", newest="9.0", without=NO_MATRIX)


NO_COPIES = "the model has no asynchronous copies"


def _copies():
    def of(name, kernel, unit, threads, parties, oldest="8.0"):
        launch = _launch("copies", f"copies_{kernel}", _value("parties", parties), _buffer("data", 32768), block=threads)
        return Benchmark(f"copies.{name}", "asynchronous copies", unit, (launch,), _slope(16), oldest=oldest, without=NO_COPIES)

    for kernel in ("wait_ca_4", "wait_ca_8", "wait_ca_16", "wait_cg_16", "four_ca_4", "four_ca_16", "four_cg_16", "ahead_cg_16", "ahead_ca_16",
                   "empty_group"):
        for threads in (32, 128, 256):
            yield of(f"{kernel}.{threads}", kernel, "cycles per step (copies.cu)", threads, threads)
    for kernel in ("barrier_all", "barrier_test", "barrier_arrive", "barrier_copies"):
        for threads in (1, 32, 128, 256):
            yield of(f"{kernel}.{threads}", kernel, "cycles per phase", threads, threads, "9.0")
    yield of("barrier_one.32", "barrier_one", "cycles per phase", 32, 1, "9.0")
    for size in (16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768):
        yield of(f"bulk.{size}", f"bulk_{size}", "cycles from issue to the wait's end", 32, 1, "9.0")
    for kernel in ("bulk_store", "bulk_store_read"):
        for size in (128, 1024, 8192):
            yield of(f"{kernel}.{size}", f"{kernel}_{size}", "cycles from issue to the wait's end", 32, 1, "9.0")


NO_GPU = "the model has one SM"
MB = 1 << 20


def _of_gpu(outcomes):
    """Nanoseconds from the first start to the last end of all CTAs."""
    pairs = [pair for sections in outcomes[0].clocks for pair in sections[0]]
    start = pairs[0][0]
    begins = [(begin - start + 0x80000000) % 0x100000000 for begin, _ in pairs]
    ends = [(end - start + 0x80000000) % 0x100000000 for _, end in pairs]
    return max(ends) - min(begins)


def _streams():
    def of(name, unit, kernel, work, ctas, block, rounds, *arguments):
        launch = DeviceLaunch(source="stream", kernel=f"stream_{kernel}", block=block, sections=1, grid=ctas, passes=ctas,
                              arguments=[_value("rounds", rounds), *arguments, RESULT])
        return Benchmark(f"streams.{name}", "whole GPU", unit, (launch,), lambda outcomes: work / _of_gpu(outcomes), without=NO_GPU)

    def stream(name, kernel, size, ctas, block, rounds):
        step = 64 * ctas * block  # four vectors of each thread
        size = (size + step - 1) // step * step
        return of(name, "bytes per ns", kernel, size * rounds, ctas, block, rounds, _value("vectors", size // 16),
                  {"name": "data", "type": "u32", "count": size // 4, "only_read": True})

    levels = (("l2", 8 * MB, 4), ("dram", 256 * MB, 1))
    for ctas in (1, 2, 4, 8, 16, 32, 64, 132, 264):
        for block in (128, 512, 1024):
            for level, size, rounds in levels:
                if level == "l2" or ctas >= 16:
                    yield stream(f"read.{level}.{ctas}.{block}", "read", size, ctas, block, rounds)
    for ctas in (16, 132, 264):
        for level, size, rounds in levels:
            yield stream(f"write.{level}.{ctas}", "write", size, ctas, 1024, rounds)
    for kernel in ("atom", "red"):
        for name, words, stride in (("one_word", 1, 0), ("one_line", 32, 1), ("four_kb", 1024, 1), ("mb", MB // 4, 1), ("lines", 8 * MB, 32)):
            for ctas in (1, 132):
                yield of(f"{kernel}.{name}.{ctas}", "lanes per ns", kernel, 64 * 256 * ctas, ctas, 256, 64, _value("words", words),
                         _value("stride", stride), _buffer("data", 8 * MB))


FAMILIES = (_latencies, _throughputs, _registers, _shared, _global, _queue, _constants, _atomics, _barriers, _control, _starts, _code,
            _chases, _kernels, _patterns, _sequences, _operations, _doubles, _sums, _matrix, _warpgroups,
            _copies, _streams)
BENCHMARKS = {benchmark.name: benchmark for family in FAMILIES for benchmark in family()}

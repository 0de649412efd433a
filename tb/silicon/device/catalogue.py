"""All benchmarks: for each its launches, and what their clocks mean. docs/measuring-a-gpu.md tells about the families."""
import dataclasses
import pathlib
from typing import Callable

from .launches import DeviceLaunch

KERNELS = pathlib.Path(__file__).resolve().parents[3] / "kernels"
ROUNDS = 16
ONE, OTHER = 0x3f800001, 0x3f000001  # as floats a bit more than 1 and than 1/2
DOUBLE, OTHER_DOUBLE = 0x3ff0000000000001, 0x3fe0000000000001


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """A figure of one SM. `figure` makes it of an outcome (tb/silicon/probes/kernel.py) for each launch."""
    name: str
    group: str
    unit: str
    launches: tuple
    figure: Callable
    oldest: str = "7.0"    # compute capability that has the instruction
    without: str = ""      # why the model has no figure
    twin: tuple = ()       # probe and arguments where the model's compiler would not leave the shape as it is; else the source


def _slope(steps):
    """What one of the `steps` costs by which section 1 is longer than section 0."""
    return lambda outcomes: (outcomes[0].widest(1) - outcomes[0].widest(0)) / (steps * ROUNDS)


def _rate(work):
    """Work per clock: what section 1 does more than section 0 in a round."""
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
# A GPU's MUFU.SIN and MUFU.COS want a multiplication in front, smsim's take radians.
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
    """The twin of a chase through a word of a vector, which smsim moves to another register before it is an address."""
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
    """Name, size, block and arguments of the kernels of kernels/cuda_*, one CTA of each."""
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


FAMILIES = (_latencies, _throughputs, _registers, _shared, _global, _queue, _constants, _atomics, _barriers, _control, _starts, _code,
            _chases, _kernels)
BENCHMARKS = {benchmark.name: benchmark for family in FAMILIES for benchmark in family()}

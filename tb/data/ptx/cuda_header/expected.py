#!/usr/bin/env python3
"""Writes the expected results of the launches in this folder, and inputs with special values."""

import math
import struct
import sys
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "python"))
import eight_bit_float  # noqa: E402
import narrow_float  # noqa: E402
from smsim import buffer_data  # noqa: E402

MASK, WIDE = 0xFFFFFFFF, (1 << 64) - 1


def signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def leading_zeros(value, bits):
    return bits - (value & ((1 << bits) - 1)).bit_length()


def lowest(value):
    """Position of the lowest set bit, counted from 1; 0 for none."""
    return (value & -value).bit_length()


def reverse(value, bits):
    return int(f"{value:0{bits}b}"[::-1], 2)


def ones(value):
    return bin(value).count("1")


def transposed(rows):
    """Converts columns per thread to rows per function."""
    return [word for row in zip(*rows) for word in row]


def integer():
    threads = 64
    a = [0, 1, 0x80000000, MASK, 0x7FFFFFFF] + buffer_data.random("u32", threads - 5, seed=1, low=0, high=MASK)
    b = buffer_data.random("u32", threads, seed=2, low=0, high=MASK)
    buffer_data.write(HERE / "integer_a.bin", "u32", a)
    results = []
    for i, (x, y) in enumerate(zip(a, b)):
        wide = x << 32 | y
        source = struct.pack("<II", x, y)
        selector = y >> 7
        permuted = bytes(source[selector >> 4 * byte & 7] for byte in range(4))
        by = i % 32
        results.append([word & MASK for word in (
            ones(x), ones(wide), leading_zeros(x, 32), leading_zeros(signed(wide, 64) >> i, 64), lowest(x),
            lowest(wide << i & WIDE), reverse(x, 32), reverse(wide, 64), int.from_bytes(permuted, "little"),
            signed(x) * signed(y) >> 32, x * y >> 32, (y << 32 | x) << by >> 32, (y << 32 | x) >> by,
            min(signed(x), signed(y)), max(signed(x), signed(y)), min(x, y), max(x, y),
            min(signed(wide, 64), i << 40), max(wide, i << 58 & WIDE), abs(signed(x)), a[threads - 1 - i],
            a[i // 2 * 2], struct.pack("<I", b[i // 4])[i % 4], i % 32, 32 + 100 + 1000,
        )])
    buffer_data.write(HERE / "integer.bin", "u32", transposed(results))


def from_lane(x, i, source, width=32):
    """x of a lane of the thread's segment; of the thread itself if there is no such lane."""
    first = i // width * width
    return x[first + source] if 0 <= source < width else x[i]


def parted(x, i):
    """Results of the diverged lanes: two rows."""
    first, lane = i // 32 * 32, i % 32
    if lane < 12:
        return sum((x[first + k] >> 1 & 1) << k for k in range(12)), x[first + 11]
    lanes = range(12, 32, 2) if lane % 2 == 0 else range(13, 32, 2)
    if lane % 2 == 0:
        votes = sum((x[first + k] >> 2 & 1) << k for k in lanes)
        return votes, sum(1 << k for k in lanes if x[first + k] % 2 == x[i] % 2)
    return int(any(x[first + k] % 16 == 0 for k in lanes)), 0


def warp():
    x = buffer_data.random("u32", 96, seed=3, low=0, high=MASK)
    results = []
    for i in range(96):
        lane, segment = i % 32, i % 8
        whole = x[i - lane : i - lane + 32]
        below = x[i - 1] if lane > 0 else x[i]
        results.append([
            from_lane(x, i, (lane * 7 + 3) % 32), from_lane(x, i, 5, 8), from_lane(x, i, lane - 3),
            from_lane(x, i, i % 16 - 3, 16), from_lane(x, i, lane + 5), from_lane(x, i, i % 4 + 2, 4),
            from_lane(x, i, lane ^ 19), from_lane(x, i, segment ^ 3, 8), from_lane(x, i, lane + 1) % 1000,
            (x[i ^ 1] + (i ^ 1)) & MASK, below, sum((word & 1) << k for k, word in enumerate(whole)),
            int(any(word % 64 == 0 for word in whole)), int(all(word % 64 != 0 for word in whole)),
            sum(1 << k for k, word in enumerate(whole) if word % 5 == x[i] % 5),
            sum(1 << k for k, word in enumerate(whole) if word % 3 == x[i] % 3),
            0, 0, *parted(x, i),
        ])
    buffer_data.write(HERE / "warp.bin", "u32", transposed(results))


def reduce():
    x = buffer_data.random("u32", 64, seed=11, low=0, high=MASK)
    results = []
    for i in range(64):
        whole = x[i // 32 * 32 :][:32]
        numbers = [signed(word) for word in whole]
        results.append([word & MASK for word in (
            sum(whole), min(whole), max(whole), min(numbers), max(numbers),
            folded(lambda y, z: y & (z | 0xFFFF0), MASK, whole), folded(lambda y, z: y | (z & 0xF00F), 0, whole),
            folded(lambda y, z: y ^ z, 0, whole), sum(whole[i % 2 :: 2]),
        )])
    buffer_data.write(HERE / "reduce.bin", "u32", transposed(results))


def applied(i, old, v):
    """The eleven words of a thread after its operations."""
    limit = v % 7
    return [
        (old[0] + v) & MASK, (old[1] - v) & MASK, v, v if i % 2 else old[3], min(old[4], v), max(old[5], v), old[6] & v,
        old[7] | v, old[8] ^ v, 0 if old[9] >= limit else old[9] + 1,
        limit if old[10] == 0 or old[10] > limit else old[10] - 1,
    ]


def folded(operation, start, values):
    for value in values:
        start = operation(start, value)
    return start


def atomic():
    start = buffer_data.random("u32", 64 * 11, seed=4, low=0, high=12)
    values = buffer_data.random("u32", 64, seed=5, low=0, high=MASK)
    words = [word for i in range(64) for word in applied(i, start[11 * i : 11 * i + 11], values[i])]
    buffer_data.write(HERE / "atomic_words.bin", "u32", words)
    buffer_data.write(HERE / "atomic_old.bin", "u32", start)

    numbers = [signed(v) for v in values]
    xor = folded(lambda x, y: x ^ y, 0, values)
    before = [0, 0, 0, 0, -1, 0, 0, 0, 0, 0]
    after = [
        signed(sum(numbers)), signed(-sum(numbers)), min(numbers), max(numbers),
        signed(folded(lambda x, y: x & (y | 0xFFFF), MASK, values)),
        signed(folded(lambda x, y: x | (y & 0xFF00FF), 0, values)), signed(xor), 64, 64 % 10, -64 % 10,
    ]
    buffer_data.write(HERE / "atomic_common_before.bin", "s32", before + [0] * 10)
    buffer_data.write(HERE / "atomic_common.bin", "s32", after + after)

    wide = [sum(v << 16 for v in values) & WIDE, max(values) << 16, (min(numbers) << 16) & WIDE, xor << 16]
    buffer_data.write(HERE / "atomic_wide_before.bin", "u64", [0] * 8)
    buffer_data.write(HERE / "atomic_wide.bin", "u64", wide + wide)
    buffer_data.write(HERE / "atomic_single.bin", "f32", [sum(v & 0xFF for v in values)] * 2)
    buffer_data.write(HERE / "atomic_twice.bin", "f64", [float(sum(numbers))] * 2)


def barrier():
    x = buffer_data.random("u32", 96, seed=6, low=1000, high=MASK)
    shared = [(word + 1) & MASK for word in x[:64]]
    results = []
    for i in range(96):
        met = x[63 - i] if i < 64 else (shared[i - 64] + shared[i - 32]) & MASK
        results.append([sum(word & 1 for word in x), 1, 0, 1, 0, met, 1, 1])
    buffer_data.write(HERE / "barrier.bin", "u32", transposed(results))


def flipped(x, bits):
    """The single whose bits differ in `bits`."""
    return struct.unpack("<f", struct.pack("<I", struct.unpack("<I", struct.pack("<f", x))[0] ^ bits))[0]


def mathematics():
    a = buffer_data.random("f32", 64, seed=7, low=-8, high=8)
    b = buffer_data.random("f32", 64, seed=8, low=0.125, high=3)
    exact, close, twice = [], [], []
    for x, y in zip(a, b):
        exact.append([
            min(x, y), max(x, y), min(x, y), max(x, y), abs(x), math.floor(x), math.ceil(x), math.trunc(x), round(2 * x),
            x * y, x + y, x - y, x / y, math.sqrt(y), math.sqrt(y), flipped(x, 1), -x,
        ])
        close.append([
            x * y + x, x * x + y, 1 / math.sqrt(y), x / y, 2**x, math.log2(y), math.exp(x), math.log(y), math.sin(y),
            math.cos(y), math.exp(y), math.log(y), math.sin(y), math.cos(y), math.exp(buffer_data.round_f32(10 * x)),
        ])
        twice.append([min(x, y), max(x, y), abs(x), math.sqrt(y), float(Fraction(x) * Fraction(y) + 1), -x])
    buffer_data.write(HERE / "math_exact.bin", "f32", transposed(exact))
    buffer_data.write(HERE / "math_close.bin", "f32", transposed(close))
    buffer_data.write(HERE / "math_twice.bin", "f64", transposed(twice))


def half_bits(value):
    """Bits of the half nearest to a number, ties to even; Python rounds this way, and rejects overflows."""
    try:
        return struct.unpack("<H", struct.pack("<e", value))[0]
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


def bfloat16_bits(value):
    """Bits of the bfloat16 nearest to a single, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    low, kept = bits & 0xFFFF, bits >> 16
    return kept + (1 if low > 0x8000 or (low == 0x8000 and kept & 1) else 0)


def half():
    special = [0.0, -0.0, 1.0, 65504.0, 65519.0, 65520.0, -70000.0, 2.0**-24, 2.0**-25, 3 * 2.0**-26, float("inf"), 1 / 3]
    a = [buffer_data.round_f32(x) for x in special] + buffer_data.random("f32", 52, seed=9, low=-100, high=100)
    bits = [0, 0x8000, 0x3C00, 1, 0x3FF, 0x7BFF, 0x7C00, 0xFC00] + buffer_data.random("u16", 56, seed=10, low=0, high=0x7BFF)
    buffer_data.write(HERE / "half_a.bin", "f32", a)
    buffer_data.write(HERE / "half_bits.bin", "u16", bits)
    rounded = []
    for x in a:
        factor = struct.unpack("<e", struct.pack("<H", half_bits(x)))[0]
        rounded.append([half_bits(x), bfloat16_bits(x), half_bits(factor / 2 + 3)])
    buffer_data.write(HERE / "half_rounded.bin", "u16", transposed(rounded))
    widened = [struct.unpack("<e", struct.pack("<H", word))[0] for word in bits]
    widened += [struct.unpack("<f", struct.pack("<I", word << 16))[0] for word in bits]
    buffer_data.write(HERE / "half_widened.bin", "f32", widened)


def narrow():
    fp16, bf16 = narrow_float.Format("fp16", 10, -14), narrow_float.Format("bf16", 7, -126)
    narrow_float.write(HERE, fp16, buffer_data)
    narrow_float.write(HERE, bf16, buffer_data)
    eight_bit_float.write(HERE, fp16, bf16, buffer_data)


for section in (integer, warp, reduce, atomic, barrier, mathematics, half, narrow):
    section()

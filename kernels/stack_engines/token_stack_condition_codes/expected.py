#!/usr/bin/env python3
"""Makes the operands and expected.bin: for each operation a bit for each test that holds. For comparisons, tests
are defined on the numbers, not on the flags."""

import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

MASK = 0xFFFFFFFF
WORDS = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF]
FLOATS = [0.0, -0.0, 1.0, -1.0, 2.5, math.inf, -math.inf, math.nan]


def signed(word):
    """The word as a signed number."""
    return word - 2**32 if word >> 31 else word


def tests(less, equal, unordered, overflow, sign, no_borrow, zero):
    """The tests in the order of their bits."""
    greater = not (less or equal or unordered)
    return [
        True, False,
        less, equal, less or equal, greater, less or greater, greater or equal, not unordered, unordered,
        less or unordered, equal or unordered, not greater, not (less or equal), not equal, not less,
        not overflow, overflow, not sign, sign,
        not no_borrow, no_borrow, no_borrow and not zero, not no_borrow or zero,
    ]


def word_of(bits):
    """Bit k is test k."""
    return sum(bool(bit) << k for k, bit in enumerate(bits))


def by_flags(zero, sign, carry, overflow):
    """The tests as formulas of the flags, for a result that is not a comparison."""
    z, s, c, o = bool(zero), bool(sign), bool(carry), bool(overflow)
    return word_of([
        True, False,
        (s and not z) != o, z and not s, s != (z or o), not z and s == o, not z, s == o, not (z and s), z and s,
        s != o, z, z or s != o, (not s) != (z or o), not z or s, (not s or z) != o,
        not o, o, not s, s,
        not c, c, c and not z, not c or z,
    ])


def subtraction(a, b):
    """The tests of a - b: the numbers are never unordered."""
    wide = signed(a) - signed(b)
    overflow = not -(2**31) <= wide < 2**31
    difference = (a - b) & MASK
    return word_of(tests(wide < 0, a == b, False, overflow, difference >> 31, a >= b, a == b))


def comparison(f, g):
    """The tests of two floats: overflow and carry are 0, Z and S both set where unordered."""
    unordered = math.isnan(f) or math.isnan(g)
    return word_of(tests(f < g, f == g, unordered, False, f < g or unordered, False, f == g or unordered))


def logic(a):
    """The tests of a word."""
    return by_flags(a == 0, bool(a >> 31), False, False)


def float_sum(total):
    """The tests of a float: both Z and S for NaN; a zero has no sign."""
    number = not math.isnan(total)
    return by_flags(not number or total == 0, not number or total < 0, False, False)


def addition(a, b):
    """The tests of a + b."""
    total = (a + b) & MASK
    overflow = not -(2**31) <= signed(a) + signed(b) < 2**31
    return by_flags(total == 0, bool(total >> 31), a + b > MASK, overflow)


a = [WORDS[i % 8] for i in range(64)]
b = [WORDS[i // 8] for i in range(64)]
f = [FLOATS[i % 8] for i in range(64)]
g = [FLOATS[i // 8] for i in range(64)]
buffer_data.write(HERE / "a.bin", "u32", a)
buffer_data.write(HERE / "b.bin", "u32", b)
buffer_data.write(HERE / "f.bin", "f32", f)
buffer_data.write(HERE / "g.bin", "f32", g)
result = []
for i in range(64):
    result += [subtraction(a[i], b[i]), subtraction(a[i], b[i]), logic(a[i] & b[i]), float_sum(f[i] + g[i]),
               comparison(f[i], g[i]), addition(a[i], b[i])]
buffer_data.write(HERE / "expected.bin", "u32", result)

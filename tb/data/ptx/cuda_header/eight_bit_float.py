"""Expected results of fp8.cu. A format has a table of its 256 numbers; rounding looks for the nearest one."""

import bisect
import math
from fractions import Fraction

import narrow_float

COUNT = 256
SATFINITE, NOSAT = True, False


class Format:
    def __init__(self, fraction, bias, largest):
        self.fraction, self.largest = fraction, largest
        self.values = []
        for bits in range(0x80):
            exponent, rest = bits >> fraction, bits & (1 << fraction) - 1
            if bits > largest:
                self.values.append(math.inf if fraction == 2 and bits == 0x7C else math.nan)
            elif exponent == 0:
                self.values.append(math.ldexp(rest, 1 - bias - fraction))
            else:
                self.values.append(math.ldexp(rest + (1 << fraction), exponent - bias - fraction))

    def value(self, bits):
        return -self.values[bits & 0x7F] if bits >> 7 else self.values[bits]

    def rounded(self, x, saturation=SATFINITE):
        if isinstance(x, float) and math.isnan(x):
            return 0x7F
        sign = 0x80 if (math.copysign(1, x) if isinstance(x, float) else x) < 0 else 0
        beyond = self.largest if saturation else 0x7C if self.fraction == 2 else 0x7F
        if isinstance(x, float) and math.isinf(x):
            return sign | beyond
        size = abs(Fraction(x))
        above = bisect.bisect_left(self.values, size, 0, self.largest)
        best = min((max(above - 1, 0), above), key=lambda bits: (abs(Fraction(self.values[bits]) - size), bits & 1))
        step = Fraction(self.values[self.largest]) - Fraction(self.values[self.largest - 1])
        excess = size - Fraction(self.values[self.largest])
        # In the middle to the next number lies an even one: of e4m3 the largest itself, of e5m2 the one above.
        if excess > step / 2 or excess == step / 2 and self.largest & 1:
            return sign | beyond
        return sign | best


def narrow(form, f, g, d, w, half, brain):
    def signed(bits):
        return narrow_float.as_type("short", w) if bits == 16 else w
    r = form.rounded
    h, k = half.value(half.rounded(f)), half.value(half.rounded(g))
    b, c = brain.value(brain.rounded(f)), brain.value(brain.rounded(g))
    def vector(*values):
        return sum(r(x) << 8 * i for i, x in enumerate(values))
    return [r(f), r(f, NOSAT), r(f), r(d), r(d), r(h, NOSAT), r(h), r(b, NOSAT), r(b), r(signed(16)), r(w & 0xFFFF), r(w),
            r(w & 0xFFFFFFFF), r(w), r(w & 0xFFFFFFFF), vector(f, g), vector(f, g), vector(d, f), vector(d, f), vector(h, k),
            vector(h, k), vector(b, c), vector(b, c), vector(f, g, f, f), vector(h, k, h, k), vector(b, c, b, c)]


def wide(form, i, w):
    x = form.value(i)
    word = (i * 0x1010101 + 0x3020100) & 0xFFFFFFFF
    next_one = form.value((i * 257 + 256 >> 8) & 0xFF)
    rest = math.fmod(w, 16) * 0.75
    small, positive = form.value(form.rounded(rest)), form.value(form.rounded((w & 15) * 0.75))
    return [x] * 5 + [float((i & 0x7F) != 0), x, next_one, next_one] + [form.value(word >> 8 * k & 0xFF) for k in range(4)] + [
        float(narrow_float.to_whole("int", x, math.trunc)), float(narrow_float.to_whole("ushort", x, math.trunc)),
        float(min(max(narrow_float.to_whole("int", x, math.trunc), -128), 127)),
        float(narrow_float.to_whole("ull", x, math.trunc) & 0xFFFFFFFFFFFFFFFF)] + [float(math.trunc(small))] * 4 + [float(math.trunc(positive))] * 4


def write(folder, half, brain, buffer_data):
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, 448.0, 463.9, 464.0, 464.1, 480.0, 57344.0, 61439.0, 61440.0, -61441.0,
               3e38, 2.0**-9, 2.0**-10, 1.01 * 2**-10, -(2.0**-11), 2.0**-16, 2.0**-17, 1.01 * 2**-17, 3 * 2.0**-18, 1e-45]
    singles = [buffer_data.round_f32(x) for x in special]
    singles += [x * 2.0 ** (i % 40 - 24) for i, x in enumerate(
        buffer_data.random("f32", COUNT - len(singles), seed=12, low=-2, high=2))]
    doubles = [1 + 2.0**-4, 1 + 2.0**-4 + 2.0**-40, 1 + 2.0**-3 - 2.0**-40, 2.0**-10 + 2.0**-60, 1e300, -1e-300]
    doubles += buffer_data.random("f64", COUNT - len(doubles), seed=13, low=-500, high=500)
    whole = [x >> i % 32 for i, x in enumerate(buffer_data.random("s32", COUNT, seed=14, low=-(1 << 31), high=(1 << 31) - 1))]
    buffer_data.write(folder / "fp8_singles.bin", "f32", singles)
    buffer_data.write(folder / "fp8_doubles.bin", "f64", doubles)
    buffer_data.write(folder / "fp8_whole.bin", "s32", whole)
    narrows, wides = [], []
    for form in (Format(3, 7, 0x7E), Format(2, 15, 0x7B)):
        narrows += narrow_float.columns([narrow(form, singles[i], singles[i ^ 1], doubles[i], whole[i], half, brain)
                                         for i in range(COUNT)])
        wides += narrow_float.columns([wide(form, i, whole[i]) for i in range(COUNT)])
    buffer_data.write(folder / "fp8_narrow.bin", "u32", narrows)
    buffer_data.write(folder / "fp8_wide.bin", "f32", wides)
    buffer_data.write(folder / "fp8_places.bin", "u32", [(i ^ 1) * 6 + 1 for i in range(COUNT)])

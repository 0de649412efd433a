"""Expected results of narrow_float.h, for half precision and bfloat16, in exact arithmetic.

A format is a number of bits of fraction and the least exponent of normal numbers. A number is its bits; `value` gives a
Python float, which is exact, and keeps zeros with a sign, infinities and NaNs.
"""

import math
from fractions import Fraction

THREADS = 64
NEAREST, ZERO, DOWN, UP = range(4)
NAN = 0x7FFF


class Format:
    def __init__(self, name, fraction, least):
        self.name, self.fraction, self.least = name, fraction, least
        self.infinity = ((1 << 15 - fraction) - 1) << fraction
        self.one = (1 - least) << fraction

    def value(self, bits):
        exponent, fraction = (bits & 0x7FFF) >> self.fraction, bits & (1 << self.fraction) - 1
        if (bits & 0x7FFF) >= self.infinity:
            size = math.nan if fraction else math.inf
        elif exponent == 0:
            size = math.ldexp(fraction, self.least - self.fraction)
        else:
            size = math.ldexp(fraction + (1 << self.fraction), exponent - 1 + self.least - self.fraction)
        return -size if bits >> 15 else size

    def rounded(self, number, mode=NEAREST):
        """Bits of a float or a Fraction."""
        if isinstance(number, float):
            if math.isnan(number):
                return NAN
            sign = 0x8000 if math.copysign(1, number) < 0 else 0
            if math.isinf(number):
                return sign | self.infinity
            number = Fraction(number)
            if number == 0:
                return sign
        sign, size = (0x8000, -number) if number < 0 else (0, Fraction(number))
        if size == 0:
            return sign
        exponent = math.floor(math.log2(size))
        exponent += (size >= Fraction(2) ** (exponent + 1)) - (size < Fraction(2) ** exponent)
        exponent = max(exponent, self.least)
        steps = size / Fraction(2) ** (exponent - self.fraction)
        whole = math.floor(steps)
        if mode == NEAREST:
            whole = round(steps)
        elif mode == (DOWN if sign else UP):
            whole = math.ceil(steps)
        bits = ((exponent - self.least) << self.fraction) + whole
        if bits >= self.infinity:
            toward_zero = mode == ZERO or mode == (UP if sign else DOWN)
            bits = self.infinity - 1 if toward_zero else self.infinity
        return sign | bits


def is_special(*values):
    return any(math.isnan(x) or math.isinf(x) for x in values)


def total(x, y):
    """x + y, exact unless it is no number."""
    if is_special(x, y) or x + y == 0 and Fraction(x) + Fraction(y) == 0:
        return x + y
    return Fraction(x) + Fraction(y)


def fused(x, y, z):
    if is_special(x, y, z):
        return x * y + z
    product = Fraction(x) * Fraction(y)
    sign_of_product = math.copysign(1, x) * math.copysign(1, y)
    if product + z == 0:
        return math.copysign(0.0, sign_of_product) + z if product == 0 else 0.0
    return product + Fraction(z)


def quotient(x, y):
    if is_special(x, y) or x == 0:
        return math.nan if math.isnan(x) or math.isnan(y) or math.isinf(x) and math.isinf(y) or x == y == 0 else (
            math.copysign(math.inf if math.isinf(x) else 0.0, x) * math.copysign(1, y))
    if y == 0:
        return math.copysign(math.inf, x) * math.copysign(1, y)
    return Fraction(x) / Fraction(y)


class Arithmetic:
    """The functions of a format, on bits."""

    def __init__(self, form):
        self.form = form

    def v(self, bits):
        return self.form.value(bits)

    def add(self, a, b):
        return self.form.rounded(total(self.v(a), self.v(b)))

    def sub(self, a, b):
        return self.form.rounded(total(self.v(a), -self.v(b)))

    def mul(self, a, b):
        x, y = self.v(a), self.v(b)
        return self.form.rounded(x * y if is_special(x, y) or x * y == 0 else Fraction(x) * Fraction(y))

    def div(self, a, b):
        return self.form.rounded(quotient(self.v(a), self.v(b)))

    def fma(self, a, b, c):
        return self.form.rounded(fused(self.v(a), self.v(b), self.v(c)))

    def relu(self, bits):
        return bits if math.isnan(self.v(bits)) else 0 if bits >> 15 else bits

    def neg(self, a):
        return a ^ 0x8000

    def absolute(self, a):
        return a & 0x7FFF

    def choice(self, a, b, largest, keep_nan):
        x, y = self.v(a), self.v(b)
        if math.isnan(x) or math.isnan(y):
            return NAN if keep_nan or math.isnan(x) and math.isnan(y) else a if math.isnan(y) else b
        def order(bits):
            return (self.v(bits), -(bits >> 15))
        return max(a, b, key=order) if largest else min(a, b, key=order)

    def sat(self, bits):
        x = self.v(bits)
        return 0 if math.isnan(x) or bits >> 15 else min(bits, self.form.one)

    def whole(self, a, how):
        x = self.v(a)
        return self.form.rounded(x if is_special(x) or x == 0 else math.copysign(float(how(x)), x))

    def binary(self):
        """add, sub, mul as functions, with `_rn`, as operators."""
        return [op for op in (self.add, self.sub, self.mul) for _ in range(3)] + [self.div] * 2


def numbers(f, a, b, c):
    rows = [op(a, b) for op in f.binary()]
    rows += [f.fma(a, b, c), f.relu(f.fma(a, b, c)), f.neg(a), f.neg(a), a, f.absolute(a)]
    rows += [f.choice(a, b, largest, keep) for keep in (False, True) for largest in (False, True)]
    rows += [f.sat(op(a, b)) for op in (f.add, f.sub, f.mul)] + [f.sat(f.fma(a, b, c))]
    x = a
    for op in (f.add, f.sub, f.mul, f.div):
        x = op(x, b)
        rows.append(x)
    one = f.form.one
    first = f.add(a, one)
    second = f.add(first, one)
    third = f.sub(second, one)
    rows += [first, first, third, third]
    return rows + [f.whole(a, how) for how in (math.floor, math.ceil, math.trunc, round)]


def of_pairs(f, a, b, c):
    """Pairs (a, b), (b, c) and (c, a)."""
    low, high = numbers(f, a, b, c), numbers(f, b, c, a)
    both = [word for pair in zip(low, high) for word in pair]
    real = f.fma(f.neg(b), c, f.fma(a, b, c))
    imaginary = f.fma(b, b, f.fma(a, c, a))
    before = 2 * 25  # the product of complex numbers comes before the assignments
    both[before:before] = [real, imaginary]
    return both + [b, b, a, b, a, a, b, b, a, c, b, a, b, a]


def comparison_bits(x, y):
    ordered = not (math.isnan(x) or math.isnan(y))
    plain = [x == y, ordered and x != y, x < y, x <= y, x > y, x >= y]
    return [flag and ordered for flag in plain] + [flag or not ordered for flag in plain]


def word(flags):
    return sum(int(flag) << k for k, flag in enumerate(flags))


def compared(f, a, b, c):
    x, y, z = f.v(a), f.v(b), f.v(c)
    lower, upper = comparison_bits(x, y), comparison_bits(y, z)
    both = [p and q for p, q in zip(lower, upper)]
    operators = [0, 7, 2, 3, 4, 5]
    infinite = 0 if not math.isinf(x) else 1 if x > 0 else 3
    return [word(lower), word([lower[k] for k in operators]), math.isnan(x) | infinite << 1 | (x != 0) << 3, word(both),
            word([both[k] for k in operators]), word(lower), word(upper), 12,
            (f.form.one if math.isnan(x) else 0) | (f.form.one << 16 if math.isnan(y) else 0)]


TYPES = {"int": ("i", 32), "uint": ("u", 32), "short": ("i", 16), "ushort": ("u", 16), "ll": ("i", 64), "ull": ("u", 64)}


def as_type(name, value):
    sign, bits = TYPES[name]
    value &= (1 << bits) - 1
    return value - (1 << bits) if sign == "i" and value >> bits - 1 else value


def narrowed(form, single, double, whole, first):
    nearest = form.rounded(single)
    rows = [nearest] * 3 + [form.rounded(single, mode) for mode in (ZERO, DOWN, UP)]
    rows += [nearest, nearest, nearest, form.rounded(first), form.rounded(first), nearest] + [form.rounded(double)] * 2
    for name in TYPES:
        value = Fraction(as_type(name, whole))
        rows += [form.rounded(value, mode) for mode in (NEAREST, ZERO, DOWN, UP, NEAREST)]
    return rows + [whole & 0xFFFF] * 2


def to_whole(name, x, how):
    sign, bits = TYPES[name]
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "i" else (0, (1 << bits) - 1)
    if math.isnan(x):
        return as_type("ll", 1 << 63) if bits == 64 else 0
    clamped = (least if x < 0 else most) if math.isinf(x) else min(max(how(x), least), most)
    return as_type("ll", clamped)


def converted(x, bits):
    rows = [to_whole(name, x, how) for name in TYPES for how in (round, math.trunc, math.floor, math.ceil)]
    whole = to_whole("int", x, math.trunc)
    return rows + [min(max(whole, -128), 127), min(max(whole, 0), 255), as_type("short", bits), bits]


def close(form, argument):
    x = form.value(form.rounded(argument))
    rows = [math.sqrt(x), 1 / math.sqrt(x), 1 / x, math.exp(x), 2**x, 10**x, math.log(x), math.log2(x), math.log10(x),
            math.sin(x), math.cos(x), math.tanh(x)]
    return rows * 2 + [math.tanh(x)] * 2


def lanes(values, source):
    """The values after a shuffle: within each warp, the lane that `source` names, or the own one."""
    return [values[i // 32 * 32 + (source(i % 32) if 0 <= source(i % 32) < 32 else i % 32)] for i in range(THREADS)]


def moved(f, a):
    low = [a[i // 2 * 2] for i in range(THREADS)]
    high = [a[i // 2 * 2 + 1] for i in range(THREADS)]
    rows = [a, low, high]
    sources = [lambda i: 5, lambda i: i - 1, lambda i: i + 2, lambda i: i ^ 3]
    rows += [lanes(a, source) for source in sources]
    rows += [lanes(part, source) for source in sources for part in (low, high)]
    rows += [[0] * THREADS] * 3
    sums = [f.add(0, x) for x in a] + [f.add(0, x) for pair in zip(low, high) for x in pair]
    return [x for row in rows for x in row], sums


def columns(rows):
    return [x for row in zip(*rows) for x in row]


def write(folder, form, buffer_data):
    """Writes inputs and results; names begin with that of the format."""
    def save(name, kind, values):
        buffer_data.write(folder / f"{form.name}_{name}.bin", kind, values)

    special = [0, 0x8000, 1, 0x8001, form.one, form.one | 0x8000, form.infinity - 1, form.infinity, form.infinity | 0x8000, NAN]
    medium = form.one + (4 << form.fraction)
    def operands(seed, order):
        near = buffer_data.random("u16", 32, seed=seed, low=form.one - (3 << form.fraction), high=medium)
        signs = buffer_data.random("u16", 32, seed=seed + 100, low=0, high=1)
        wide = [x if (x & 0x7FFF) <= form.infinity else x & 0xBFFF
                for x in buffer_data.random("u16", 12, seed=seed + 200, low=0, high=0xFFFF)]
        return [special[order(i) % 10] for i in range(20)] + [x | s << 15 for x, s in zip(near, signs)] + wide

    a, b, c = operands(1, lambda i: i), operands(2, lambda i: i * 3 + i // 10), operands(3, lambda i: i * 7 + 4)
    tiny = 2.0 ** (form.least - form.fraction)
    exact = [0.0, -0.0, math.inf, -math.inf, math.nan, 1 / 3, -1 / 3, tiny, tiny / 2, tiny * 0.75, -tiny / 4, 3.0e38, -3.4e38,
             65519.0, 65520.0]
    singles = [buffer_data.round_f32(x) for x in exact] + buffer_data.random("f32", THREADS - len(exact), seed=4, low=-9, high=9)
    step = 2.0 ** -form.fraction
    doubles = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e300, -1e-300, 1 + step / 2, 1 + step / 2 + 2.0**-50,
               1 + step * 1.5 - 2.0**-50, tiny / 2 + 2.0**-180] + buffer_data.random("f64", THREADS - 11, seed=5, low=-9, high=9)
    whole = [0, 1, -1, 2049, 2051, 4097, 65519, 65520, 257, 259, 0x7FFFFFFF, -0x80000000, 0x7FFFFFFFFFFFFFFF, -(1 << 63),
             (1 << 40) + (1 << 32) + 1, 16777217] + [
        x >> 3 * i % 63 for i, x in enumerate(buffer_data.random("s64", THREADS - 16, seed=6, low=-(1 << 63), high=(1 << 63) - 1))]
    arguments = buffer_data.random("f32", THREADS, seed=7, low=0.125, high=3)
    for name, values in (("a", a), ("b", b), ("c", c)):
        save(name, "u16", values)
    save("singles", "f32", singles)
    save("doubles", "f64", doubles)
    save("whole", "s64", whole)

    f = Arithmetic(form)
    abc = list(zip(a, b, c))
    save("numbers", "u16", columns([numbers(f, *row) for row in abc]))
    save("pairs", "u16", columns([of_pairs(f, *row) for row in abc]))
    save("compared", "u32", columns([compared(f, *row) for row in abc]))
    save("rounded", "u16", columns([narrowed(form, *row, singles[0]) for row in zip(singles, doubles, whole)]))
    values = [f.v(x) for x in a]
    save("exact", "f32", columns([[x, x, x, values[0], x, values[0]] for x in values]))
    save("converted", "s64", columns([converted(x, bits) for x, bits in zip(values, a)]))
    save("close", "f32", columns([close(form, x) for x in arguments]))
    shuffled, sums = moved(f, a)
    save("moved", "u16", shuffled)
    save("sums", "u16", sums)

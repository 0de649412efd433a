"""Computes an element of D as a matrix instruction of an H100 does, in exact arithmetic: an oracle that shares no code with the model.

The products of a block and the accumulator are aligned to the largest exponent of the nonzero ones, truncated toward zero
at a fixed bit below it, and added exactly; the sum is truncated for an f32 accumulator and rounded to nearest even for f16. An exact
zero is +0. Fp8 is converted: f16 instructions on the first and second of each four products, then on the third and fourth, and an
addition to C that rounds to nearest even."""
import dataclasses
from fractions import Fraction


@dataclasses.dataclass(frozen=True)
class Unit:
    """How the sum of a block is formed: number of products, bits kept below the largest exponent, the least value of that exponent."""
    block: int
    bits: int
    least: int


def value(form, bits):
    """A number as (sign, significand, exponent): significand * 2^(exponent - fraction bits), in [0, 2); or 'nan', '+inf', '-inf'."""
    bits >>= form.low
    sign = bits >> (form.exponent + form.fraction) & 1
    exponent = bits >> form.fraction & (1 << form.exponent) - 1
    fraction = bits & (1 << form.fraction) - 1
    ones = (1 << form.exponent) - 1
    if exponent == ones and (form.infinity or fraction == (1 << form.fraction) - 1):
        if form.infinity and fraction == 0:
            return "-inf" if sign else "+inf"
        return "nan"
    if exponent == 0:
        return sign, fraction, 1 - form.bias
    return sign, fraction | 1 << form.fraction, exponent - form.bias


def _special(pairs, c):
    """The result of infinities and NaNs among the operands: 'nan', '+inf', '-inf', or None."""
    signs = set()
    for a, b in pairs:
        if "nan" in (a, b):
            return "nan"
        if isinstance(a, str) or isinstance(b, str):
            if (not isinstance(a, str) and a[1] == 0) or (not isinstance(b, str) and b[1] == 0):
                return "nan"

            def negative(x):
                return x == "-inf" if isinstance(x, str) else bool(x[0])
            signs.add("-inf" if negative(a) != negative(b) else "+inf")
    if c == "nan":
        return "nan"
    if isinstance(c, str):
        signs.add(c)
    if len(signs) > 1:
        return "nan"
    return signs.pop() if signs else None


def truncated(form, number):
    """Bits of a number in a format, rounded toward zero; past the largest: infinity."""
    return _rounded(form, number, nearest=False)


def nearest(form, number):
    """Bits of a number in a format, rounded to nearest even; past the largest: infinity."""
    return _rounded(form, number, nearest=True)


def _rounded(form, number, nearest):
    sign, number = (1, -number) if number < 0 else (0, number)
    if number == 0:
        return 0
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    if Fraction(2) ** exponent > number:
        exponent -= 1
    exponent = max(exponent, 1 - form.bias)
    scaled = number / Fraction(2) ** (exponent - form.fraction)
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    if nearest and (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1)):
        whole += 1
    if whole >> (form.fraction + 1):
        whole >>= 1
        exponent += 1
    if exponent > form.bias:
        return form.bits(sign, (1 << form.exponent) - 1, 0)
    if whole >> form.fraction:
        return form.bits(sign, exponent + form.bias, whole & (1 << form.fraction) - 1)
    return form.bits(sign, 0, whole)


def added(unit, products, accumulator):
    """The exact sum of the truncated terms; a term is (sign, significand, exponent, fraction bits)."""
    terms = [term for term in (*products, accumulator) if term[1] != 0]
    if not terms:
        return Fraction(0)
    top = max(unit.least, *(exponent for _, _, exponent, _ in terms))
    total = 0
    for sign, significand, exponent, fraction in terms:
        shift = unit.bits - fraction - (top - exponent)
        cut = significand << shift if shift >= 0 else significand >> -shift
        total += -cut if sign else cut
    return Fraction(total) * Fraction(2) ** (top - unit.bits)


def hopper(kind):
    """The unit of compute capability 9.0 for a kind whose operands are not fp8."""
    return Unit(min(16, kind.k) if kind.a.width == 16 else kind.k, 25, -133 if kind.c.width == 32 else -21)


def dot(unit, kind, a, b, c):
    """Bits of one element of D: `a` and `b` are the k operands, `c` the accumulator, all raw bits."""
    pairs = [(value(kind.a, x), value(kind.b, y)) for x, y in zip(a, b)]
    accumulator = c
    for at in range(0, len(pairs), unit.block):
        block = pairs[at:at + unit.block]
        known = value(kind.c, accumulator)
        special = _special(block, known)
        if special is not None:
            accumulator = _special_bits(kind.c, special)
            continue
        products = [(x[0] ^ y[0], x[1] * y[1], x[2] + y[2], kind.a.fraction + kind.b.fraction) for x, y in block]
        total = added(unit, products, (*known, kind.c.fraction))
        accumulator = truncated(kind.c, total) if kind.c.width == 32 else nearest(kind.c, total)
    return accumulator


def dot_of_converted(kind, a, b, c):
    """The same for fp8 operands on 9.0."""
    total = 0
    for first in (0, 2):
        of = [i for i in range(kind.k) if i % 4 in (first, first + 1)]
        unit = Unit(len(of), 25, -133 if kind.c.width == 32 else -21)
        total = dot(unit, kind, [a[i] for i in of], [b[i] for i in of], total)
    return sum_of(kind.c, total, c)


def sum_of(form, one, other):
    """Bits of the sum of two numbers of a format, rounded to nearest even."""
    first, second = value(form, one), value(form, other)
    names = {name for name in (first, second) if isinstance(name, str)}
    if names:
        special = "nan" if "nan" in names or len(names) > 1 else names.pop()
        return _special_bits(form, special)
    total = sum(Fraction(-significand if sign else significand) * Fraction(2) ** (exponent - form.fraction)
                for sign, significand, exponent in (first, second))
    if total == 0:
        return form.bits(first[0] & second[0], 0, 0)
    return nearest(form, total)


def _special_bits(form, special):
    if special == "nan":
        return (1 << (form.width - 1)) - 1
    return form.bits(special == "-inf", (1 << form.exponent) - 1, 0)

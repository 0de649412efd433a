"""Operands of matrix instructions for tb/silicon/tensor: tiles of raw bits, the same on every machine, and their layout in
registers.

Each kind of instruction has TILES tiles (A of 16 x k, B of k x 8, C of 16 x 8), from a generator that is seeded with the name of
the kind and the number of the tile. The class of a tile says what it tests."""
import dataclasses
import random

ROWS, COLUMNS, LANES = 16, 8, 32


@dataclasses.dataclass(frozen=True)
class Format:
    """A floating-point format: exponent and significand bits, bits of an element in a register."""
    name: str
    exponent: int
    fraction: int
    width: int
    infinity: bool = True  # e4m3 has one NaN for each sign and no infinity

    @property
    def bias(self):
        return (1 << (self.exponent - 1)) - 1

    @property
    def low(self):
        """Register bits below the number, which the instruction ignores."""
        return self.width - 1 - self.exponent - self.fraction

    def bits(self, sign, exponent, fraction):
        """Makes bits from fields as the format stores them."""
        return (((sign << self.exponent | exponent) << self.fraction) | fraction) << self.low


F16 = Format("f16", 5, 10, 16)
BF16 = Format("bf16", 8, 7, 16)
TF32 = Format("tf32", 8, 10, 32)
E4M3 = Format("e4m3", 4, 3, 8, infinity=False)
E5M2 = Format("e5m2", 5, 2, 8)
F32 = Format("f32", 8, 23, 32)


@dataclasses.dataclass(frozen=True)
class Kind:
    """A matrix instruction m16n8."""
    name: str
    k: int
    a: Format
    b: Format
    c: Format  # of D as well


KINDS = {kind.name: kind for kind in (
    Kind("f16_k8_f32", 8, F16, F16, F32), Kind("f16_k8_f16", 8, F16, F16, F16),
    Kind("f16_k16_f32", 16, F16, F16, F32), Kind("f16_k16_f16", 16, F16, F16, F16),
    Kind("bf16_k8_f32", 8, BF16, BF16, F32), Kind("bf16_k16_f32", 16, BF16, BF16, F32),
    Kind("tf32_k4_f32", 4, TF32, TF32, F32), Kind("tf32_k8_f32", 8, TF32, TF32, F32),
    Kind("e4m3_k16_f32", 16, E4M3, E4M3, F32), Kind("e4m3_k16_f16", 16, E4M3, E4M3, F16),
    Kind("e4m3_k32_f32", 32, E4M3, E4M3, F32), Kind("e4m3_k32_f16", 32, E4M3, E4M3, F16),
    Kind("e5m2_k32_f32", 32, E5M2, E5M2, F32), Kind("e5m2_k32_f16", 32, E5M2, E5M2, F16),
    Kind("e4m3_e5m2_k32_f32", 32, E4M3, E5M2, F32))}

CLASSES = ["near one"] * 2 + ["ends", "far ends"] + ["all exponents"] * 3 + ["cancelling"] * 3 + ["subnormal"] * 2 + ["large", "special", "special", "zeros"]
TILES = len(CLASSES)


class _Numbers:
    """Numbers of a format, from one generator."""

    def __init__(self, generator, form):
        self._random = generator
        self._form = form
        self._greatest = (1 << form.exponent) - (2 if form.infinity else 1)

    def field(self, low, high):
        """A number with an exponent field from `low` to `high`, as far as the format allows."""
        low, high = max(0, low), min(self._greatest, high)
        fraction = self._random.getrandbits(self._form.fraction)
        exponent = self._random.randint(low, high)
        if not self._form.infinity and exponent == self._greatest:
            fraction &= (1 << self._form.fraction) - 2  # all ones are NaN
        return self._form.bits(self._random.getrandbits(1), exponent, fraction) | self._random.getrandbits(self._form.low or 1) * bool(
            self._form.low)

    def near_one(self, far=3):
        return self.field(self._form.bias - far, self._form.bias + far)

    def any(self):
        return self.field(0, self._greatest)

    def subnormal(self):
        return self.field(0, self._random.randint(0, 2))

    def large(self):
        return self.field(self._greatest - 2, self._greatest)

    def zero(self):
        return self._form.bits(self._random.getrandbits(1), 0, 0)

    def special(self):
        sign, ones = self._random.getrandbits(1), (1 << self._form.exponent) - 1
        if self._random.getrandbits(1) or not self._form.infinity:
            return self._form.bits(sign, ones, (1 << self._form.fraction) - 1)
        return self._form.bits(sign, ones, 0)


def _element(numbers, generator, of):
    if of == "near one" or of == "cancelling":
        return numbers.near_one()
    if of == "all exponents":
        return numbers.any()
    if of == "subnormal":
        return numbers.subnormal() if generator.randrange(4) else numbers.near_one(1)
    if of == "large":
        return numbers.large()
    if of == "special":
        return numbers.special() if generator.randrange(24) == 0 else numbers.near_one()
    return numbers.zero() if generator.randrange(8) else numbers.near_one()


def tile(kind, number):
    """A[row][k], B[k][column], C[row][column] as raw bits of tile `number` of a kind."""
    generator = random.Random(f"{kind.name} {number}")
    of = CLASSES[number]
    a_numbers, b_numbers, c_numbers = (_Numbers(generator, form) for form in (kind.a, kind.b, kind.c))
    a = [[_element(a_numbers, generator, of) for _ in range(kind.k)] for _ in range(ROWS)]
    b = [[_element(b_numbers, generator, of) for _ in range(COLUMNS)] for _ in range(kind.k)]
    c = [[_element(c_numbers, generator, of) for _ in range(COLUMNS)] for _ in range(ROWS)]
    if of == "cancelling":
        _cancel(kind, a, b, c, generator)
    if "ends" in of:
        _end(kind, a, b, 18 if of == "far ends" else 4, generator)
    if of == "zeros" or "ends" in of:
        for row in c:
            for column in range(COLUMNS):
                row[column] = c_numbers.zero()
    return a, b, c


def _cancel(kind, a, b, c, generator):
    """Product 2 j + 1 is product 2 j with the opposite sign, except that one is occasionally slightly off; C is small."""
    for row in a:
        for j in range(0, kind.k, 2):
            row[j + 1] = row[j] ^ 1 << (kind.a.width - 1)
            if generator.randrange(4) == 0:
                row[j + 1] ^= 1 << kind.a.low
    for j in range(0, kind.k, 2):
        b[j + 1] = list(b[j])
    small = _Numbers(generator, kind.c)
    for row in c:
        for column in range(COLUMNS):
            row[column] = small.field(kind.c.bias - 30, kind.c.bias - 2) if generator.randrange(4) else small.zero()


def _power(form, exponent, significand=1):
    """`significand` (1 or 3) times a power of two, or zero if the format does not have that number."""
    low = 1 - form.bias - form.fraction
    if exponent < low:
        return 0
    if exponent < 1 - form.bias:
        return form.bits(0, 0, significand << (exponent - low) & (1 << form.fraction) - 1)
    return form.bits(0, min(exponent + form.bias, (1 << form.exponent) - 2), (significand >> 1) << (form.fraction - 1))


def _end(kind, a, b, distance, generator):
    """The first product is D's smallest number or three times that, or half of it if D is rounded to nearest; the second is smaller by a
    power of two, at least `distance`; the others are zero."""
    half = 1 - kind.c.bias - kind.c.fraction - (kind.c is F16)
    second = half - distance
    for row in a:
        row[:] = [0] * kind.k
        row[0] = _power(kind.a, half // 2, generator.choice((1, 3)))
        row[1] = _power(kind.a, second // 2 - generator.randrange(5)) | generator.getrandbits(1) << (kind.a.width - 1)
    for k in range(kind.k):
        b[k] = [0] * COLUMNS
    for column in range(COLUMNS):
        b[0][column] = _power(kind.b, half - half // 2)
        b[1][column] = _power(kind.b, second - second // 2 - generator.randrange(4))


def _words(elements, width):
    """Registers of the elements of each, the first in the low bits."""
    return [sum(bits << width * i for i, bits in enumerate(elements[at:at + 32 // width])) for at in range(0, len(elements), 32 // width)]


def registers(kind, a, b, c):
    """The registers of all lanes, lane by lane, of A, B and C: the maps of PTX ("Matrix Fragments for mma")."""
    of_a, of_b, of_c = [], [], []
    for lane in range(LANES):
        group, thread = lane // 4, lane % 4
        per = 32 // kind.a.width
        of_a += _words([a[group + 8 * (r % 2)][per * thread + i + 4 * per * (r // 2)]
                        for r in range(kind.k // (2 * per)) for i in range(per)], kind.a.width)
        of_b += _words([b[per * thread + i + 4 * per * r][group] for r in range(kind.k // (4 * per)) for i in range(per)], kind.b.width)
        of_c += _words([c[group + 8 * r][2 * thread + i] for r in range(2) for i in range(2)], kind.c.width)
    return of_a, of_b, of_c


def matrix(kind, of_d):
    """D[row][column] from the registers of all lanes."""
    per = 32 // kind.c.width
    d = [[0] * COLUMNS for _ in range(ROWS)]
    each = 4 // per
    for lane in range(LANES):
        words = of_d[lane * each:(lane + 1) * each]
        values = [word >> kind.c.width * i & (1 << kind.c.width) - 1 for word in words for i in range(per)]
        for i, value in enumerate(values):
            d[lane // 4 + 8 * (i // 2)][2 * (lane % 4) + i % 2] = value
    return d

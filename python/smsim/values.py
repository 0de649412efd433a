"""Values of keys: lists and ranges of an axis, scalars, and the types from the model's schema."""

import math
import re
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction

from smsim.errors import did_you_mean, shown

INTEGER = re.compile(r"[+-]?([0-9]+|0x[0-9a-fA-F]+)")
# Suffixes of sizes in bytes, as in configurations: 64K, 64KB and 64KiB are 65536.
SIZE = re.compile(r"([0-9]+)([KMG])(?:i?B)?")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
LEADING_ZERO = re.compile(r"[+-]?0[0-9].*")
# Characters of a value: Python converts integers of some thousand digits, and the arguments of a command have a limit.
LONGEST_VALUE = 1000
# A range with more values is taken for a typing error in its step.
MOST_VALUES = 100000
# Values of a range with a factor are products, exact up to this many digits and then rounded to the nearest: more digits than
# any integer below the largest number has, and far more than are written of other numbers.
PRODUCTS = Context(prec=400, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])


def scalar(text):
    """The text as integer, number or flag; as text if it is none of these, or beyond the range of Python's numbers."""
    if text in ("true", "false"):
        return text == "true"
    if len(text) > LONGEST_VALUE:
        return text
    if INTEGER.fullmatch(text):
        return int(text, 0) if "x" in text else int(text)
    if NUMBER.fullmatch(text):
        return float(text) if math.isfinite(float(text)) else text
    return text


def same(value, other):
    """Whether two scalars are one value: true is not 1."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def spelled(value):
    """A scalar as a file of a sweep spells it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


# Keys that begin so are of the launch file; the rest is a path in it. The program checks their values.
LAUNCH = "launch."


class Schema(dict):
    """Rows of the model's keys by name. `refusal(key, text)` is the model's message about a value, "" if it accepts the value."""

    def __init__(self, rows, refusal=lambda key, text: ""):
        super().__init__(rows)
        self.refusal = refusal


def check(part, key, text, schema):
    """The value as it is passed on: sizes become plain numbers. Rejects values that the key can never have: of another type, or
    out of its range. The model decides whether values fit together, and may reject single points."""
    _refuse_long(part, key, text)
    if key.startswith(LAUNCH):
        return text
    row = schema[key]
    kind = row["type"]
    written = text
    _refuse_leading_zero(part, key, text, row)
    text = plain(text, row)
    if kind in ("unsigned", "integer"):
        if not INTEGER.fullmatch(text):
            raise part.error(f"{key} must be an integer; found '{shown(text)}'")
    elif kind == "number":
        if not isinstance(scalar(text), (int, float)) or text in ("true", "false"):
            raise part.error(f"{key} must be a number; found '{shown(text)}'")
    elif kind == "flag":
        if text not in ("true", "false"):
            raise part.error(f"{key} must be true or false; found '{shown(text)}'")
    elif row.get("library") and text.startswith("library:"):
        pass  # a policy from a shared library, which the model loads
    elif "values" in row and text not in row["values"]:
        raise part.error(
            f"{key} must be one of {', '.join(row['values'])}; found '{shown(text)}'{did_you_mean(text, row['values'])}"
        )
    if not _in_range(row, scalar(text)):
        refusal = schema.refusal(key, written)
        if refusal:
            raise part.error(refusal)
    return text


def _refuse_long(part, what, text):
    if len(text) > LONGEST_VALUE:
        raise part.error(f"{what} may have {LONGEST_VALUE} characters; found {len(text)}")


def _refuse_leading_zero(part, what, text, row):
    """Uses the model's message."""
    if row.get("type") in ("unsigned", "integer") and LEADING_ZERO.fullmatch(text):
        raise part.error(
            f"{what} must be a number without leading zeros, which some would read as octal; found '{shown(text)}'"
        )


def plain(text, row):
    """The text of a value without the suffix of a size."""
    size = SIZE.fullmatch(text) if row.get("unit") == "bytes" else None
    return str(int(size.group(1)) << {"K": 10, "M": 20, "G": 30}[size.group(2)]) if size else text


def _in_range(row, value):
    """Only a suspicion: the model decides, and has the better message."""
    if "low" not in row or not isinstance(value, (int, float)):
        return True
    if not row["low"] <= value <= row["high"]:
        return False
    # Most numbers need not be a multiple of anything; each suspicion costs a start of the program.
    if "multiple_of" in row and value % row["multiple_of"] != 0:
        return False
    return not (row.get("power_of_two") and value & (value - 1))


def _bound(part, what, row):
    """The number, exact."""
    text = part.text(what)
    _refuse_long(part, what, text)
    _refuse_leading_zero(part, what, text, row)
    text = plain(text, row)
    if not NUMBER.fullmatch(text):
        raise part.error(f"{what} must be a number; found '{shown(text)}'")
    # A non-zero number that rounds to zero, or to infinity, would be computed with as many digits as its exponent says.
    nearest = float(text)
    if not math.isfinite(nearest) or nearest == 0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise part.error(f"{what} must be 0 or from 5e-324 to 1.79e308 in size; found '{shown(text)}'")
    return Decimal(text) if nearest else Decimal(0)


def _written(number):
    """A Fraction or a Decimal as the model reads it: 3, 0.25."""
    return str(int(number)) if number == int(number) else repr(float(number))


def _sums(low, high, step):
    """Exact values; none if there are too many."""
    low, step = Fraction(low), Fraction(step)
    count = (Fraction(high) - low) // step + 1
    return [low + place * step for place in range(count)] if count <= MOST_VALUES else None


def _products(low, high, factor):
    """Values as PRODUCTS says; none if there are too many."""
    found = []
    while low <= high:
        found.append(low)
        if len(found) > MOST_VALUES:
            return None
        low = PRODUCTS.multiply(low, factor)
    return found


def _range(part, what, row):
    members = part.members(f"the range of {what}", ("from", "to", "step", "factor"), ("from", "to"))
    if ("step" in members) == ("factor" in members):
        raise part.error(f"the range of {what} needs either 'step' or 'factor'")
    low = _bound(members["from"], f"'from' of {what}", row)
    high = _bound(members["to"], f"'to' of {what}", row)
    if high < low:
        raise part.error(f"the range of {what} is empty: 'to' is below 'from'")
    if "step" in members:
        step = _bound(members["step"], f"'step' of {what}", row)
        if step <= 0:
            raise members["step"].error(f"'step' of {what} must be above 0")
    else:
        step = _bound(members["factor"], f"'factor' of {what}", {})
        if step <= 1 or low <= 0:
            raise members["factor"].error(f"'factor' of {what} must be above 1, and 'from' above 0")
    found = _sums(low, high, step) if "step" in members else _products(low, high, step)
    if found is None:
        raise part.error(f"the range of {what} has more than {MOST_VALUES} values")
    return [(_written(value), part) for value in found]


def written(part, what, key):
    """The text of the value of a key. Values in the launch file may be lists."""
    return part.source(what) if key.startswith(LAUNCH) else part.text(what)


def expand(part, what, row=None):
    """(text, part) of each value of a list or a range; `row` is the key's row in the schema, if `what` is a key."""
    if part.is_mapping:
        return _range(part, what, row or {})
    if not part.is_list:
        raise part.error(f"{what} must be a list or a range {{from, to, step}} or {{from, to, factor}}")
    found = [(written(item, f"a value of {what}", what), item) for item in part.items(what)]
    seen = set()
    for text, item in found:
        _refuse_long(item, f"a value of {what}", text)
        if text in seen:
            raise item.error(f"the value '{shown(text)}' of {what} stands twice")
        seen.add(text)
    return found

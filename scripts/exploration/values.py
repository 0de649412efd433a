"""Values of keys: lists and ranges of an axis, scalars, and the types that the model's schema gives."""

import re
from fractions import Fraction

from exploration.errors import did_you_mean

INTEGER = re.compile(r"[+-]?(\d+|0x[0-9a-fA-F]+)")
# Sizes in bytes may have these, as in configurations: 64K, 64KB and 64KiB are 65536.
SIZE = re.compile(r"(\d+)([KMG])(?:i?B)?")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
LEADING_ZERO = re.compile(r"[+-]?0\d.*")
# A range of more values is a typing error in its step.
MOST_VALUES = 100000


def scalar(text):
    """The text as integer, number, flag or, when it is none of these, text."""
    if text in ("true", "false"):
        return text == "true"
    if INTEGER.fullmatch(text):
        return int(text, 0) if "x" in text else int(text)
    if NUMBER.fullmatch(text):
        return float(text)
    return text


class Schema(dict):
    """Rows of the model's keys by name. `refusal(key, text)` is what the model says of a value, "" when it takes it."""

    def __init__(self, rows, refusal=lambda key, text: ""):
        super().__init__(rows)
        self.refusal = refusal


def check(part, key, text, schema):
    """The value as it is handed on: sizes as plain numbers. Refuses one that the key can never have: of another type, or out of
    its range. Whether values go together is left to the model, which may refuse single points."""
    row = schema[key]
    kind = row["type"]
    written = text
    _refuse_leading_zero(part, key, text, row)
    text = _without_suffix(text, row)
    if kind in ("unsigned", "integer"):
        if not INTEGER.fullmatch(text):
            raise part.error(f"{key} must be an integer; found '{text}'")
    elif kind == "number":
        if not isinstance(scalar(text), (int, float)) or text in ("true", "false"):
            raise part.error(f"{key} must be a number; found '{text}'")
    elif kind == "flag":
        if text not in ("true", "false"):
            raise part.error(f"{key} must be true or false; found '{text}'")
    elif "values" in row and text not in row["values"]:
        raise part.error(
            f"{key} must be one of {', '.join(row['values'])}; found '{text}'{did_you_mean(text, row['values'])}"
        )
    if not _in_range(row, scalar(text)):
        refusal = schema.refusal(key, written)
        if refusal:
            raise part.error(refusal)
    return text


def _refuse_leading_zero(part, what, text, row):
    """In the words of the model."""
    if row.get("type") in ("unsigned", "integer") and LEADING_ZERO.fullmatch(text):
        raise part.error(
            f"{what} must be a number without leading zeros, as it would be octal to some; found '{text}'"
        )


def _without_suffix(text, row):
    size = SIZE.fullmatch(text) if row.get("unit") == "bytes" else None
    return str(int(size.group(1)) << {"K": 10, "M": 20, "G": 30}[size.group(2)]) if size else text


def _in_range(row, value):
    """A suspicion only: the model has the last word, and the better words."""
    if "low" not in row or not isinstance(value, (int, float)):
        return True
    if not row["low"] <= value <= row["high"]:
        return False
    return value % row.get("multiple_of", 1) == 0 and not (row.get("power_of_two") and value & (value - 1))


def _bound(part, what, row):
    text = part.text(what)
    _refuse_leading_zero(part, what, text, row)
    text = _without_suffix(text, row)
    if not NUMBER.fullmatch(text):
        raise part.error(f"{what} must be a number; found '{text}'")
    return Fraction(text)


def _written(number):
    """Exact, as the model reads it: 3, 0.25."""
    return str(number.numerator) if number.denominator == 1 else repr(float(number))


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
    found = []
    value = low
    while value <= high:
        found.append(_written(value))
        if len(found) > MOST_VALUES:
            raise part.error(f"the range of {what} has more than {MOST_VALUES} values")
        value = value + step if "step" in members else value * step
    return [(text, part) for text in found]


def expand(part, what, row=None):
    """(text, part) of each value of a list or a range; `row` is that of the key in the schema, if it is one."""
    if part.is_mapping:
        return _range(part, what, row or {})
    if not part.is_list:
        raise part.error(f"{what} must be a list or a range {{from, to, step}} or {{from, to, factor}}")
    found = [(item.text(f"a value of {what}"), item) for item in part.items(what)]
    seen = set()
    for text, item in found:
        if text in seen:
            raise item.error(f"the value '{text}' of {what} stands twice")
        seen.add(text)
    return found

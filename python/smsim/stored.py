"""JSON in files of results. These may be forged or damaged: text that is not JSON, or values that cannot be used in
computations, always raise ValueError."""

import json
import math

# Bits of an integer, so that each one fits a floating-point number.
MOST_BITS = 1000


def parse(text):
    """The values of a JSON text."""
    try:
        return json.loads(text, parse_constant=_number, parse_float=_number, parse_int=_integer)
    except RecursionError:
        raise ValueError("JSON that is nested too deeply") from None
    except TypeError:
        raise ValueError("no text in place of JSON") from None


def _number(written):
    value = float(written)
    if not math.isfinite(value):
        raise ValueError(f"{written:.50} is no finite number")
    return value


def _integer(written):
    value = int(written)
    if value.bit_length() > MOST_BITS:
        raise ValueError(f"{written:.50}... is too large a number")
    return value

"""AXIS=VALUE[,...] in options of sweep and explore."""

from smsim.errors import UserError, shown


def split(text):
    """The parts between commas, except commas in brackets: a value may be a list, [16, 16]."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def pairs(option, words):
    """{axis: value as written} of AXIS=VALUE words."""
    found = {}
    for word in words:
        name, equal, value = word.partition("=")
        if not equal or not name or not value:
            raise UserError(f"{option} {shown(word)}: AXIS=VALUE is needed")
        found[name] = value
    return found


def baseline(text):
    """{axis: value as written} of --baseline."""
    return pairs("--baseline", [word for word in split(text) if word])

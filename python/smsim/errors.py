"""Errors of the user: one message with place and cause, shown without a traceback."""

import difflib


class UserError(Exception):
    """An input of the user cannot be used; the text is the whole message."""


# The number of characters of the user's text that a message repeats.
LONGEST_SHOWN = 200


def shown(text):
    """The user's text as a message repeats it: in one line, and shortened if it is long."""
    return in_one_line(text) if len(text) <= LONGEST_SHOWN else f"{in_one_line(text[:LONGEST_SHOWN])}…"


def in_one_line(text):
    """Text with escapes instead of line ends and invisible characters."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def did_you_mean(word, candidates):
    """'; did you mean X?' with the nearest candidate, or nothing if none is near."""
    if len(word) > LONGEST_SHOWN:
        return ""
    near = difflib.get_close_matches(word, list(candidates), n=1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else ""

"""Errors of the user: one message with place and cause, shown without a traceback."""

import difflib


class UserError(Exception):
    """Something given by the user cannot be used; the text is the whole message."""


# Characters of what the user wrote that a message repeats.
LONGEST_SHOWN = 200


def shown(text):
    """What the user wrote, as a message repeats it: not all of what is long."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def did_you_mean(word, candidates):
    """'; did you mean X?' with the nearest candidate, or nothing when none is near."""
    if len(word) > LONGEST_SHOWN:
        return ""
    near = difflib.get_close_matches(word, list(candidates), n=1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else ""

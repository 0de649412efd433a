"""Errors of the user: one message with place and cause, shown without a traceback."""

import difflib


class UserError(Exception):
    """Something given by the user cannot be used; the text is the whole message."""


def did_you_mean(word, candidates):
    """'; did you mean X?' with the nearest candidate, or nothing when none is near."""
    near = difflib.get_close_matches(word, list(candidates), n=1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else ""

#!/usr/bin/env python3
"""Writes expected.bin: the nest of branches of each thread."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402


def thread(a, b):
    """The result of a thread."""
    unsigned_less = a % 2**32 < b % 2**32
    if a == b:
        r = 1
    elif a < b:
        r = 2 if unsigned_less else 18
    else:
        r = 35 if unsigned_less else 3
    return r + (300 if a == 0 else 200 if a < 0 else 100)


a = buffer_data.random("s32", 128, seed=73, low=-3, high=3)
b = buffer_data.random("s32", 128, seed=74, low=-3, high=3)
buffer_data.write(HERE / "expected.bin", "u32", [thread(x, y) for x, y in zip(a, b)])

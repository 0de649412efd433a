#!/usr/bin/env python3
"""Writes expected.bin and, with no call within a call, expected_limit.bin: the calls of each thread."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402


def f(r):
    """3 * r + 1"""
    return 3 * r + 1


def g(r, nested):
    """r / 2 where r is even; else f(r), or r where a call within a call is not possible."""
    if r % 2 == 0:
        return r // 2
    return f(r) if nested else r


def thread(x, nested):
    """The calls of a thread."""
    r = x
    if x & 1:
        r = f(r)
    if x & 2:
        r = f(r)
    r = g(r, nested) if x & 4 else f(r)
    return (g(r, nested) if x & 8 else f(r)) % 2**32


data = buffer_data.random("u32", 64, seed=85, low=0, high=10**6)
buffer_data.write(HERE / "expected.bin", "u32", [thread(x, True) for x in data])
buffer_data.write(HERE / "expected_limit.bin", "u32", [thread(x, False) for x in data])

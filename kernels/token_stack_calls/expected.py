#!/usr/bin/env python3
"""Writes expected.bin: the calls of each thread."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
import smsim_data  # noqa: E402


def f(r):
    """3 * r + 1"""
    return 3 * r + 1


def g(r):
    """r / 2, or f(r) where r is odd."""
    return f(r) if r % 2 else r // 2


def thread(x):
    """The calls of a thread."""
    r = x
    if x & 1:
        r = f(r)
    if x & 2:
        r = f(r)
    r = g(r) if x & 4 else f(r)
    return g(r) if x & 8 else f(r)


smsim_data.write(
    HERE / "expected.bin", "u32", [thread(x) % 2**32 for x in smsim_data.random("u32", 64, seed=85, low=0, high=10**6)])

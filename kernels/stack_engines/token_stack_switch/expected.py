#!/usr/bin/env python3
"""Writes expected.bin: the rounds of each thread."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402


def thread(x):
    """The sum of the thread that begins with x."""
    total = 0
    for k in range(6):
        case = x >> 2 * k & 3
        if case <= 1:
            total += 11 if case == 0 else 10
        elif case == 2 and total > 40:
            break
        else:
            total += 100 * k
    return total


buffer_data.write(
    HERE / "expected.bin", "u32", [thread(x) for x in buffer_data.random("u32", 64, seed=83, low=0, high=0xFFFFFFFF)])

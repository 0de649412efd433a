#!/usr/bin/env python3
"""Writes expected.bin: the number of steps to 1, at most LIMIT."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

LIMIT = 40


def steps(x):
    """Steps of the thread that begins with x."""
    count = 0
    while x != 1 and count != LIMIT:
        count += 1
        x = 3 * x + 1 if x % 2 else x // 2
    return count


buffer_data.write(
    HERE / "expected.bin", "u32", [steps(x) for x in buffer_data.random("u32", 128, seed=76, low=1, high=200)])

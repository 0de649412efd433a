#!/usr/bin/env python3
"""Writes expected.bin: the loop nest of the kernel, one thread after the other."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

N, MASK = 200, 0xFFFFFFFF


def thread(x):
    """The result of the thread whose input is x."""
    y = (3 * x + 1) & MASK if x % 2 else x // 2
    for outer in range(x % 6, 0, -1):
        for _ in range(y % 8):
            y = (y * 0x19660D + 0x3C6EF35F) & MASK
            if y >> 28 == 0:
                break
            if y >> 28 == 1:
                return y
            if y >> 27 == 30:
                return ~y & MASK
        y ^= outer
    return y


data = buffer_data.random("u32", N, seed=21, low=0, high=MASK)
buffer_data.write(HERE / "expected.bin", "u32", [thread(x) for x in data])

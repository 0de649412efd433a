#!/usr/bin/env python3
"""Writes expected.bin: interprets the program of each thread."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

THREADS, STEPS, MASK = 128, 12, 0xFFFFFFFF
HALT = 7


def operation(code, acc, tid, step):
    """One operation of the interpreter."""
    if code == 0:
        return acc + tid
    if code == 1:
        return acc - step
    if code == 2:
        return acc * 0x9E3779B1
    if code == 3:
        return acc ^ 0x5BD1E995
    if code == 4:
        return acc << 3
    if code == 5:
        return acc >> 2
    return acc << tid % 32 | acc >> (32 - tid % 32)


codes = buffer_data.random("u8", THREADS * STEPS, seed=31, low=0, high=7)
result = buffer_data.random("u32", THREADS, seed=32, low=0, high=MASK)
for tid in range(THREADS):
    for step in range(STEPS):
        code = codes[tid // 32 * 32 * STEPS + step * 32 + tid % 32]
        if code == HALT:
            break
        result[tid] = operation(code, result[tid], tid, step) & MASK
buffer_data.write(HERE / "expected.bin", "u32", result)

#!/usr/bin/env python3
"""Writes a.bin and b.bin, whole numbers as s8 and as e4m3, and their product, which is exact in both, as s32 and as f32."""

import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

M, N, K = 64, 128, 256


def e4m3(value):
    """The bits of a whole number from -15 to 15: a sign, four bits of exponent with a bias of 7, three of fraction."""
    sign, size = (0x80, -value) if value < 0 else (0, value)
    if size == 0:
        return sign
    exponent = int(math.log2(size))
    return sign | (exponent + 7) << 3 | (size << 3 >> exponent) & 7


a = buffer_data.random("s32", M * K, seed=5, low=-8, high=8)
b = buffer_data.random("s32", N * K, seed=6, low=-8, high=8)  # by columns
for name, values in (("a", a), ("b", b)):
    buffer_data.write(HERE / f"{name}_s8.bin", "s8", values)
    buffer_data.write(HERE / f"{name}_e4m3.bin", "u8", [e4m3(value) for value in values])
rows = [a[row * K : (row + 1) * K] for row in range(M)]
columns = [b[column * K : (column + 1) * K] for column in range(N)]
product = [sum(x * y for x, y in zip(row, column)) for row in rows for column in columns]
buffer_data.write(HERE / "expected_s8.bin", "s32", product)
buffer_data.write(HERE / "expected_e4m3.bin", "f32", product)

#!/usr/bin/env python3
"""Writes a.bin and b.bin, in half precision, and expected.bin: the product, in whole numbers."""

import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

M, N, K = 64, 128, 128


def write_halves(name, values):
    (HERE / name).write_bytes(struct.pack(f"<{len(values)}e", *values))


a = buffer_data.random("s32", M * K, seed=3, low=-8, high=8)
b = buffer_data.random("s32", K * N, seed=4, low=-8, high=8)
write_halves("a.bin", a)
write_halves("b.bin", b)
columns = [b[column::N] for column in range(N)]
rows = [a[row * K : (row + 1) * K] for row in range(M)]
buffer_data.write(HERE / "expected.bin", "f32", [sum(x * y for x, y in zip(row, column)) for row in rows for column in columns])

#!/usr/bin/env python3
"""Writes expected.bin: the four products, each in 16 rows of 16 numbers, with zeros where a product has no element."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

SIDE = 16
# m, n and k of bfloat16, tf32, bytes and double precision.
SHAPES = ((16, 16, 16), (16, 16, 8), (16, 16, 16), (8, 8, 4))
a = buffer_data.pattern("s32", SIDE * SIDE, start=-60, step=7, modulo=19)
b = buffer_data.pattern("s32", SIDE * SIDE, start=45, step=-4, modulo=23)
buffer_data.write(HERE / "expected.bin", "s32", [
    sum(a[row * SIDE + i] * b[i * SIDE + column] for i in range(k)) if row < m and column < n else 0
    for m, n, k in SHAPES for row in range(SIDE) for column in range(SIDE)])

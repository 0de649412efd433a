#!/usr/bin/env python3
"""Writes expected.bin: the product, in whole numbers."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

M, N, K = 128, 256, 32
a = buffer_data.pattern("f32", M * K, start=-8, step=1, modulo=17)
b = buffer_data.pattern("f32", K * N, start=-6, step=1, modulo=13)
columns = [b[column::N] for column in range(N)]
rows = [a[row * K : (row + 1) * K] for row in range(M)]
buffer_data.write(HERE / "expected.bin", "f32", [sum(x * y for x, y in zip(row, column)) for row in rows for column in columns])

#!/usr/bin/env python3
"""Writes expected.bin and expected_large.bin: the product, in whole numbers."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402


def product(m, n, k):
    a = buffer_data.pattern("f32", m * k, start=-8, step=1, modulo=17)
    b = buffer_data.pattern("f32", k * n, start=-6, step=1, modulo=13)
    columns = [b[column::n] for column in range(n)]
    rows = [a[row * k : (row + 1) * k] for row in range(m)]
    return [sum(x * y for x, y in zip(row, column)) for row in rows for column in columns]


buffer_data.write(HERE / "expected.bin", "f32", product(90, 70, 50))
buffer_data.write(HERE / "expected_large.bin", "f32", product(140, 120, 90))

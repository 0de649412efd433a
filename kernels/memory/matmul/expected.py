#!/usr/bin/env python3
"""Writes expected.bin and expected_small.bin: C = A * B for n = 256 and n = 64."""

import sys
from operator import mul
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402


def product(n):
    """The elements of C, row by row."""
    a = buffer_data.pattern("f32", n * n, start=-8, step=1, modulo=17)
    b = buffer_data.pattern("f32", n * n, start=-6, step=1, modulo=13)
    rows = [a[i * n : (i + 1) * n] for i in range(n)]
    columns = [b[j::n] for j in range(n)]
    return [sum(map(mul, row, column)) for row in rows for column in columns]


buffer_data.write(HERE / "expected.bin", "f32", product(256))
buffer_data.write(HERE / "expected_small.bin", "f32", product(64))

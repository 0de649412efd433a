#!/usr/bin/env python3
"""Writes expected.bin: c = a + b."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

N = 10000

a = buffer_data.random("f32", N, seed=1, low=-100, high=100)
b = buffer_data.random("f32", N, seed=2, low=-100, high=100)
# The double-precision sum of two floats, rounded once more, is the correctly rounded float sum.
buffer_data.write(HERE / "expected.bin", "f32", [buffer_data.round_f32(x + y) for x, y in zip(a, b)])

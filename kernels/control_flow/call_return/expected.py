#!/usr/bin/env python3
"""Writes expected_gcd.bin and expected.bin, what the second call returns."""

import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

N = 128

a = buffer_data.random("u32", N, seed=41, low=1, high=60000)
b = buffer_data.random("u32", N, seed=42, low=0, high=60000)
either = [x // math.gcd(x, y) * y if x % 2 else math.gcd(x, y + 1) for x, y in zip(a, b)]
buffer_data.write(HERE / "expected_gcd.bin", "u32", [math.gcd(x, y) for x, y in zip(a, b)])
buffer_data.write(HERE / "expected.bin", "u32", either)

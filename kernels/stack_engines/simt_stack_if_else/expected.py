#!/usr/bin/env python3
"""Writes expected.bin: if and else of each thread."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

a = buffer_data.random("s32", 64, seed=71, low=-2, high=1)
b = buffer_data.random("s32", 64, seed=72, low=-2, high=1)
buffer_data.write(
    HERE / "expected.bin", "s32", [(x - y if x != y else 7 * x) + i for i, (x, y) in enumerate(zip(a, b))])

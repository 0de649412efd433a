#!/usr/bin/env python3
"""Writes expected.bin: the transposed matrix."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

WIDTH, HEIGHT = 200, 150
matrix = buffer_data.random("u32", WIDTH * HEIGHT, seed=13, low=0, high=0xFFFFFFFF)
buffer_data.write(HERE / "expected.bin", "u32", [word for column in range(WIDTH) for word in matrix[column::WIDTH]])

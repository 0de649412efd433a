#!/usr/bin/env python3
"""Writes expected.bin: the normalised rows, in double precision."""

import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

ROWS, COLUMNS = 64, 512
data = buffer_data.random("f32", ROWS * COLUMNS, seed=43, low=-3, high=5)
gamma = buffer_data.random("f32", COLUMNS, seed=44, low=-2, high=2)
beta = buffer_data.random("f32", COLUMNS, seed=45, low=-1, high=1)
result = []
for first in range(0, len(data), COLUMNS):
    row = data[first : first + COLUMNS]
    mean = math.fsum(row) / COLUMNS
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in row) / COLUMNS + 1e-5)
    result += [(x - mean) / deviation * g + b for x, g, b in zip(row, gamma, beta)]
buffer_data.write(HERE / "expected.bin", "f32", result)

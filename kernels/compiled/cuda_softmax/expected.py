#!/usr/bin/env python3
"""Writes expected.bin: the shares of each row, in double precision."""

import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

ROWS, COLUMNS = 150, 230
data = buffer_data.random("f32", ROWS * COLUMNS, seed=42, low=-8, high=8)
result = []
for first in range(0, len(data), COLUMNS):
    powers = [math.exp(x) for x in data[first : first + COLUMNS]]
    total = math.fsum(powers)
    result += [power / total for power in powers]
buffer_data.write(HERE / "expected.bin", "f32", result)

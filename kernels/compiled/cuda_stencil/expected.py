#!/usr/bin/env python3
"""Writes expected.bin: the grid after one step."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

WIDTH, HEIGHT = 200, 100
grid = buffer_data.pattern("f32", WIDTH * HEIGHT, start=-500, step=7, modulo=143)
result = list(grid)
for y in range(1, HEIGHT - 1):
    for x in range(1, WIDTH - 1):
        i = y * WIDTH + x
        result[i] = grid[i] / 2 + (grid[i - 1] + grid[i + 1] + grid[i - WIDTH] + grid[i + WIDTH]) / 8
buffer_data.write(HERE / "expected.bin", "f32", result)

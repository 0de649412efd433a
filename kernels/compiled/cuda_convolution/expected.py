#!/usr/bin/env python3
"""Writes expected.bin: the filtered image, in whole numbers."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

WIDTH, HEIGHT = 100, 58
WEIGHTS = [
    [1, -2, 3, -2, 1],
    [4, 0, -5, 2, -3],
    [2, 6, 9, -6, 2],
    [0, -1, 7, 3, -4],
    [1, 5, -3, 8, 2],
]
image = buffer_data.pattern("f32", WIDTH * HEIGHT, start=-50, step=1, modulo=101)


def pixel(x, y):
    return image[y * WIDTH + x] if 0 <= x < WIDTH and 0 <= y < HEIGHT else 0.0


def filtered(x, y):
    return sum(weight * pixel(x + dx, y + dy) for dy, row in enumerate(WEIGHTS, -2) for dx, weight in enumerate(row, -2))


buffer_data.write(HERE / "expected.bin", "f32", [filtered(x, y) for y in range(HEIGHT) for x in range(WIDTH)])

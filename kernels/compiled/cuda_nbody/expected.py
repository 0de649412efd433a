#!/usr/bin/env python3
"""Writes expected.bin and expected_large.bin: the accelerations, in double precision."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

SOFTENING = 0.01


def accelerations(count):
    data = buffer_data.random("f32", 4 * count, seed=28, low=-1, high=1)
    bodies = [data[4 * i : 4 * i + 4] for i in range(count)]
    result = []
    for x, y, z, _ in bodies:
        total = [0.0, 0.0, 0.0]
        for other_x, other_y, other_z, mass in bodies:
            offset = (other_x - x, other_y - y, other_z - z)
            factor = mass / (sum(d * d for d in offset) + SOFTENING) ** 1.5
            total = [t + d * factor for t, d in zip(total, offset)]
        result += [*total, 0.0]
    return result


buffer_data.write(HERE / "expected.bin", "f32", accelerations(200))
buffer_data.write(HERE / "expected_large.bin", "f32", accelerations(640))

#!/usr/bin/env python3
"""Writes the roots of unity (roots.bin) and expected.bin, the transforms, in double precision by halves."""

import cmath
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

POINTS, TRANSFORMS = 1024, 4


def parts(values):
    return [part for value in values for part in (value.real, value.imag)]


def transform(values):
    if len(values) == 1:
        return values
    even, odd = transform(values[::2]), transform(values[1::2])
    turned = [cmath.exp(-2j * cmath.pi * i / len(values)) * value for i, value in enumerate(odd)]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]


# Halves of the circle apart, sines and cosines of multiples of a right angle are exact.
roots = [cmath.exp(-2j * cmath.pi * i / POINTS) for i in range(POINTS)]
for i in range(4):
    roots[i * POINTS // 4] = (-1j) ** i
buffer_data.write(HERE / "roots.bin", "f32", parts(roots))
data = buffer_data.random("f32", 2 * POINTS * TRANSFORMS, seed=40, low=-1, high=1)
result = []
for first in range(0, len(data), 2 * POINTS):
    numbers = data[first : first + 2 * POINTS]
    result += transform([complex(x, y) for x, y in zip(numbers[::2], numbers[1::2])])
buffer_data.write(HERE / "expected.bin", "f32", parts(result))

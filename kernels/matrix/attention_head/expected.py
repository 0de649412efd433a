#!/usr/bin/env python3
"""Writes q.bin, k.bin and v.bin, in half precision, and expected.bin: softmax(Q K^T / 8) V in double precision."""

import math
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

QUERIES, KEYS, WIDTH = 64, 128, 64


def matrix(name, rows, seed, divisor):
    """Random multiples of 1 / divisor, in memory and as rows."""
    values = [x / divisor for x in buffer_data.random("s32", rows * WIDTH, seed=seed, low=-16, high=16)]
    (HERE / name).write_bytes(struct.pack(f"<{len(values)}e", *values))
    return [values[row * WIDTH : (row + 1) * WIDTH] for row in range(rows)]


q, k, v = matrix("q.bin", QUERIES, 5, 16), matrix("k.bin", KEYS, 6, 8), matrix("v.bin", KEYS, 7, 8)
out = []
for query in q:
    scores = [sum(x * y for x, y in zip(query, key)) / 8 for key in k]
    largest = max(scores)
    weights = [math.exp(score - largest) for score in scores]
    total = math.fsum(weights)
    out += [math.fsum(weight * value[column] for weight, value in zip(weights, v)) / total for column in range(WIDTH)]
buffer_data.write(HERE / "expected.bin", "f32", out)

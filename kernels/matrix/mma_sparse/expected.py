#!/usr/bin/env python3
"""Writes a.bin, half of a matrix in half precision, positions.bin, where its numbers stand, b.bin and the product."""

import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

M, N, K = 64, 128, 256
PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


def write_halves(name, values):
    (HERE / name).write_bytes(struct.pack(f"<{len(values)}e", *values))


stored = buffer_data.random("s32", M * K // 2, seed=7, low=-8, high=8)
choices = buffer_data.random("s32", M * K // 4, seed=8, low=0, high=len(PAIRS) - 1)
b = buffer_data.random("s32", K * N, seed=9, low=-8, high=8)
words = []
for first in range(0, len(choices), 8):  # eight groups of four columns
    bits = [PAIRS[choice][0] | PAIRS[choice][1] << 2 for choice in choices[first : first + 8]]
    words.append(sum(group << 4 * i for i, group in enumerate(bits)))
write_halves("a.bin", stored)
buffer_data.write(HERE / "positions.bin", "u32", words)
write_halves("b.bin", b)

product = []
for row in range(M):
    sums = [0] * N
    for i in range(K // 2):
        value = stored[row * K // 2 + i]
        column = i // 2 * 4 + PAIRS[choices[(row * K // 2 + i) // 2]][i % 2]
        for n in range(N):
            sums[n] += value * b[column * N + n]
    product += sums
buffer_data.write(HERE / "expected.bin", "f32", product)

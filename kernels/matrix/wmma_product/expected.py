#!/usr/bin/env python3
"""Writes a.bin and b.bin, in half precision, and expected.bin: the product and C, in whole numbers."""

import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

M, N, K = 64, 96, 80


def write_halves(name, values):
    (HERE / name).write_bytes(struct.pack(f"<{len(values)}e", *values))


a = buffer_data.random("s32", M * K, seed=1, low=-8, high=8)
b = buffer_data.random("s32", K * N, seed=2, low=-8, high=8)
c = [-50 + i % 101 for i in range(M * N)]
write_halves("a.bin", a)
write_halves("b.bin", b)
buffer_data.write(HERE / "expected.bin", "f32", [
    c[row * N + column] + sum(a[row * K + i] * b[i * N + column] for i in range(K)) for row in range(M) for column in range(N)])

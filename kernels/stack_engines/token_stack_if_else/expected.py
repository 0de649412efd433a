#!/usr/bin/env python3
"""Makes f.bin, floats that include NaNs, and expected.bin, the squares of the smaller ones."""

import math
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

N = 64

a = buffer_data.random("s32", N, seed=81, low=-1000, high=1000)
b = buffer_data.random("s32", N, seed=82, low=-1000, high=1000)
f = [math.nan if i % 8 == 3 else float(i % 13 - 6) for i in range(N)]
g = buffer_data.pattern("f32", N, start=-16, step=1, modulo=33)
buffer_data.write(HERE / "f.bin", "f32", f)
result = []
for i in range(N):
    result.append((a[i] if a[i] < b[i] else b[i]) ** 2)
    result.append(struct.unpack("<I", struct.pack("<f", (f[i] if f[i] < g[i] else g[i]) ** 2))[0])
buffer_data.write(HERE / "expected.bin", "u32", result)

#!/usr/bin/env python3
"""Writes expected.bin: what the kernel computes without any interruption."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

CTAS, THREADS, MASK = 2, 64, 0xFFFFFFFF

data = buffer_data.random("u32", CTAS * THREADS, seed=81, low=0, high=MASK)
acc, inner, outer, answer = [], [], [], []
for cta in range(CTAS):
    values = data[cta * THREADS:(cta + 1) * THREADS]
    for tid, value in enumerate(values):
        acc.append((~value, 3 * value, ~value, value + 7)[tid % 4] & MASK)
        inner.append(0xAAAAAAAA if tid % 2 else 0)
        outer.append(MASK)
        answer.append(sum(v % 2 for v in values))
buffer_data.write(HERE / "expected.bin", "u32", acc + inner + outer + answer)

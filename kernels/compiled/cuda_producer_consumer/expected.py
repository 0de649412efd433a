#!/usr/bin/env python3
"""Writes expected.bin: the folded value of each consumer thread."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

CTAS, STEPS, SIDE = 4, 25, 64
data = buffer_data.random("u32", CTAS * STEPS * SIDE, seed=30, low=0, high=0xFFFFFFFF)
results = []
for cta in range(CTAS):
    for thread in range(SIDE):
        result = 0
        for step in range(STEPS):
            for i in range(8):
                result = result * 5 + data[(cta * STEPS + step) * SIDE + (thread + 8 * i) % SIDE]
        results.append(result & 0xFFFFFFFF)
buffer_data.write(HERE / "expected.bin", "u32", results)

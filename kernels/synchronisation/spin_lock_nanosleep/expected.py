#!/usr/bin/env python3
"""Writes expected.bin: counter and sum of each CTA."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

CTAS, THREADS, MASK = 2, 128, 0xFFFFFFFF

data = buffer_data.random("u32", CTAS * THREADS, seed=61, low=0, high=MASK)
totals = []
for cta in range(CTAS):
    totals += [THREADS, sum(data[cta * THREADS:(cta + 1) * THREADS]) & MASK]
buffer_data.write(HERE / "expected.bin", "u32", totals)

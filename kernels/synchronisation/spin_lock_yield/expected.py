#!/usr/bin/env python3
"""Writes expected.bin: counter and sum."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

THREADS, ROUNDS, MASK = 128, 2, 0xFFFFFFFF

data = buffer_data.random("u32", THREADS, seed=51, low=0, high=MASK)
buffer_data.write(HERE / "expected.bin", "u32", [THREADS * ROUNDS, sum(data) * ROUNDS & MASK])

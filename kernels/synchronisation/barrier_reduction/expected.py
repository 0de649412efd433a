#!/usr/bin/env python3
"""Writes expected.bin: the six answers, each for every thread."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

THREADS, LIMIT, NEEDLE = 144, 990, 777

data = buffer_data.random("u32", THREADS, seed=8, low=0, high=999)
answers = [
    [sum(x % 2 for x in data)] * THREADS,
    [int(all(x < LIMIT for x in data))] * THREADS,
    [int(NEEDLE in data)] * THREADS,
    [sum(x % 2 for x in data[::2])] * THREADS,
    [1] * THREADS,
    [sum(1 - x % 2 for x in data[:64])] * 64 + [0] * (THREADS - 64),
]
buffer_data.write(HERE / "expected.bin", "u32", [x for answer in answers for x in answer])

#!/usr/bin/env python3
"""Writes expected.bin: the ring, round by round."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

values = buffer_data.random("u32", 100, seed=75, low=0, high=0xFFFFFFFF)
for _ in range(6):
    values = [(3 * value + values[(i + 1) % len(values)]) % 2**32 for i, value in enumerate(values)]
buffer_data.write(HERE / "expected.bin", "u32", values)

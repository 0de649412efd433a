#!/usr/bin/env python3
"""Writes expected.bin and expected_large.bin: sum (low and high half), largest value and number of updates."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

for name, count in (("expected.bin", 192), ("expected_large.bin", 768)):
    values = buffer_data.random("u32", count, seed=31, low=0, high=0xFFFFFFFF)
    total = sum(values)
    buffer_data.write(HERE / name, "u32", [total & 0xFFFFFFFF, total >> 32, max(values), len(values)])

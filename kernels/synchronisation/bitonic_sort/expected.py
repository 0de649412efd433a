#!/usr/bin/env python3
"""Writes expected.bin: the data in ascending order."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

data = buffer_data.random("u32", 2048, seed=5, low=0, high=0xFFFFFFFF)
buffer_data.write(HERE / "expected.bin", "u32", sorted(data))

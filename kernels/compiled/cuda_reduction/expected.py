#!/usr/bin/env python3
"""Writes expected.bin: the sum."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

data = buffer_data.random("s32", 50000, seed=11, low=-100000, high=100000)
buffer_data.write(HERE / "expected.bin", "s32", [buffer_data.wrap("s32", sum(data))])

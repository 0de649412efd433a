#!/usr/bin/env python3
"""Writes expected.bin: the prefix sums."""

from itertools import accumulate
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

data = buffer_data.random("s32", 10000, seed=12, low=-1000, high=3000)
buffer_data.write(HERE / "expected.bin", "s32", list(accumulate(data)))

#!/usr/bin/env python3
"""Writes expected.bin: sum (low and high half), largest value and number of updates."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
import smsim_data  # noqa: E402

values = smsim_data.random("u32", 192, seed=31, low=0, high=0xFFFFFFFF)
total = sum(values)
smsim_data.write(HERE / "expected.bin", "u32", [total & 0xFFFFFFFF, total >> 32, max(values), len(values)])

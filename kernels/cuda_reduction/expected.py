#!/usr/bin/env python3
"""Writes expected.bin: the sum."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
import smsim_data  # noqa: E402

data = smsim_data.random("s32", 50000, seed=11, low=-100000, high=100000)
smsim_data.write(HERE / "expected.bin", "s32", [smsim_data.wrap("s32", sum(data))])

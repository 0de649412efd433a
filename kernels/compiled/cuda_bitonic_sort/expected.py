#!/usr/bin/env python3
"""Writes expected.bin: the numbers in order."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

buffer_data.write(HERE / "expected.bin", "s32", sorted(buffer_data.random("s32", 2048, seed=24, low=-2000, high=2000)))

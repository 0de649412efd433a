#!/usr/bin/env python3
"""Writes expected.bin: the binary digits of the data, read as decimal ones."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

data = buffer_data.random("u32", 64, seed=84, low=0, high=255)
buffer_data.write(HERE / "expected.bin", "u32", [int(f"{x:b}") for x in data])

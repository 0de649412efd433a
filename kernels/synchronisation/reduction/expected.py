#!/usr/bin/env python3
"""Writes expected.bin: the sum of the data modulo 2^32."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

N = 65500

data = buffer_data.random("u32", N, seed=3, low=0, high=0xFFFFFFFF)
buffer_data.write(HERE / "expected.bin", "u32", [sum(data) % 2**32])

#!/usr/bin/env python3
"""Writes expected.bin: the number of bytes of each value."""

import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

counts = Counter(buffer_data.random("u8", 40000, seed=4, low=0, high=199))
buffer_data.write(HERE / "expected.bin", "u32", [counts[value] for value in range(256)])

#!/usr/bin/env python3
"""Writes expected.bin: sums of ones and twos."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

ways = [1, 1]
while len(ways) < 11:
    ways.append(ways[-1] + ways[-2])
buffer_data.write(HERE / "expected.bin", "u32", [ways[n % 11] for n in range(32)])

#!/usr/bin/env python3
"""Writes the sorted keys (expected.bin) and the places where they were before (expected_values.bin)."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

SEGMENT, SEGMENTS, BITS = 2048, 2, 12
keys = buffer_data.random("u32", SEGMENT * SEGMENTS, seed=41, low=0, high=0xFFFFFFFF)
order = []
for first in range(0, len(keys), SEGMENT):
    order += sorted(range(first, first + SEGMENT), key=lambda place: keys[place] % (1 << BITS))
buffer_data.write(HERE / "expected.bin", "u32", [keys[place] for place in order])
buffer_data.write(HERE / "expected_values.bin", "u32", order)

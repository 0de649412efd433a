#!/usr/bin/env python3
"""Writes expected*.bin and expected*_sums.bin: number and sum of the different keys of each bucket."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402


def write(name, count, largest):
    buckets = [set() for _ in range(32)]
    for key in buffer_data.random("u32", count, seed=29, low=0, high=largest):
        # Multiplicative hashing: the upper five bits of the product with 2^32 divided by the golden ratio.
        buckets[(key * 2654435761 & 0xFFFFFFFF) >> 27].add(key)
    buffer_data.write(HERE / f"{name}.bin", "u32", [len(keys) for keys in buckets])
    buffer_data.write(HERE / f"{name}_sums.bin", "u32", [sum(keys) for keys in buckets])


write("expected", 500, 399)
write("expected_large", 1500, 1199)

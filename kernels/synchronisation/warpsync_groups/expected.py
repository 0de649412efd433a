#!/usr/bin/env python3
"""Writes expected.bin, the results per thread, and expected_total.bin, their sums per warp."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

THREADS, WARP, MASK = 96, 32, 0xFFFFFFFF


def walk(value, steps, factor, addend):
    """`steps` rounds of a linear congruential generator."""
    for _ in range(steps):
        value = (value * factor + addend) & MASK
    return value


all_keys = buffer_data.random("u8", THREADS, seed=71, low=0, high=7)
data = buffer_data.random("u32", THREADS, seed=72, low=0, high=MASK)
results, totals = [], []
for first in range(0, THREADS, WARP):
    keys = all_keys[first:first + WARP]
    values = [walk(v, v % 16 + 1, 0x19660D, 1) for v in data[first:first + WARP]]
    sums = [sum(v for v, other in zip(values, keys) if other % 4 == key % 4) & MASK for key in keys]
    values = [walk(v, v % 8 + 1, 0x10DCD, s) for v, s in zip(values, sums)]
    warp_results = []
    for lane, key in enumerate(keys):
        ring = [other for other in range(WARP) if keys[other] == key]
        following = ring[(ring.index(lane) + 1) % len(ring)]
        warp_results.append((3 * values[following] + sums[lane]) & MASK)
    results += warp_results
    totals.append(sum(warp_results) & MASK)
buffer_data.write(HERE / "expected.bin", "u32", results)
buffer_data.write(HERE / "expected_total.bin", "u32", totals)

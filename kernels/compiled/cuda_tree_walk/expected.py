#!/usr/bin/env python3
"""Writes the tree (nodes.bin) and expected.bin: for each number the value found, by a search in the sorted keys, and the depth."""

import bisect
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

NUMBERS = 1500
# Keys in the order of insertion; duplicates are left out.
keys = list(dict.fromkeys(buffer_data.random("s32", 1120, seed=49, low=0, high=5000)))[:1000]
value_of = {key: 7 * place + 1 for place, key in enumerate(keys)}
left, right, parent = {}, {}, {}
for key in keys[1:]:
    node = keys[0]
    while True:
        side = left if key < node else right
        if node not in side:
            side[node] = key
            parent[key] = node
            break
        node = side[node]
place_of = {key: place for place, key in enumerate(keys)}
nodes = [(key, value_of[key], place_of.get(left.get(key), -1), place_of.get(right.get(key), -1)) for key in keys]
buffer_data.write(HERE / "nodes.bin", "s32", [number for node in nodes for number in node])


def depth_of(key):
    return 1 + depth_of(parent[key]) if key in parent else 1


ordered = sorted(keys)
result = []
for number in buffer_data.random("s32", NUMBERS, seed=50, low=-20, high=5200):
    above = bisect.bisect_right(ordered, number)
    below = ordered[above - 1] if above else None
    result.append(value_of[below] if above else -1)
    if below == number:
        result.append(depth_of(number))
    else:
        # The path ends below the deeper of the neighbours.
        neighbours = ([below] if above else []) + ordered[above : above + 1]
        result.append(max(depth_of(key) for key in neighbours))
buffer_data.write(HERE / "expected.bin", "s32", result)

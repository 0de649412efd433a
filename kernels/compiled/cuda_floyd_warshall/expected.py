#!/usr/bin/env python3
"""Writes the lengths of the edges (lengths.bin) and expected.bin, those of the shortest paths, by a search from each node."""

import heapq
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

NODES, NONE = 44, 1 << 29
kinds = buffer_data.random("s32", NODES * NODES, seed=51, low=0, high=19)
lengths = buffer_data.random("s32", NODES * NODES, seed=52, low=1, high=99)
for place, kind in enumerate(kinds):
    row, column = divmod(place, NODES)
    if row == column:
        lengths[place] = 0
    elif kind > 1:
        lengths[place] = NONE
buffer_data.write(HERE / "lengths.bin", "s32", lengths)


def shortest(start):
    best = [NONE] * NODES
    waiting = [(0, start)]
    while waiting:
        length, node = heapq.heappop(waiting)
        if best[node] != NONE:
            continue
        best[node] = length
        for other in range(NODES):
            if best[other] == NONE and lengths[node * NODES + other] != NONE:
                heapq.heappush(waiting, (length + lengths[node * NODES + other], other))
    return best


buffer_data.write(HERE / "expected.bin", "s32", [length for start in range(NODES) for length in shortest(start)])

#!/usr/bin/env python3
"""Writes the graph (offsets.bin, targets.bin), the distances before (distance.bin) and after (expected.bin), and the
number of nodes of each level (expected_levels.bin)."""

from collections import Counter, deque
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

NODES, UNKNOWN = 1500, 0xFFFFFFFF
degrees = buffer_data.random("u32", NODES, seed=18, low=0, high=7)
degrees[0] = 3
offsets = [0]
for degree in degrees:
    offsets.append(offsets[-1] + degree)
# Edges lead at most 150 nodes away, so that there are many levels.
jumps = buffer_data.random("u32", offsets[-1], seed=19, low=0, high=300)
sources = [node for node in range(NODES) for _ in range(degrees[node])]
targets = [(source + jump - 150) % NODES for source, jump in zip(sources, jumps)]

distance = [UNKNOWN] * NODES
distance[0] = 0
buffer_data.write(HERE / "offsets.bin", "u32", offsets)
buffer_data.write(HERE / "targets.bin", "u32", targets)
buffer_data.write(HERE / "distance.bin", "u32", distance)

waiting = deque([0])
while waiting:
    node = waiting.popleft()
    for target in targets[offsets[node] : offsets[node + 1]]:
        if distance[target] == UNKNOWN:
            distance[target] = distance[node] + 1
            waiting.append(target)
levels = Counter(distance)
buffer_data.write(HERE / "expected.bin", "u32", distance)
buffer_data.write(HERE / "expected_levels.bin", "u32", [levels[level] for level in range(64)])

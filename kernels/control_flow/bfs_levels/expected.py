#!/usr/bin/env python3
"""Makes a graph on a grid of 32 x 32 nodes with some edges missing (offsets.bin, targets.bin), the state of a search before
its first level (frontier.bin, distance.bin), and the distances of all nodes from node 0 (expected.bin)."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

SIDE = 32
NODES = SIDE * SIDE
UNKNOWN = 0xFFFFFFFF


def make_graph():
    """Neighbour lists: the four neighbours on the grid, one edge in eight left out."""
    graph = []
    for node in range(NODES):
        x, y = node % SIDE, node // SIDE
        near = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        graph.append([b * SIDE + a for i, (a, b) in enumerate(near)
                      if 0 <= a < SIDE and 0 <= b < SIDE and buffer_data.random_word(9, 4 * node + i) % 8])
    return graph


def search(graph):
    """Distances from node 0."""
    distance = [UNKNOWN] * NODES
    distance[0] = 0
    frontier = [0]
    while frontier:
        found = []
        for node in frontier:
            for target in graph[node]:
                if distance[target] == UNKNOWN:
                    distance[target] = distance[node] + 1
                    found.append(target)
        frontier = found
    return distance


graph = make_graph()
offsets = [0]
for neighbours in graph:
    offsets.append(offsets[-1] + len(neighbours))
buffer_data.write(HERE / "offsets.bin", "u32", offsets)
buffer_data.write(HERE / "targets.bin", "u32", [target for neighbours in graph for target in neighbours])
buffer_data.write(HERE / "frontier.bin", "u8", [1] + [0] * (NODES - 1))
buffer_data.write(HERE / "distance.bin", "u32", [0] + [UNKNOWN] * (NODES - 1))
buffer_data.write(HERE / "expected.bin", "u32", search(graph))

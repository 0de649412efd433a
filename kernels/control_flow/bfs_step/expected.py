#!/usr/bin/env python3
"""Makes the graph and its state after four levels (offsets, targets, frontier, distance .bin) and the state after the
fifth (expected.bin: distances; expected_next.bin: frontier; expected_found.bin: number of nodes found)."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

NODES = 1000
LEVEL = 5
UNKNOWN = 0xFFFFFFFF


def make_graph():
    """Neighbour lists: mostly 0 to 6 edges per node, one node in 16 with up to 40."""
    graph = []
    for node in range(NODES):
        word = buffer_data.random_word(6, node)
        degree = word % 7 if word >> 60 else 8 + word % 33
        degree = max(degree, 4) if node == 0 else degree
        graph.append([buffer_data.random_word(7 + node, e) % NODES for e in range(degree)])
    return graph


def step(graph, distance, frontier, level):
    """One level: sets the distances of the nodes that are found and returns them."""
    found = []
    for node in frontier:
        for target in graph[node]:
            if distance[target] == UNKNOWN:
                distance[target] = level
                found.append(target)
    return found


def flags(nodes):
    """One byte per node, 1 for those given."""
    members = set(nodes)
    return [int(node in members) for node in range(NODES)]


graph = make_graph()
distance = [UNKNOWN] * NODES
distance[0] = 0
frontier = [0]
for level in range(1, LEVEL):
    frontier = step(graph, distance, frontier, level)

offsets = [0]
for targets in graph:
    offsets.append(offsets[-1] + len(targets))
buffer_data.write(HERE / "offsets.bin", "u32", offsets)
buffer_data.write(HERE / "targets.bin", "u32", [target for targets in graph for target in targets])
buffer_data.write(HERE / "frontier.bin", "u8", flags(frontier))
buffer_data.write(HERE / "distance.bin", "u32", distance)

found = step(graph, distance, frontier, LEVEL)
buffer_data.write(HERE / "expected.bin", "u32", distance)
buffer_data.write(HERE / "expected_next.bin", "u8", flags(found))
buffer_data.write(HERE / "expected_found.bin", "u32", [len(found)])

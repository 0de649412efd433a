#!/usr/bin/env python3
"""Writes expected.bin, the factors by Doolittle's row-wise sums, and expected_inverse.bin, by forward substitution."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

SIZE, MATRICES = 24, 8


def decompose(a):
    """Lower and upper factor, element by element from the definition."""
    lower = [[float(i == j) for j in range(SIZE)] for i in range(SIZE)]
    upper = [[0.0] * SIZE for _ in range(SIZE)]
    for i in range(SIZE):
        for j in range(SIZE):
            rest = a[i][j] - sum(lower[i][p] * upper[p][j] for p in range(min(i, j)))
            if j < i:
                lower[i][j] = rest / upper[j][j]
            else:
                upper[i][j] = rest
    return lower, upper


def invert(lower):
    """Solves lower x = e for each unit vector e."""
    columns = []
    for j in range(SIZE):
        x = []
        for i in range(SIZE):
            x.append(float(i == j) - sum(lower[i][p] * x[p] for p in range(i)))
        columns.append(x)
    return [[columns[j][i] for j in range(SIZE)] for i in range(SIZE)]


data = buffer_data.random("f32", MATRICES * SIZE * SIZE, seed=15, low=-1, high=1)
factors, inverses = [], []
for m in range(MATRICES):
    words = data[m * SIZE * SIZE : (m + 1) * SIZE * SIZE]
    matrix = [[words[i * SIZE + j] + (SIZE if i == j else 0) for j in range(SIZE)] for i in range(SIZE)]
    low, up = decompose(matrix)
    factors += [low[i][j] if j < i else up[i][j] for i in range(SIZE) for j in range(SIZE)]
    inverses += [x for row in invert(low) for x in row]
buffer_data.write(HERE / "expected.bin", "f32", factors)
buffer_data.write(HERE / "expected_inverse.bin", "f32", inverses)

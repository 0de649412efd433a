#!/usr/bin/env python3
"""Makes a matrix that needs no pivoting (matrix.bin) and its LU decomposition in double precision (expected.bin)."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

N = 24

values = buffer_data.random("f32", N * N, seed=21, low=-1, high=1)
matrix = [[values[row * N + column] + (N if row == column else 0) for column in range(N)] for row in range(N)]
buffer_data.write(HERE / "matrix.bin", "f32", [value for row in matrix for value in row])
for k in range(N):
    for row in range(k + 1, N):
        matrix[row][k] /= matrix[k][k]
        for column in range(k + 1, N):
            matrix[row][column] -= matrix[row][k] * matrix[k][column]
buffer_data.write(HERE / "expected.bin", "f32", [value for row in matrix for value in row])

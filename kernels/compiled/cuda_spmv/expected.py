#!/usr/bin/env python3
"""Writes the matrix (offsets.bin, columns.bin, values.bin) and expected.bin, its product with the vector."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

ROWS, COLUMNS = 1000, 800
# Most rows are short, one in eight has up to 60 elements.
kinds = buffer_data.random("u32", ROWS, seed=20, low=0, high=7)
lengths = [n % 61 if kind == 0 else n % 7 for kind, n in zip(kinds, buffer_data.random("u32", ROWS, seed=21, low=0, high=9999))]
offsets = [0]
for length in lengths:
    offsets.append(offsets[-1] + length)
columns = buffer_data.random("s32", offsets[-1], seed=22, low=0, high=COLUMNS - 1)
values = [float(v) for v in buffer_data.random("s32", offsets[-1], seed=23, low=-9, high=9)]
buffer_data.write(HERE / "offsets.bin", "s32", offsets)
buffer_data.write(HERE / "columns.bin", "s32", columns)
buffer_data.write(HERE / "values.bin", "f32", values)

x = buffer_data.pattern("f32", COLUMNS, start=-9, step=1, modulo=19)
product = [sum(values[i] * x[columns[i]] for i in range(offsets[row], offsets[row + 1])) for row in range(ROWS)]
buffer_data.write(HERE / "expected.bin", "f32", product)

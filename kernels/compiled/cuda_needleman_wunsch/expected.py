#!/usr/bin/env python3
"""Writes expected.bin: the tables of scores, without their first row and column."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

LENGTH, PAIRS = 96, 3
MATCH, MISMATCH, GAP = 3, -2, -4
first = buffer_data.random("u8", PAIRS * LENGTH, seed=16, low=0, high=3)
second = buffer_data.random("u8", PAIRS * LENGTH, seed=17, low=0, high=3)
scores = []
for pair in range(PAIRS):
    above = [GAP * column for column in range(LENGTH + 1)]
    for i in range(LENGTH):
        row = [GAP * (i + 1)]
        for j in range(LENGTH):
            same = first[pair * LENGTH + i] == second[pair * LENGTH + j]
            row.append(max(above[j] + (MATCH if same else MISMATCH), above[j + 1] + GAP, row[j] + GAP))
        scores += row[1:]
        above = row
buffer_data.write(HERE / "expected.bin", "s32", scores)

#!/usr/bin/env python3
"""Writes expected.bin: running sums over the rounds of the squares, words of a round in reverse order."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

CTAS, ROUNDS, WORDS = 3, 16, 64

data = buffer_data.random("u32", CTAS * ROUNDS * WORDS, seed=9, low=0, high=0xFFFFFFFF)
sums = []
for cta in range(CTAS):
    running = [0] * WORDS
    for turn in range(ROUNDS):
        begin = (cta * ROUNDS + turn) * WORDS
        values = reversed(data[begin : begin + WORDS])
        running = [(total + value * value) % 2**32 for total, value in zip(running, values)]
        sums += running
buffer_data.write(HERE / "expected.bin", "u32", sums)

#!/usr/bin/env python3
"""Writes expected.bin: the number of each thread after all rounds."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

THREADS, ROUNDS, MASK = 256, 12, 0xFFFFFFFF


def rotate(value, parameter):
    by = parameter % 31 + 1
    return (value << by | value >> (32 - by)) & MASK


def collatz(value, parameter):
    number, steps = value % 64 + 1, 0
    while number != 1:
        number, steps = (3 * number + 1 if number % 2 else number // 2), steps + 1
    return (value + steps * parameter) & MASK


FUNCTIONS = [
    lambda value, parameter: (value + parameter) & MASK,
    rotate,
    lambda value, parameter: int(f"{value:032b}"[::-1], 2) ^ parameter,
    lambda value, parameter: value // (parameter % 97 + 1),
    collatz,
    lambda value, parameter: rotate(rotate(value, parameter), parameter // 2),
]
choices = buffer_data.random("u8", THREADS * ROUNDS, seed=32, low=0, high=5)
parameters = buffer_data.random("u32", ROUNDS, seed=33, low=0, high=MASK)
results = []
for thread in range(THREADS):
    word = thread * 2654435761 & MASK
    for turn in range(ROUNDS):
        word = FUNCTIONS[choices[turn * THREADS + thread]](word, parameters[turn])
    results.append(word)
buffer_data.write(HERE / "expected.bin", "u32", results)

#!/usr/bin/env python3
"""Writes x.bin and w.bin, in bfloat16, and expected.bin: the results, rounded to bfloat16."""

import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

BATCH, INPUTS, OUTPUTS = 32, 48, 64


def bfloat16(value):
    """The bits of a whole number rounded to nearest even."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


x = buffer_data.random("s32", BATCH * INPUTS, seed=8, low=-12, high=12)
w = buffer_data.random("s32", INPUTS * OUTPUTS, seed=9, low=-12, high=12)
buffer_data.write(HERE / "x.bin", "u16", [bfloat16(value) for value in x])
buffer_data.write(HERE / "w.bin", "u16", [bfloat16(value) for value in w])
buffer_data.write(HERE / "expected.bin", "u16", [
    bfloat16(max(column - 30 + sum(x[row * INPUTS + i] * w[i * OUTPUTS + column] for i in range(INPUTS)), 0))
    for row in range(BATCH) for column in range(OUTPUTS)])

#!/usr/bin/env python3
"""Writes image.bin and filter.bin, in half precision, and expected.bin: the convolution, in whole numbers."""

import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

CHANNELS, WIDTH, HEIGHT = 16, 16, 8
ROW = (WIDTH + 2) * CHANNELS


def write_halves(name, values):
    (HERE / name).write_bytes(struct.pack(f"<{len(values)}e", *values))


image = buffer_data.random("s32", (HEIGHT + 2) * ROW, seed=10, low=-6, high=6)
weights = buffer_data.random("s32", 9 * CHANNELS * CHANNELS, seed=11, low=-6, high=6)
write_halves("image.bin", image)
write_halves("filter.bin", weights)
buffer_data.write(HERE / "expected.bin", "f32", [
    sum(image[(row + place // 3) * ROW + (column + place % 3) * CHANNELS + source]
        * weights[(place * CHANNELS + source) * CHANNELS + channel]
        for place in range(9) for source in range(CHANNELS))
    for row in range(HEIGHT) for column in range(WIDTH) for channel in range(CHANNELS)])

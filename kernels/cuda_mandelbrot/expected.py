#!/usr/bin/env python3
"""Writes expected.bin: the iterations. A sum or product of two singles in double precision, rounded to single, is the
correctly rounded one."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
import smsim_data  # noqa: E402

WIDTH, HEIGHT, LIMIT = 90, 60, 96
LEFT, TOP, STEP = -2.25, 1.0, smsim_data.round_f32(0.0334)
rounded = smsim_data.round_f32


def iterations(re, im):
    x = y = 0.0
    for count in range(LIMIT):
        xx, yy, xy = rounded(x * x), rounded(y * y), rounded(x * y)
        if rounded(xx + yy) > 4:
            return count
        x, y = rounded(rounded(xx - yy) + re), rounded(rounded(xy + xy) + im)
    return LIMIT


counts = []
for row in range(HEIGHT):
    for column in range(WIDTH):
        counts.append(iterations(rounded(LEFT + rounded(column * STEP)), rounded(TOP - rounded(row * STEP))))
smsim_data.write(HERE / "expected.bin", "s32", counts)

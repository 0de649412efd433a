#!/usr/bin/env python3
"""Writes expected.bin and expected_large.bin: the iterations. A sum or product of two singles in double precision, rounded to single, is the
correctly rounded one."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

LIMIT = 96
LEFT, TOP = -2.25, 1.0
rounded = buffer_data.round_f32


def iterations(re, im):
    x = y = 0.0
    for count in range(LIMIT):
        xx, yy, xy = rounded(x * x), rounded(y * y), rounded(x * y)
        if rounded(xx + yy) > 4:
            return count
        x, y = rounded(rounded(xx - yy) + re), rounded(rounded(xy + xy) + im)
    return LIMIT


def picture(width, height, step):
    rows = [rounded(TOP - rounded(row * step)) for row in range(height)]
    columns = [rounded(LEFT + rounded(column * step)) for column in range(width)]
    return [iterations(re, im) for im in rows for re in columns]


buffer_data.write(HERE / "expected.bin", "s32", picture(90, 60, rounded(0.0334)))
buffer_data.write(HERE / "expected_large.bin", "s32", picture(180, 120, rounded(0.0167)))

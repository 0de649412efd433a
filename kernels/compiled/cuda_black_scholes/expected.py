#!/usr/bin/env python3
"""Writes expected.bin and expected_put.bin: the prices, in double precision with the error function."""

import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

COUNT, RATE, VOLATILITY = 5000, 0.02, 0.30


def normal_distribution(x):
    return math.erfc(-x / math.sqrt(2)) / 2


calls, puts = [], []
for price, strike, years in zip(
    buffer_data.random("f32", COUNT, seed=25, low=5, high=100),
    buffer_data.random("f32", COUNT, seed=26, low=1, high=100),
    buffer_data.random("f32", COUNT, seed=27, low=0.25, high=10),
):
    spread = VOLATILITY * math.sqrt(years)
    d1 = (math.log(price / strike) + (RATE + VOLATILITY**2 / 2) * years) / spread
    d2 = d1 - spread
    discounted = strike * math.exp(-RATE * years)
    calls.append(price * normal_distribution(d1) - discounted * normal_distribution(d2))
    puts.append(discounted * normal_distribution(-d2) - price * normal_distribution(-d1))
buffer_data.write(HERE / "expected.bin", "f32", calls)
buffer_data.write(HERE / "expected_put.bin", "f32", puts)

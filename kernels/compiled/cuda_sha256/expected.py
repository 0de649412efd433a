#!/usr/bin/env python3
"""Writes the messages (offsets.bin, bytes.bin) and expected.bin, their digests in words."""

import hashlib
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

MESSAGES, LONGEST = 250, 119
lengths = buffer_data.random("s32", MESSAGES, seed=47, low=0, high=LONGEST)
# Where a block ends and the length no longer fits.
lengths[:8] = [0, 55, 56, 63, 64, 118, 119, 3]
offsets = [0]
for length in lengths:
    offsets.append(offsets[-1] + length)
data = bytes(buffer_data.random("u8", offsets[-1], seed=48, low=0, high=255))
digests = [hashlib.sha256(data[first:end]).digest() for first, end in zip(offsets, offsets[1:])]
buffer_data.write(HERE / "offsets.bin", "s32", offsets)
buffer_data.write(HERE / "bytes.bin", "u8", data)
buffer_data.write(HERE / "expected.bin", "u32", [word for digest in digests for word in struct.unpack(">8I", digest)])

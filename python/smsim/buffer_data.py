#!/usr/bin/env python3
"""Contents of launch-file buffers, for scripts that compute expected results.

The same formulas as the `init:` entries of a launch file (docs/launch-files.md), bit for bit, in pure Python:

    from smsim import buffer_data
    a = buffer_data.random("f32", 65536, seed=1, low=-8, high=8)
    b = buffer_data.pattern("u32", 64, start=0, step=1, modulo=7)
    buffer_data.write("expected.bin", "f32", [2 * x for x in a])

From the shell: buffer_data.py random f32 65536 --seed 1 --low -8 --high 8 > a.bin
"""

import argparse
import struct
import sys

# struct letter and bits of each element type
TYPES = {
    "u8": ("B", 8), "u16": ("H", 16), "u32": ("I", 32), "u64": ("Q", 64),
    "s8": ("b", 8), "s16": ("h", 16), "s32": ("i", 32), "s64": ("q", 64),
    "f32": ("f", 32), "f64": ("d", 64),
}
MASK = (1 << 64) - 1


def random_word(seed, index):
    """The index-th output of splitmix64 with the state `seed`."""
    word = (seed + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)


def round_f32(value):
    """`value` rounded to single precision; beyond its range, infinity."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def wrap(element_type, value):
    """An integer reduced to the width of its type."""
    bits = TYPES[element_type][1]
    value &= (1 << bits) - 1
    if element_type[0] == "s" and value >> (bits - 1):
        value -= 1 << bits
    return value


def random(element_type, count, seed, low, high):
    """`count` elements, uniform in [low, high], from splitmix64 of (seed, index)."""
    if element_type[0] == "f":
        if element_type == "f32":
            low, high, shift, bits = round_f32(low), round_f32(high), 40, 24
        else:
            low, high, shift, bits = float(low), float(high), 11, 53
        values = [low + (high - low) * ((random_word(seed, i) >> shift) / 2.0**bits) for i in range(count)]
        return [round_f32(v) for v in values] if element_type == "f32" else values
    span = high - low + 1
    return [low + random_word(seed, i) % span for i in range(count)]


def pattern(element_type, count, start=0, step=0, modulo=0):
    """`count` elements start + step * (i mod modulo); modulo 0: start + step * i."""
    factors = [i % modulo if modulo else i for i in range(count)]
    if element_type == "f32":
        start, step = round_f32(start), round_f32(step)
        return [round_f32(start + step * float(f)) for f in factors]
    if element_type == "f64":
        return [float(start) + float(step) * float(f) for f in factors]
    return [wrap(element_type, start + step * f) for f in factors]


def pack(element_type, values):
    """The elements as bytes, little endian."""
    return struct.pack("<%d%s" % (len(values), TYPES[element_type][0]), *values)


def write(path, element_type, values):
    """Writes the elements to a file."""
    with open(path, "wb") as stream:
        stream.write(pack(element_type, values))


def number(text):
    """An integer when it is one, else a float."""
    try:
        return int(text, 0)
    except ValueError:
        return float(text)


def main():
    """Writes one buffer to standard output."""
    parser = argparse.ArgumentParser(description="Writes the contents of a launch-file buffer to standard output.")
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind, options in (("random", ("seed", "low", "high")), ("pattern", ("start", "step", "modulo"))):
        sub = kinds.add_parser(kind)
        sub.add_argument("type", choices=sorted(TYPES))
        sub.add_argument("count", type=int)
        for option in options:
            sub.add_argument("--" + option, type=number, default=0, required=kind == "random")
    arguments = vars(parser.parse_args())
    make = random if arguments.pop("kind") == "random" else pattern
    element_type = arguments.pop("type")
    values = make(element_type, arguments.pop("count"), **arguments)
    sys.stdout.buffer.write(pack(element_type, values))


if __name__ == "__main__":
    main()

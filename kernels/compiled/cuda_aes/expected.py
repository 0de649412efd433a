#!/usr/bin/env python3
"""Writes the round keys (keys.bin), the text (text.bin) and expected.bin, the text encrypted according to FIPS-197, byte by byte."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

BLOCKS, ROUNDS = 900, 10


def product(a, b):
    """Product in the field of 256 elements modulo x^8 + x^4 + x^3 + x + 1."""
    result = 0
    while b:
        result ^= a * (b & 1)
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return result


def substituted(x):
    inverse = next((y for y in range(256) if product(x, y) == 1), 0)
    bits = [inverse >> i & 1 for i in range(8)]
    return sum((bits[i] ^ bits[(i + 4) % 8] ^ bits[(i + 5) % 8] ^ bits[(i + 6) % 8] ^ bits[(i + 7) % 8] ^ (0x63 >> i & 1)) << i
               for i in range(8))


SUBSTITUTION = [substituted(x) for x in range(256)]
DOUBLE, TRIPLE = [product(x, 2) for x in range(256)], [product(x, 3) for x in range(256)]


def expand(key):
    """All round keys, one after the other."""
    words = [list(key[i : i + 4]) for i in range(0, 16, 4)]
    constant = 1
    while len(words) < 4 * (ROUNDS + 1):
        word = words[-1]
        if len(words) % 4 == 0:
            word = [SUBSTITUTION[x] for x in word[1:] + word[:1]]
            word[0] ^= constant
            constant = product(constant, 2)
        words.append([x ^ y for x, y in zip(word, words[-4])])
    return bytes(x for word in words for x in word)


def encrypt(block, keys):
    """State byte r + 4 c is row r of column c."""
    state = [x ^ k for x, k in zip(block, keys)]
    for number in range(1, ROUNDS + 1):
        state = [SUBSTITUTION[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]  # rows shifted
        if number < ROUNDS:
            columns = [state[i : i + 4] for i in range(0, 16, 4)]
            state = [DOUBLE[s[r]] ^ TRIPLE[s[(r + 1) % 4]] ^ s[(r + 2) % 4] ^ s[(r + 3) % 4] for s in columns for r in range(4)]
        state = [x ^ k for x, k in zip(state, keys[16 * number :])]
    return bytes(state)


# FIPS-197: the example of appendix B, then that of C.1.
appendix_b = encrypt(bytes.fromhex("3243f6a8885a308d313198a2e0370734"), expand(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")))
assert appendix_b.hex() == "3925841d02dc09fbdc118597196a0b32"
round_keys = expand(bytes(range(16)))
text = bytes.fromhex("00112233445566778899aabbccddeeff")
assert encrypt(text, round_keys).hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"

text += bytes(buffer_data.random("u8", 16 * (BLOCKS - 1), seed=46, low=0, high=255))
buffer_data.write(HERE / "keys.bin", "u8", round_keys)
buffer_data.write(HERE / "text.bin", "u8", text)
buffer_data.write(HERE / "expected.bin", "u8", b"".join(encrypt(text[i : i + 16], round_keys) for i in range(0, len(text), 16)))

#!/usr/bin/env python3
"""Writes expected.bin: the result of each thread's program."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from smsim import buffer_data  # noqa: E402

THREADS, LENGTH, MASK = 256, 24, 0xFFFFFFFF


class Machine:
    """One thread: accumulator a, register b, four words of memory."""

    def __init__(self, thread):
        self.a, self.b, self.memory, self.skip = thread + 1, 7 * thread + 3, [1, 2, 3, 5], 0

    def step(self, operation, n):
        """Runs one instruction; True when it ends the program."""
        a, b, memory = self.a, self.b, self.memory
        if operation == 15:
            self.b = (b - n) & MASK if a % 16 != 5 else b
            return a % 16 == 5
        if operation == 6:
            memory[n % 4] = a
        elif operation == 13:
            memory[b % 4] ^= n
        elif operation == 11:
            self.skip = a % 3
        elif operation == 14:
            for k in range(n % 5):
                self.a = self.a * 3 + k
        elif operation in (4, 5, 10):
            self.b = {4: a, 5: b + (a >> n % 8), 10: bin(a).count("1") + n}[operation]
        else:
            self.a = {
                0: a + n,
                1: a - b,
                2: a * (2 * n + 1),
                3: a ^ b,
                7: a + memory[n % 4],
                8: abs(a - b),
                9: a // (n + 1),
                12: int(f"{a:032b}"[::-1], 2),
            }[operation]
        self.a &= MASK
        self.b &= MASK
        return False

    def run(self, program):
        for word in program:
            if self.skip > 0:
                self.skip -= 1
            elif self.step(word & 15, word >> 4 & 255):
                return self.a ^ self.b
        weighted = sum(weight * word for weight, word in zip((1, 3, 5, 7), self.memory))
        return (self.a + self.b + weighted) & MASK


programs = buffer_data.random("u32", THREADS * LENGTH, seed=34, low=0, high=4095)
results = [Machine(i).run(programs[i * LENGTH : (i + 1) * LENGTH]) for i in range(THREADS)]
buffer_data.write(HERE / "expected.bin", "u32", results)

#!/usr/bin/python3
"""The results of matrix instructions on an H100 (tb/silicon/tensor/h100.txt) equal those of the rules, in all bits, and the operands are
such that other rules would fail."""
import dataclasses
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tb"))
from silicon.tensor import operands, reference  # noqa: E402

MEASURED = ROOT / "tb/silicon/tensor/h100.txt"
FP8 = [kind for kind in operands.KINDS.values() if kind.a.width == 8]
DIRECT = [kind for kind in operands.KINDS.values() if kind.a.width > 8]


def measured():
    """D of each tile, row by row, by kind and number."""
    found = {}
    for line in MEASURED.read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            kind, number, *elements = line.split()
            found[kind, int(number)] = [int(element, 16) for element in elements]
    return found


def differences(kind, rule, numbers=range(operands.TILES)):
    """Elements of the tiles for which a rule gives different bits from the GPU: (tile, row, column, rule's, GPU's)."""
    wrong = []
    for number in numbers:
        a, b, c = operands.tile(kind, number)
        columns = list(zip(*b))
        for row in range(operands.ROWS):
            for column in range(operands.COLUMNS):
                given = rule(a[row], columns[column], c[row][column])
                gpu = MEASURED_BITS[kind.name, number][row * operands.COLUMNS + column]
                if given != gpu:
                    wrong.append((number, row, column, hex(given), hex(gpu)))
    return wrong


MEASURED_BITS = measured()


class TensorBits(unittest.TestCase):
    def test_there_is_a_result_for_each_tile(self):
        self.assertEqual(sorted(MEASURED_BITS), sorted((name, number) for name in operands.KINDS for number in range(operands.TILES)))
        self.assertEqual({len(of) for of in MEASURED_BITS.values()}, {operands.ROWS * operands.COLUMNS})

    def test_f16_bf16_and_tf32_are_sums_of_aligned_products(self):
        for kind in DIRECT:
            unit = reference.hopper(kind)
            wrong = differences(kind, lambda a, b, c, kind=kind, unit=unit: reference.dot(unit, kind, a, b, c))
            self.assertEqual(wrong[:3], [], kind.name)

    def test_fp8_is_converted_to_f16_and_added_last(self):
        for kind in FP8:
            wrong = differences(kind, lambda a, b, c, kind=kind: reference.dot_of_converted(kind, a, b, c))
            self.assertEqual(wrong[:3], [], kind.name)

    def test_other_blocks_bits_and_least_exponents_give_other_results(self):
        for name, change in (("f16_k16_f32", {"block": 8}), ("tf32_k8_f32", {"block": 4}), ("bf16_k16_f32", {"bits": 24}),
                             ("bf16_k8_f32", {"bits": 26}), ("bf16_k8_f32", {"least": -132}), ("tf32_k8_f32", {"least": -134}),
                             ("f16_k16_f16", {"least": -20}), ("f16_k16_f16", {"least": -22})):
            kind = operands.KINDS[name]
            unit = dataclasses.replace(reference.hopper(kind), **change)
            wrong = differences(kind, lambda a, b, c, kind=kind, unit=unit: reference.dot(unit, kind, a, b, c), range(5))
            self.assertNotEqual(wrong, [], f"{name} {change}")

    def test_registers_hold_each_element_once(self):
        for kind in operands.KINDS.values():
            a, b, c = operands.tile(kind, 0)
            of_a, of_b, of_c = operands.registers(kind, a, b, c)
            for words, form, matrix in ((of_a, kind.a, a), (of_b, kind.b, b)):
                found = sorted(word >> form.width * i & (1 << form.width) - 1 for word in words for i in range(32 // form.width))
                self.assertEqual(found, sorted(element for row in matrix for element in row), kind.name)
            self.assertEqual(operands.matrix(kind, of_c), c)


if __name__ == "__main__":
    unittest.main()

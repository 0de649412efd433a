#!/usr/bin/python3
"""Products of matrices of PTX programs have the bits of the GPU whose configuration they run on: every row of tb/silicon/tensor_bits.

A warp computes eight rows of a file at a time: the factors of row i are row i of A and column i of B, its result is element (i, i) of
D. m8n8k4 computes four such products. Not here are H100_E4M3_fp32 and H100_E5M2_fp32: they are results of wgmma, which sums otherwise."""

import csv
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMSIM = os.environ.get("SMSIM_BINARY", ROOT / "build/release/smsim")
RESULTS = ROOT / "tb/silicon/tensor_bits"
CONFIGURATIONS = {"V100": ("v100", 70), "A100": ("a100", 80), "Ada": ("ada", 89), "H100": ("h100", 90)}
OF_WGMMA = {"H100_E4M3_fp32", "H100_E5M2_fp32"}
LANES = 32

PTX = """.version 8.4
.target sm_{target}
.address_size 64
.visible .entry product(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)
{{
    .reg .b64 %a, %b, %c, %d;
    .reg .b32 %tile, %thread, %ra<4>, %rb<4>, %rd<4>;
    .reg .f32 %rc<8>;
    ld.param.u64 %a, [a];
    ld.param.u64 %b, [b];
    ld.param.u64 %c, [c];
    ld.param.u64 %d, [d];
    mov.u32 %tile, %ctaid.x;
    mov.u32 %thread, %tid.x;
    mad.lo.u32 %thread, %tile, 32, %thread;
    mad.wide.u32 %a, %thread, {a_bytes}, %a;
    mad.wide.u32 %b, %thread, {b_bytes}, %b;
    mad.wide.u32 %c, %thread, {c_bytes}, %c;
    mad.wide.u32 %d, %thread, {c_bytes}, %d;
{loads}    {instruction} {fragment_d}, {fragment_a}, {fragment_b}, {fragment_c};
{stores}    ret;
}}
"""


def half(bits):
    """An f16, of the bits of an f32: the nearest one."""
    return struct.unpack("<H", struct.pack("<e", struct.unpack("<f", struct.pack("<I", bits))[0]))[0]


def e4m3_values():
    """The codes of e4m3 by the bits of the same number as f32."""
    found = {}
    for code in range(256):
        exponent, fraction = code >> 3 & 15, code & 7
        if (exponent, fraction) == (15, 7):
            continue  # NaN
        number = fraction / 8 * 2.0**-6 if exponent == 0 else (1 + fraction / 8) * 2.0 ** (exponent - 7)
        found[struct.unpack("<I", struct.pack("<f", number))[0] | (code >> 7) << 31] = code
    return found


E4M3 = e4m3_values()
ENCODE = {"fp16": half, "bf16": lambda bits: bits >> 16, "tf32": lambda bits: bits, "fp32": lambda bits: bits,
          "E4M3": lambda bits: E4M3[bits], "E5M2": lambda bits: half(bits) >> 8}
BITS = {"fp16": 16, "bf16": 16, "tf32": 32, "fp32": 32, "E4M3": 8, "E5M2": 8}
PTX_TYPE = {"fp16": "f16", "bf16": "bf16", "tf32": "tf32", "fp32": "f32", "E4M3": "e4m3", "E5M2": "e5m2"}


class Form:
    """The instruction that computes the rows of a file, and which element of a matrix each register of a thread has."""

    def __init__(self, gpu, source, result):
        self.source, self.result = source, result
        self.quads = gpu == "V100"  # m8n8k4: eight threads have a product
        self.k = 4 if self.quads else 256 // BITS[source]
        shape = "m8n8k4.row.col" if self.quads else f"m16n8k{self.k}.row.col"
        types = [PTX_TYPE[one] for one in (result, source, source, result)]
        self.instruction = f"mma.sync.aligned.{shape}." + ".".join(types)
        self.rows = 32 if self.quads else 8  # of a file, by one instruction
        self.per_word = 32 // BITS[source]
        self.a_words = 2 if self.quads else 4
        self.b_words = 2
        self.c_words = (8 if self.quads else 4) * BITS[result] // 32

    def of_a(self, lane, word, part):
        """(row of the file, k) of an element of A; none of a row that is zero."""
        if self.quads:
            return 8 * (lane // 4 % 4) + lane % 4 + 4 * (lane // 16), 2 * word + part
        if word % 2 == 1:
            return None
        return lane // 4, self.per_word * (lane % 4) + part + 4 * self.per_word * (word // 2)

    def of_b(self, lane, word, part):
        if self.quads:
            return self.of_a(lane, word, part)
        return lane // 4, self.per_word * (lane % 4) + part + 4 * self.per_word * word

    def of_c(self, lane, word, part):
        """The row of the file of an element of C and D; none outside the diagonal."""
        per = 32 // BITS[self.result]
        i = per * word + part
        if self.quads:
            half_of_eight = 4 * (lane // 16)
            if self.result == "fp16":
                row, column = lane % 4 + half_of_eight, i
            else:
                row, column = (lane & 1) + (i & 2) + half_of_eight, (i & 4) + (lane & 2) + (i & 1)
            return 8 * (lane // 4 % 4) + row if row == column else None
        row, column = lane // 4 + 8 * (i // 2), 2 * (lane % 4) + i % 2
        return row if row == column else None

    def program(self, target):
        narrow = self.result == "fp16"
        kind, prefix = ("b32", "%rd") if narrow else ("f32", "%rc")
        lines = []
        for name, words, of, registers in (("a", self.a_words, "b32", "%ra"), ("b", self.b_words, "b32", "%rb"),
                                           ("c", self.c_words, kind, prefix)):
            lines += [f"    ld.global.{of} {registers}{i}, [%{name}+{4 * i}];\n" for i in range(words)]
        stores = [f"    st.global.{kind} [%d+{4 * i}], {prefix}{i};\n" for i in range(self.c_words)]

        def fragment(registers, words):
            return "{" + ", ".join(f"{registers}{i}" for i in range(words)) + "}"
        accumulator = fragment(prefix, self.c_words)
        return PTX.format(target=target, instruction=self.instruction, loads="".join(lines), stores="".join(stores),
                          a_bytes=4 * self.a_words, b_bytes=4 * self.b_words, c_bytes=4 * self.c_words, fragment_d=accumulator,
                          fragment_c=accumulator, fragment_a=fragment("%ra", self.a_words), fragment_b=fragment("%rb", self.b_words))


def read_rows(path):
    """Rows of a file: factors of A, of B, the addend and the result, as bits of f32."""
    with path.open(encoding="ascii") as file:
        rows = [[[int(word, 16) for word in row[name].split()] for name in "abcd"] for row in csv.DictReader(file)]
    return [(a, b, c[0], d[0]) for a, b, c, d in rows]


def words_of(tiles, words, per_word, bits, element):
    """The words of a buffer: tile by tile, thread by thread. `element` gives the bits of an element, 0 where there is none."""
    found = []
    for tile in range(tiles):
        for lane in range(LANES):
            for word in range(words):
                found.append(sum(element(tile, lane, word, part) << bits * part for part in range(per_word)))
    return struct.pack(f"<{len(found)}I", *found)


class MatrixBits(unittest.TestCase):
    def results_of(self, gpu, form, rows, folder):
        """The results of the rows, computed by a run of the model."""
        configuration, target = CONFIGURATIONS[gpu]
        tiles = -(-len(rows) // form.rows)

        def factor(which, place):
            encode = ENCODE[form.source]

            def element(tile, lane, word, part):
                at = place(lane, word, part)
                row = tile * form.rows + at[0] if at else len(rows)
                return encode(rows[row][which][at[1]]) if row < len(rows) and at[1] < len(rows[row][which]) else 0
            return element

        def addend(tile, lane, word, part):
            at = form.of_c(lane, word, part)
            row = tile * form.rows + at if at is not None else len(rows)
            return ENCODE[form.result](rows[row][2]) if row < len(rows) else 0
        each = BITS[form.source]
        per_result = 32 // BITS[form.result]
        (folder / "a.bin").write_bytes(words_of(tiles, form.a_words, form.per_word, each, factor(0, form.of_a)))
        (folder / "b.bin").write_bytes(words_of(tiles, form.b_words, form.per_word, each, factor(1, form.of_b)))
        (folder / "c.bin").write_bytes(words_of(tiles, form.c_words, per_result, BITS[form.result], addend))
        (folder / "product.ptx").write_text(form.program(target), encoding="ascii")
        count = tiles * LANES * form.c_words
        launch = [f"program: product.ptx\ngrid: {tiles}\nblock: {LANES}\narguments:\n"]
        launch += [f"  - {{name: {name}, type: u32, init: {{file: {name}.bin}}}}\n" for name in "abc"]
        launch += [f"  - {{name: d, type: u32, count: {count}, init: zeros}}\ndump:\n  - {{buffer: d, file: d.bin}}\n"]
        (folder / "product.yaml").write_text("".join(launch), encoding="ascii")
        subprocess.run([SMSIM, "run", "--report", "none", "-c", ROOT / f"configs/{configuration}.yaml", "-o", folder / "out",
                        folder / "product.yaml"], check=True, timeout=300)
        words = struct.unpack(f"<{count}I", next(folder.rglob("d.bin")).read_bytes())
        found = {}
        for tile in range(tiles):
            for lane in range(LANES):
                for word in range(form.c_words):
                    for part in range(per_result):
                        at = form.of_c(lane, word, part)
                        if at is not None:
                            bits = words[(tile * LANES + lane) * form.c_words + word] >> BITS[form.result] * part
                            found[tile * form.rows + at] = bits & (1 << BITS[form.result]) - 1
        return [found[row] for row in range(len(rows))]

    def test_every_row_is_that_of_the_gpu(self):
        files = sorted(path for path in RESULTS.glob("*.csv") if path.stem not in OF_WGMMA)
        self.assertEqual(len(files), 20)
        for path in files:
            gpu, source, result = path.stem.split("_")
            rows = read_rows(path)
            self.assertEqual(len(rows), 200)
            with self.subTest(file=path.stem), tempfile.TemporaryDirectory() as folder:
                found = self.results_of(gpu, Form(gpu, source, result), rows, pathlib.Path(folder))
                expected = [ENCODE[result](d) for _, _, _, d in rows]
                wrong = [(row, hex(x), hex(y)) for row, (x, y) in enumerate(zip(found, expected)) if x != y]
                self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tests of scripts/compare-code: variants, figures of code and ratios computed by hand, operations of the vendor's code
that PTX requires (skipped without ptxas), and the command on two launches."""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts/calibration"), str(ROOT / "python")]
from code_comparison import runner, sass, tables, variants  # noqa: E402

SMSIM = pathlib.Path(os.environ.get("SMSIM_BINARY", ROOT / "build/release/smsim"))

ASSEMBLY = """.engine convergence_barrier
.kernel other
.registers 99
    IADD3 R0, R0, R1, RZ;
.endkernel
.kernel wanted
.registers 12
.local 24
    // 7: mul.wide.u32 %rd1, %r1, 4;
    IMAD.WIDE.U32 R2, R0, 0x4, RZ;
L0_1:
    @!P0 IMAD R1, R1, R1, RZ; // 8: a comment; with a semicolon;
    LDG.E.128 R4, [R2];
    @P0 BRA L0_1;
.endkernel
function:
    RET.ABS R2;
    .quad 5
"""


class Variants(unittest.TestCase):
    KNOWN = {"-O": True, "--engine": True, "--force": False}

    def test_the_compiler_gets_its_options_in_every_form(self):
        words = ["-O3", "--set", "a=b", "--engine=x", "--force", "-O", "1", "-s", "c=d", "--engine", "y"]
        self.assertEqual(variants.shared_options(words, self.KNOWN),
                         ["-O3", "--engine=x", "--force", "-O", "1", "--engine", "y"])

    def test_options_of_the_compiler_come_from_its_help(self):
        known = variants.known_options(SMSIM)
        self.assertEqual((known["--engine"], known["-o"], known["--force"]), (True, True, False))

    def test_name_program_and_options(self):
        own = variants.parse("a", SMSIM)
        self.assertEqual((own.name, own.program, own.options), ("a", SMSIM, []))
        both = variants.parse(f"b={SMSIM}:--set 'x=1 2' --force", pathlib.Path("/nowhere"))
        self.assertEqual((both.options, both.compile_options), (["--set", "x=1 2", "--force"], ["--force"]))

    def test_what_cannot_be_is_refused(self):
        for text, message in ((":-O1", "expected NAME"), ("a=/nowhere/smsim", "is missing"), ("a:'", "No closing quotation"),
                              (f"a={sys.executable}", "is not smsim")):
            with self.assertRaisesRegex(variants.VariantError, message):
                variants.parse(text, SMSIM)


class Figures(unittest.TestCase):
    def test_code_of_a_kernel_has_that_of_functions_and_not_that_of_other_kernels(self):
        figures = runner.code_figures(ASSEMBLY, "wanted")
        self.assertEqual((figures["registers"], figures["local"], figures["static_instructions"]), (12, 24, 5))
        self.assertEqual(figures["mix"], {"IMAD.WIDE": 1, "IMAD": 1, "LDG": 1, "BRA": 1, "RET": 1})

    def test_ratios_are_to_the_first_variant_and_means_are_geometric(self):
        def row(kernel, variant, cycles):
            return {"kernel": kernel, "launch": kernel, "origin": "clang", "variant": variant, "cycles": cycles, "local": 0}

        failed = {"kernel": "m", "launch": "m", "origin": "clang", "variant": "b", "error": "message"}
        rows = tables.with_ratios([row("k", "a", 100), row("k", "b", 50), row("l", "a", 100), row("l", "b", 200),
                                   row("m", "a", 100), failed])
        self.assertEqual([r["ratios"] for r in rows], [{}, {"cycles": 0.5}, {}, {"cycles": 2}, {}, {}])
        self.assertEqual(tables.means(rows), {"b": {"cycles": {"mean": 1, "launches": 2}}})
        text = tables.document(rows, "text", False)
        self.assertIn("message", text)
        self.assertEqual(text.splitlines()[2].split(), ["b", "50", "0.500", "0"])

    def test_operations_are_in_the_order_of_the_first_variant(self):
        def row(variant, mix):
            return {"kernel": "k", "origin": "clang", "variant": variant, "mix": mix, "static_instructions": sum(mix.values())}

        table = tables.mix_table([row("a", {"MOV": 1, "LDG": 3}), row("b", {"LDG": 2, "LEA": 4})])
        self.assertEqual(table[1:], [["LDG", "3", "2"], ["MOV", "1", ""], ["LEA", "", "4"], ["all", "4", "6"]])


# Kernel bodies: operands are in %r1 to %r3, %f1 to %f3 and %d1, %d2; results in %r4, %f4, %d4.
NEEDED = {
    "FFMA": "fma.rn.f32 %f4, %f1, %f2, %f3;", "FADD": "add.f32 %f4, %f1, %f2;", "FMUL": "mul.f32 %f4, %f1, %f2;",
    "FMNMX": "min.f32 %f4, %f1, %f2;", "FSETP": "setp.lt.f32 %p1, %f1, %f2; @%p1 mov.f32 %f4, %f2;",
    "FSET": "set.lt.f32.f32 %f4, %f1, %f2;", "MUFU": "rcp.approx.ftz.f32 %f4, %f1;", "FRND": "cvt.rni.f32.f32 %f4, %f1;",
    "F2F": "cvt.f64.f32 %d4, %f1;", "F2I": "cvt.rzi.s32.f32 %r4, %f1;", "I2F": "cvt.rn.f32.s32 %f4, %r1;",
    "DADD": "add.f64 %d4, %d1, %d2;", "DMUL": "mul.f64 %d4, %d1, %d2;", "DFMA": "fma.rn.f64 %d4, %d1, %d2, %d1;",
    "DSETP": "setp.lt.f64 %p1, %d1, %d2; selp.b32 %r4, %r1, %r2, %p1;", "HADD2": "add.f16x2 %r4, %r1, %r2;",
    "HMUL2": "mul.f16x2 %r4, %r1, %r2;", "IADD3": "add.u32 %r4, %r1, %r2;", "IMAD": "mad.lo.u32 %r4, %r1, %r2, %r3;",
    "IMAD.HI": "mul.hi.u32 %r4, %r1, %r2;", "LOP3": "lop3.b32 %r4, %r1, %r2, %r3, 0x96;",
    "LEA": "shl.b32 %r5, %r1, 3; add.u32 %r4, %r5, %r2;", "IABS": "abs.s32 %r4, %r1;", "IMNMX": "min.s32 %r4, %r1, %r2;",
    "ISETP": "setp.lt.s32 %p1, %r1, %r2; selp.b32 %r4, %r3, %r2, %p1;",
    "SHF": "shf.l.wrap.b32 %r4, %r1, %r2, %r3;", "PRMT": "prmt.b32 %r4, %r1, %r2, %r3;", "POPC": "popc.b32 %r4, %r1;",
    "FLO": "bfind.u32 %r4, %r1;", "BREV": "brev.b32 %r4, %r1;", "BMSK": "bmsk.clamp.b32 %r4, %r1, %r2;",
    "SGXT": "szext.clamp.s32 %r4, %r1, %r2;", "IDP": "dp4a.u32.u32 %r4, %r1, %r2, %r3;",
    "VABSDIFF": "sad.u32 %r4, %r1, %r2, %r3;",
    "SHFL": "shfl.sync.idx.b32 %r4, %r1, %r2, 31, -1;", "VOTE": "setp.lt.s32 %p1, %r1, %r2; vote.sync.ballot.b32 %r4, %p1, -1;",
    "MATCH": "match.any.sync.b32 %r4, %r1, -1;", "REDUX": "redux.sync.add.s32 %r4, %r1, -1;", "BAR": "bar.sync 0;",
    "STS": "st.shared.u32 [shared], %r1;", "LDS": "st.shared.u32 [shared], %r1; bar.sync 0; ld.shared.u32 %r4, [shared + 4];",
    "ATOMS": "atom.shared.add.u32 %r4, [shared], %r1;", "ATOMS.CAS": "atom.shared.cas.b32 %r4, [shared], %r1, %r2;",
    "ATOMG": "atom.global.add.u32 %r4, [%rd1], %r2;", "ATOMG.CAS": "atom.global.cas.b32 %r4, [%rd1], %r2, %r3;",
    "RED": "red.global.add.u32 [%rd1], %r2;", "LD": "ld.u32 %r4, [%rd2];", "ST": "st.u32 [%rd2], %r1;", "MEMBAR": "membar.gl;",
    "NANOSLEEP": "nanosleep.u32 100;", "CS2R": "mov.u64 %rd4, %clock64; cvt.u32.u64 %r4, %rd4;",
    "B2R": "setp.lt.s32 %p1, %r1, %r2; bar.red.popc.u32 %r4, 0, %p1;",
    "LDGSTS": "cp.async.ca.shared.global [shared], [%rd1], 4; cp.async.wait_all;",
}
# Common to all of them.
COMMON = {"LDG": 1, "STG": 1, "S2R": 1, "EXIT": 1, "IMAD.WIDE": 1}


def ptx_of(name, body):
    return f""".visible .entry {name}(.param .u64 p, .param .u64 q) {{
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .f64 %d<5>; .reg .b64 %rd<5>;
    .shared .align 16 .b8 shared[64];
    ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r4, %tid.x; mul.wide.u32 %rd3, %r4, 64; add.s64 %rd1, %rd1, %rd3;
    ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1 + 4]; ld.global.u32 %r3, [%rd1 + 8];
    mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3; mov.f32 %f4, %f1;
    ld.global.f64 %d1, [%rd1 + 16]; ld.global.f64 %d2, [%rd1 + 24]; mov.f64 %d4, %d1;
    {body}
    st.global.u32 [%rd1 + 32], %r4; st.global.f32 [%rd1 + 36], %f4; st.global.f64 [%rd1 + 40], %d4;
    ret;
}}
"""


def cubin_of(words):
    """The smallest ELF file with a section .text.k of these instructions."""
    names = b"\0.text.k\0.shstrtab\0"
    code = b"".join(struct.pack("<QQ", low, 0) for low in words)
    header = b"\x7fELF\x02\x01".ljust(40, b"\0") + struct.pack("<Q", 64 + len(code) + len(names)) + b"\0" * 10
    sections = [(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), (1, 1, 6, 0, 64, len(code), 0, 0, 16, 0),
                (9, 3, 0, 0, 64 + len(code), len(names), 0, 0, 1, 0)]
    return header + struct.pack("<HHH", 64, 3, 2) + code + names + b"".join(struct.pack("<IIQQQQIIQQ", *s) for s in sections)


class Sass(unittest.TestCase):
    NOP, ITSELF = 0x7918, 0xFFFFFFF000007947

    def names(self, words):
        return sass.operations(sass.text_sections(cubin_of(words))["k"])

    def test_padding_is_not_counted_and_unknown_operations_keep_their_number(self):
        self.assertEqual(self.names([0x7223, self.NOP, 0x71ff, 0x794D, self.ITSELF, self.NOP, self.NOP]),
                         ["FFMA", "NOP", "0x1ff", "EXIT"])
        # An endless loop of one instruction precedes the branch that serves as padding.
        self.assertEqual(self.names([0x7223, self.ITSELF, self.ITSELF]), ["FFMA", "BRA"])

    def test_a_damaged_cubin_is_refused(self):
        whole = cubin_of([0x794D])
        for damaged in (b"", b"\x7fELF", b"other" * 20, whole[:70], whole[:-100], whole[:40] + b"\xff" * 8 + whole[48:]):
            with self.assertRaises(sass.SassError):
                sass.text_sections(damaged)

    def test_messages_of_ptxas_give_registers_stack_and_spills(self):
        figures = sass.kernel_figures("""ptxas info    : Compiling entry function 'a' for 'sm_80'
ptxas info    : Function properties for a
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers, 384 bytes cmem[0]
ptxas info    : Compiling entry function 'b' for 'sm_80'
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 30 registers, used 1 barriers, 16 bytes cumulative stack size, 384 bytes cmem[0]
ptxas info    : Function properties for function
    16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
""")
        self.assertEqual(figures, {"a": {"registers": 24, "local": 8, "spill_stores": 4, "spill_loads": 12},
                                   "b": {"registers": 30, "local": 16, "spill_stores": 8, "spill_loads": 8}})

    def test_each_operation_that_ptx_asks_for_is_found_under_its_name(self):
        try:
            ptxas = sass.find_ptxas()
        except sass.SassError as error:
            self.skipTest(str(error))
        with tempfile.TemporaryDirectory() as folder:
            ptx = pathlib.Path(folder) / "operations.ptx"
            kernels = "".join(ptx_of(f"k{number}", body) for number, body in enumerate(NEEDED.values()))
            ptx.write_text(f".version 8.0\n.target sm_80\n.address_size 64\n{kernels}{ptx_of('plain', '')}")
            figures = sass.compile_ptx(ptxas, ptx, "sm_80", ptx.with_suffix(".cubin"))
        plain = figures["plain"]["mix"]
        for number, name in enumerate(NEEDED):
            mix = figures[f"k{number}"]["mix"]
            self.assertGreater(mix.get(name, 0), plain.get(name, 0), name)
            self.assertEqual({common: min(mix.get(common, 0), count) for common, count in COMMON.items()}, COMMON, name)
            self.assertFalse([unknown for unknown in mix if unknown.startswith("0x")], name)

    def test_what_ptxas_refuses_is_told_in_its_words(self):
        try:
            ptxas = sass.find_ptxas()
        except sass.SassError as error:
            self.skipTest(str(error))
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "bad.ptx").write_text(".version 8.0\n.target sm_80\n.nothing\n")
            with self.assertRaisesRegex(sass.SassError, r"^ptxas: bad\.ptx, line 3; "):
                sass.compile_ptx(ptxas, "bad.ptx", "sm_80", pathlib.Path(folder, "bad.cubin"), folder)


class Command(unittest.TestCase):
    def run_command(self, *arguments, path=None):
        environment = os.environ | ({"PATH": path, "CUDA_HOME": "/nowhere"} if path else {})
        return subprocess.run([sys.executable, ROOT / "scripts/compare-code", "--smsim", SMSIM, *arguments], capture_output=True,
                              text=True, check=False, env=environment)

    def test_two_kernels_with_two_variants(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_command("cuda_fft", ROOT / "kernels/compiled/cuda_histogram/launch.yaml", "--from", "clang", "--mix",
                                   "-o", folder, "--variant", "plain",
                                   "--variant", f"stack={SMSIM}:--engine simt_stack --set bru.pipelines=1")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            folder = pathlib.Path(folder)
            self.assertEqual(run.stdout, (folder / "table.txt").read_text())
            self.assertIn("| cuda_fft | clang | plain |", (folder / "table.md").read_text())
            results = json.loads((folder / "results.json").read_text())
            self.assertEqual([(row["kernel"], row["variant"]) for row in results["rows"]],
                             [("cuda_fft", "plain"), ("cuda_fft", "stack"),
                              ("cuda_histogram", "plain"), ("cuda_histogram", "stack")])
            for row, place in zip(results["rows"], ("fft.launch/plain", "fft.launch/stack", "histogram.launch/plain",
                                                    "histogram.launch/stack")):
                report = json.loads((folder / f"cuda_{place}/report.json").read_text())
                self.assertEqual((row["cycles"], row["warp_instructions"]), (report["cycles"], report["warp_instructions"]))
                self.assertEqual(sum(row["mix"].values()), row["static_instructions"])
                # The text is that of the variant's engine and contains the executed code: its addresses are 16 apart.
                last = max(entry["pc"] for entry in report["instructions"]["all"])
                self.assertGreaterEqual(row["static_instructions"], last // 16 + 1)
                self.assertEqual("JOIN" in row["mix"], row["variant"] == "stack")
            ratios = [row["ratios"]["cycles"] for row in results["rows"] if row["variant"] == "stack"]
            self.assertAlmostEqual(results["geometric_means"]["stack"]["cycles"]["mean"], (ratios[0] * ratios[1]) ** 0.5)

    def test_a_kernel_that_fails_has_its_message_in_the_table(self):
        run = self.run_command(ROOT / "kernels/compiled/cuda_hash_table/launch.yaml", "--variant", "stack:--engine simt_stack")
        self.assertEqual(run.returncode, 1)
        self.assertIn("may need independent progress", run.stdout)
        self.assertIn("1 of 1 runs have no figures", run.stderr)

    def test_what_cannot_be_is_refused_with_one_message(self):
        cases = [
            (["nothing"], "no kernel 'nothing'"), (["nothing.yaml"], "nothing.yaml: cannot be read"),
            ([ROOT / "kernels/memory/lu_steps/steps.yaml"], "has several launches"),
            ([ROOT / "kernels/memory/matmul/launch.yaml"], "is neither PTX nor CUDA C++"),
            (["-c", "/nowhere.yaml"], "/nowhere.yaml is missing"),
            (["cuda_fft", ROOT / "kernels/compiled/cuda_fft/launch.yaml"], "two launches have the same name: cuda_fft.launch"),
            (["cuda_fft", "-o", ROOT / "README.md"], "README.md: File exists"),
            (["--variant", "a", "--variant", "a:--force"], "two variants have the same name"), (["-j", "0"], "at least 1"),
        ]
        for arguments, message in cases:
            run = self.run_command(*arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ""), arguments)
            self.assertIn(message, run.stderr)
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)

    def test_without_ptxas_the_option_says_so(self):
        run = self.run_command("--ptxas", path="/nowhere")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("ptxas is not installed", run.stderr)


if __name__ == "__main__":
    unittest.main()

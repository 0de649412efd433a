#!/usr/bin/env python3
"""Tests of scripts/fuzz-cuda: the generated programs are defined and can be reduced, differences are found, and some programs agree.

Tests that compile are skipped without a compiler (exit status 77 without clang)."""
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tb/fuzz"))
from cuda import build, campaign, program  # noqa: E402

SMSIM = pathlib.Path(os.environ.get("SMSIM_BINARY", ROOT / "build/release/smsim"))
COMPILERS = build.compilers()
VARIANT = campaign.Variant("clang", 2, "sm_70", 3, "convergence_barrier", "default")


def text(seed):
    return program.source([program.grow(seed)])


class Growth(unittest.TestCase):
    def test_a_seed_gives_one_program(self):
        self.assertEqual(text(5), text(5))
        self.assertNotEqual(text(5), text(6))

    def test_everything_that_it_is_made_for_occurs(self):
        all_texts = "".join(map(text, range(1, 200)))
        wanted = ["__shfl_sync", "__shfl_xor_sync", "__shfl_up_sync", "__shfl_down_sync", "__ballot_sync", "__any_sync", "__all_sync",
                  "__match_any_sync", "__syncthreads", "switch (", "default:", "for (int", "do {", "break;", "continue;", "goto end;",
                  "__noinline__", "depth - 1", "depth)", "&record", "Record outer", "#pragma unroll\n", "#pragma unroll 1", "atomicAdd",
                  "atomicMin", "&tile_words", "__byte_perm", "__funnelshift_l", "__umulhi", "__clzll", "fmaf", "sqrt(", "cells[",
                  "record.letters[", "own[", "mine[", "pairs[", "table[", "reals[", "= warp_product("]
        self.assertEqual([word for word in wanted if word not in all_texts], [])

    def test_variants_have_all_levels_of_the_model_for_each_compiler(self):
        chosen = campaign.variants(3, ["clang", "nvcc"], [0, 1, 2, 3])
        self.assertEqual([(one.compiler, one.model_level) for one in chosen],
                         [(name, level) for name in ("clang", "nvcc") for level in range(4)])
        some = [one for seed in range(100) for one in campaign.variants(seed, ["clang"], [3])]
        self.assertEqual({one.level for one in some}, {0, 1, 2, 3})
        self.assertEqual({one.engine for one in some}, {"convergence_barrier", "simt_stack", "token_stack"})


@unittest.skipIf("clang" not in COMPILERS or build.host_compiler() is None, "needs clang")
class Programs(unittest.TestCase):
    def setUp(self):
        self.run_all = campaign.Campaign(SMSIM, COMPILERS, [0, 3])

    def test_programs_agree_with_the_host(self):
        failures = self.run_all.batch(list(range(1, 17)))
        self.assertEqual([(one.seed, str(variant), message) for one, variant, message in failures], [])
        self.assertGreaterEqual(self.run_all.runs, 16 * 2 * len(COMPILERS))

    def test_programs_are_defined_and_parts_of_them_too(self):
        programs = [program.grow(seed, number) for number, seed in enumerate(range(40, 56))]
        for one in programs[8:]:
            for statements in one.statements():
                del statements[1::2]
                for statement in statements:
                    for body in statement.bodies:
                        del body[::2]
        checked = campaign.Campaign(SMSIM, COMPILERS, [3], sanitize=True)
        with tempfile.TemporaryDirectory() as folder:
            checked.prepare(programs, pathlib.Path(folder))

    def test_a_difference_in_any_result_is_seen(self):
        one = program.grow(7)
        for name in campaign.RESULTS:
            with tempfile.TemporaryDirectory() as folder:
                place = pathlib.Path(folder)
                self.run_all.prepare([one], place)
                self.assertEqual(self.run_all.judge([one], VARIANT, place), "")
                expected = place / f"{one.name}.{name}.bin"
                content = bytearray(expected.read_bytes())
                content[-1] ^= 64
                expected.write_bytes(content)
                self.assertIn(f"check {name}0", self.run_all.judge([one], VARIANT, place))

    def test_what_differs_is_cut_down(self):
        class Wrong(campaign.Campaign):
            def differs(self, one, variant):
                return "no shuffles" if "__shfl" in one.text() else ""

        seed = next(seed for seed in range(1, 500) if "__shfl" in text(seed))
        one = program.grow(seed)
        Wrong(SMSIM, COMPILERS, [3]).shrink(one, VARIANT)
        self.assertLessEqual(one.size(), 3)
        self.assertIn("__shfl", one.text())


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    without = "clang" not in COMPILERS or build.host_compiler() is None
    sys.exit(1 if not result.wasSuccessful() else 77 if without else 0)

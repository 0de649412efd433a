#!/usr/bin/env python3
"""Programs optimised across files are linked even if the compiler fails to do so (cmake/link-across-files)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LINK = ROOT / "cmake/link-across-files"
COMPILER = sys.argv.pop(1)
# A compiler that fails on optimisation across files as GCC 12 does on some orders of the objects.
FAILING = """#!/bin/sh
case " $* " in
  *" -flto-partition=none "*) echo "lto1: internal compiler error: in add_symbol_to_partition_1" >&2; exit 1 ;;
esac
exec {compiler} "$@"
"""
SOURCES = {
    "twice.cpp": "int twice(int x) { return 2 * x; }\n",
    "main.cpp": "int twice(int);\nint main() { return twice(21); }\n",
    "lost.cpp": "int nowhere(int);\nint main() { return nowhere(21); }\n",
}


class LinkAcrossFilesTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in SOURCES.items():
            (self.folder / name).write_text(text, encoding="utf-8")
            subprocess.run([COMPILER, "-O2", "-flto", "-fno-fat-lto-objects", "-c", name, "-o", f"{name}.o"], cwd=self.folder, check=True)
        self.failing = self.folder / "failing"
        self.failing.write_text(FAILING.format(compiler=COMPILER), encoding="utf-8")
        self.failing.chmod(0o755)

    def link(self, compiler, main="main.cpp.o", **environment):
        return subprocess.run([LINK, compiler, "-O2", "-flto", "-flto-partition=none", "twice.cpp.o", main, "-o", "program"],
                              cwd=self.folder, env=os.environ | environment, capture_output=True, text=True, check=False)

    def test_what_the_compiler_can_do_it_does(self):
        linked = self.link(COMPILER)
        self.assertEqual((linked.returncode, linked.stderr), (0, ""))
        self.assertEqual(subprocess.run([self.folder / "program"], check=False).returncode, 42)

    def test_where_it_fails_the_program_is_compiled_file_by_file_and_a_line_says_so(self):
        linked = self.link(self.failing)
        self.assertEqual(linked.returncode, 0, linked.stderr)
        self.assertIn("program: the compiler cannot optimise it across files", linked.stderr)
        self.assertIn("internal compiler error: in add_symbol_to_partition_1", linked.stderr)
        self.assertEqual(subprocess.run([self.folder / "program"], check=False).returncode, 42)

    def test_it_can_be_told_to_fail_instead(self):
        self.assertNotEqual(self.link(self.failing, SMSIM_LINK_OR_FAIL="1").returncode, 0)
        self.assertFalse((self.folder / "program").exists())

    def test_a_mistake_of_the_program_stays_one(self):
        linked = self.link(COMPILER, main="lost.cpp.o")
        self.assertNotEqual(linked.returncode, 0)
        self.assertIn("nowhere", linked.stderr)
        self.assertNotIn("cannot optimise", linked.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The configuration step reports what cannot be built and is left out, and compilers that are rejected."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CMAKE, COMPILER = sys.argv.pop(1), sys.argv.pop(1)
OLD_COMPILER = """#!/bin/sh
exec {compiler} -U__GNUC__ -D__GNUC__=11 "$@"
"""
# A Verilator that accepts all blocks except one.
PICKY_VERILATOR = """#!/bin/sh
case " $* " in
  *" --top-module sleep_timer "*) echo "%Error: Internal Error: sleep_timer.sv" >&2; exit 1 ;;
esac
exec {verilator} "$@"
"""


class ConfigurationTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def configure(self, *options, compiler=COMPILER):
        """Status, and the output with white space as single blanks."""
        done = subprocess.run([CMAKE, "-S", ROOT, "-B", self.folder / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}", *options],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, " ".join(done.stdout.split())

    def test_what_is_missing_is_named_and_left_out(self):
        missing = ("GTest", "benchmark", "verilator", "Python3")
        status, said = self.configure(*(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in missing))
        self.assertEqual(status, 0, said)
        self.assertIn("Tests are left out: GoogleTest is not there", said)
        self.assertIn("Benchmarks are left out: Google Benchmark is not there", said)
        self.assertIn("Manual pages are left out: Python is not there", said)
        self.assertIn("RTL blocks: left out, Verilator is not there", said)

    def test_a_block_that_verilator_refuses_is_named_and_left_out(self):
        verilator = shutil.which("verilator_bin")
        if verilator is None:
            self.skipTest("Verilator is not there")
        picky = self.program("verilator_bin", PICKY_VERILATOR.format(verilator=verilator))
        status, said = self.configure("-DSMSIM_TESTS=OFF", f"-DVERILATOR_BIN={picky}")
        self.assertEqual(status, 0, said)
        self.assertIn("RTL block sleep_timer is left out", said)
        self.assertEqual(said.count("is left out"), 1, said)
        made = self.folder / "build/cosim/verilated"
        self.assertRegex((made / "no_sleep_timer.cpp").read_text(), r"no RTL of the block sleep_timer: Verilator .* refused it")
        for block in ("bru", "bru_simt_stack", "bru_token_stack", "bcu", "shared_memory"):
            self.assertTrue((made / f"make_{block}.cpp").is_file(), block)

    def test_systemc_without_a_file_of_pkg_config_is_written_out(self):
        library = pathlib.Path(subprocess.run([COMPILER, "-print-file-name=libsystemc.so"], capture_output=True, text=True, check=True).stdout.strip())
        headers = pathlib.Path("/usr/include")
        if not library.is_absolute() or not (headers / "systemc").is_file():
            self.skipTest("the distribution's SystemC is not there")
        package = self.folder / "systemc"
        for folder in ("include", "lib"):
            (package / folder).mkdir(parents=True)
        for name in ("systemc", "systemc.h", "sysc", "tlm", "tlm.h", "tlm_core", "tlm_utils"):
            if (headers / name).exists():
                (package / "include" / name).symlink_to(headers / name)
        (package / "lib/libsystemc.so").symlink_to(library)
        (package / "SystemCLanguageConfig.cmake").write_text(
            "add_library(SystemC::systemc SHARED IMPORTED)\n"
            f"set_target_properties(SystemC::systemc PROPERTIES IMPORTED_LOCATION {package}/lib/libsystemc.so\n"
            f"                      INTERFACE_INCLUDE_DIRECTORIES {package}/include)\n", encoding="utf-8")
        status, said = self.configure("-DSMSIM_TESTS=OFF", "-DSMSIM_RTL=OFF", f"-DSystemCLanguage_DIR={package}")
        self.assertEqual(status, 0, said)
        self.assertIn(f"SystemC: CMake package {package}", said)
        lines = (self.folder / "build/smsim.pc").read_text(encoding="utf-8").splitlines()
        found = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
        self.assertEqual(found["Requires"], ["spdlog", "fmt", "yaml-cpp", "zlib"])
        self.assertIn(f"-I{package}/include", found["Cflags"])
        libraries = found["Libs"]
        self.assertEqual(libraries[libraries.index(f"-L{package}/lib") + 1], "-lsystemc")

    @unittest.skipIf(subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=False).stdout.startswith(("clang", "Debian clang")),
                     "made for GCC")
    def test_a_compiler_that_is_too_old_is_refused_by_name(self):
        old = self.program("old", OLD_COMPILER.format(compiler=COMPILER))
        status, said = self.configure("-DSMSIM_TESTS=OFF", "-DSMSIM_RTL=OFF", compiler=old)
        self.assertNotEqual(status, 0)
        self.assertRegex(said, rf"{old} is GNU 11[0-9.]*; smsim needs GCC from 12 or clang from 14 on")


if __name__ == "__main__":
    unittest.main()

"""What is installed besides the programs: components, documents with their links, licences, manual pages."""

import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from package_support import KERNELS, PREFIX, PROGRAMS, SHARE, PackageTest, options

DOCUMENTS = SHARE / "doc/smsim"


class Components(PackageTest):
    def test_each_holds_what_its_users_need(self):
        folders = {"runtime": {"bin", "share"}, "development": {"include", "lib", "share"}}
        files = {}
        for component, expected in folders.items():
            prefix = self.folder / component
            command = [os.environ["CMAKE"], "--install", os.environ["SMSIM_BUILD"], "--component", component]
            subprocess.run([*command, "--prefix", prefix], stdout=subprocess.DEVNULL, check=True)
            self.assertEqual({path.name for path in prefix.iterdir()}, expected)
            files[component] = {path.relative_to(prefix) for path in prefix.rglob("*") if path.is_file()}
        whole = {path.relative_to(PREFIX) for path in PREFIX.rglob("*") if path.is_file()}
        self.assertEqual(files["runtime"] | files["development"], whole, "nothing is in no component")


class Documents(PackageTest):
    def test_their_links_lead_to_files(self):
        documents = sorted(DOCUMENTS.rglob("*.md"))
        names = {str(path.relative_to(DOCUMENTS)) for path in documents}
        self.assertLessEqual({"README.md", "CHANGELOG.md", "docs/README.md", "docs/explore.md", "docs/records/decisions.md"}, names)
        for document in documents:
            for link in re.findall(r"\]\(([^)#\s]+)[^)\s]*\)", document.read_text(encoding="utf-8")):
                if not link.startswith("http"):
                    self.assertTrue((document.parent / link).exists(), f"{document}: {link}")

    def test_the_licences_of_the_model_and_of_d3_are_there(self):
        for name in ("LICENSE", "copyright"):
            self.assertIn("Apache License", (DOCUMENTS / name).read_text(encoding="utf-8"))
        self.assertIn("Bostock", (DOCUMENTS / "copyright.d3").read_text(encoding="utf-8"))

    def test_nothing_names_the_source_tree(self):
        source = str(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
        # The whole path: the path of a tree in /smsim must not match within share/smsim/configs.
        whole = re.compile(rb"(?<![\w.-])" + re.escape(source.encode()) + b"/")
        for path in [*(PREFIX / "bin").glob("smsim-*"), *SHARE.rglob("*")]:
            if path.is_file() and not path.is_relative_to(KERNELS):
                self.assertNotRegex(path.read_bytes(), whole, path)


class Help(unittest.TestCase):
    """What scripts/make-manual reads in a help text, which CLI11 formats in more than one way."""

    TEXT = """Run it
Usage: smsim run [OPTIONS] LAUNCH

Positionals:
  LAUNCH TEXT REQUIRED        Launch file

Options:
  -h,--help                   Print this help message and exit
  -j,--jobs N{0}             Jobs at a time
  --level TEXT:{{info,off}}{1}
                              Least level
  --sub-partitions-worth LIST ...
                              Those only
  --of-a-length-to-fill-its N{0}
                              Those too
  --range N:INT in [0 - 255]  A range
  -s,--set KEY=VALUE ...      Set a key

Exit status: 0 success
"""

    @classmethod
    def setUpClass(cls):
        scripts = Path(__file__).resolve().parents[2] / "scripts"
        sys.path.insert(0, str(scripts))
        cls.addClassCleanup(sys.path.remove, str(scripts))
        loader = importlib.machinery.SourceFileLoader("make_manual", str(scripts / "make-manual"))
        cls.made = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_manual", loader))
        sys.modules["make_manual"] = cls.made
        cls.addClassCleanup(sys.modules.pop, "make_manual")
        loader.exec_module(cls.made)

    def test_defaults_are_found_in_every_form(self):
        for form in (("=1  ", "=off"), (" [1]", " [off] ")):
            found = self.made.Help.parse(self.TEXT.format(*form))
            self.assertEqual([(each.names, each.value, each.meaning) for each in found.sections["Options"]], [
                ("-h, --help", "", "Print this help message and exit"),
                ("-j, --jobs", "N", "Jobs at a time (default: 1)"),
                ("--level", "info|off", "Least level (default: off)"),
                ("--sub-partitions-worth", "LIST ...", "Those only"),
                ("--of-a-length-to-fill-its", "N", "Those too (default: 1)"),
                ("--range", "N:INT in [0 - 255]", "A range"),
                ("-s, --set", "KEY=VALUE ...", "Set a key"),
            ], form)
            self.assertEqual(found.sections["Positionals"][0].names, "LAUNCH")
            self.assertEqual((found.usage, found.footer), ("smsim run [OPTIONS] LAUNCH", "Exit status: 0 success"))


@unittest.skipUnless(Path(os.environ["SMSIM_BUILD"], "manual/smsim.1").is_file(), "no manual pages were made")
class Manual(PackageTest):
    def page(self, program):
        """The text of a manual page without formatting."""
        text = (SHARE / f"man/man1/{program}.1").read_text(encoding="utf-8")
        return re.sub(r"\\f[BIR]", "", text).replace(r"\-", "-").replace(r"\&", "")

    def test_it_has_every_command_and_every_option(self):
        pages = {program: self.page(program) for program in PROGRAMS}
        for command in self.commands():
            self.assertRegex(pages["smsim"], rf"(?m)^\.SS smsim {command} ")
        for (program, *command), text in self.helps():
            page = pages[program]
            if command:
                page = page[page.index(f".SS smsim {command[0]} ") :]
                page = page[: page.find("\n.S", 1)]
            found = options(text)
            self.assertIn("--help", found)
            for name in found:
                if command and name in ("-h", "--help"):
                    continue  # appears once, above all commands
                self.assertRegex(page, rf"(?m)^\.TP\n(.*, )?{re.escape(name)}(,| |$)", f"{program} {command}")

    def test_the_meaning_of_an_option_is_whole(self):
        page = self.page("smsim")
        self.assertIn("\n--memory-check FORM\nReject, list or allow accesses outside every buffer but in a page of one: "
                      "strict, report or off\n", page)
        self.assertIn("-j, --jobs N\nLaunches at a time (default: 1)\n", page)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_it_is_correct_roff_without_remains_of_its_making(self):
        for program in PROGRAMS:
            file = SHARE / f"man/man1/{program}.1"
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", file], capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")
            self.assertNotIn("@", self.page(program))


if __name__ == "__main__":
    unittest.main(verbosity=2)

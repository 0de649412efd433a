#!/usr/bin/env python3
"""scripts/checks/check-citations finds each citation of the specification and reports those without a target."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHECK = ROOT / "scripts/checks/check-citations"
PAGE = """# rules.md: a page

## 1 Gates: OPEN, SHUT

A gate has a **Latch**.

1. First.
2. Second.

### Lower half

1. `wide(x)` is
   wider.

## simple_gate

| tag | question | answer |
|---|---|---|
| G-1, G-2 | when | now |
"""
FAULTS = {
    'rules.md Doors': "expected a section of docs/spec/rules.md",
    'rules.md Gate 1': "expected a section of docs/spec/rules.md, for instance Gates",
    'rules.md gates 1': "expected 'Gates', as the section is called",
    'rules.md Gates 3': "expected one of the rules 1 to 2 of 'Gates: OPEN, SHUT'",
    'rules.md Gates 1 to 4': "expected one of the rules 1 to 2 of 'Gates: OPEN, SHUT'",
    'rules.md 1.7': "expected one of the rules 1 to 2 of 'Gates: OPEN, SHUT'",
    'rules.md 2': "expected a section of docs/spec/rules.md; it has no number 2",
    'rules.md simple_gate 1': "expected no rule: 'simple_gate' has no numbers",
    'rules.md no_gate': "expected a section of docs/spec/rules.md",
    'rules.md "Hatch"': "expected text of docs/spec/rules.md",
    'rules.md "Latc"': "expected text of docs/spec/rules.md",
    'rules.md simple_gate, "Latch"': "expected text of section 'simple_gate' of docs/spec/rules.md",
    'rules.md G-3': "expected a decision of docs/spec/rules.md; it has no G-3",
    'rules.md Gates [G-1, G-3]': "expected a decision of docs/spec/rules.md; it has no G-3",
    'rules.md Gates, SHUT, LOCK': "expected a section of docs/spec/rules.md",
    'docs/spec/rules.md Doors': "expected a section of docs/spec/rules.md",
    'guide.md Doors': "expected a section of docs/guide.md",
    'table.md T-2': "expected a decision of docs/records/table.md; it has no T-2",
}
RIGHT = ('rules.md', 'rules.md Gates', 'rules.md SHUT 2', 'rules.md Gates 1 and 2', 'rules.md OPEN 1-2', 'rules.md 1', 'rules.md 1.2 and 1',
         'rules.md 1 "latch"', 'rules.md Gates, "Lower half" 1', 'rules.md Gates, `wide(x)`', 'rules.md "wide(x) is wider"',
         'rules.md simple_gate', 'rules.md [G-2]', 'rules.md G-1', 'rules.md Gates [G-1, G-2]', 'rules.md Gates, OPEN and simple_gate',
         'rules.md says what gates do', 'rules.md, Doors', 'rules.md: Doors', 'docs/spec/rules.md Gates', 'guide.md "First steps"',
         'docs/records/table.md T-1')
# How a comment begins, and continues in the next line, in the languages of the tree.
LANGUAGES = {"a.h": ("/// ", "/// "), "a.cpp": ("    int x; // ", "           // "), "a.sv": ("// ", "// "), "a.py": ("# ", "# "),
             "a.cmake": ("#", "#"), "CMakeLists.txt": ("# ", "# "), "a.yaml": ("key: 1 # ", "       # "), "a.sasm": ("// ", "// "),
             "a.md": ("", ""), "script": ("#!/bin/sh\n# ", "# ")}


class CheckCitationsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.write("docs/spec/rules.md", PAGE)
        self.write("docs/guide.md", "# Guide\n\n## First steps\n")
        self.write("docs/records/table.md", "# Table\n\n| T-1 | when | now |\n")
        self.write("docs/README.md", "# All pages\n")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self):
        """Exit status, and the output except the last line."""
        run = subprocess.run([sys.executable, CHECK, "--root", self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout.splitlines()[:-1]

    def test_every_form_of_the_grammar_resolves(self):
        for citation in RIGHT:
            with self.subTest(citation):
                self.write("a.cpp", f"// What gates do ({citation}).\n")
                self.assertEqual(self.check(), (0, []))

    def test_what_does_not_exist_is_named_with_place_and_expectation(self):
        for citation, expected in FAULTS.items():
            with self.subTest(citation):
                self.write("a.cpp", f"int x;\n// What gates do ({citation}).\n")
                status, printed = self.check()
                self.assertEqual((status, len(printed)), (1, 1), printed)
                self.assertRegex(printed[0], r"^a\.cpp:2: cites " + citation.split(".md", maxsplit=1)[0] + r"\.md.*; ")
                self.assertIn(expected, printed[0])

    def test_comments_of_every_language_are_read_and_also_where_a_line_breaks_the_citation(self):
        for name, (begin, end) in LANGUAGES.items():
            with self.subTest(name):
                self.write(name, f"{begin}Of gates: rules.md\n{end}Doors\n{begin}rules.md Gates\n")
                status, printed = self.check()
                self.assertEqual((status, len(printed)), (1, 1), printed)
                self.assertRegex(printed[0], rf"^{name}:[12]: cites rules\.md Doors; expected a section")
                (self.folder / name).unlink()

    def test_code_after_a_comment_does_not_belong_to_the_citation(self):
        self.write("a.cpp", "// see rules.md\nDoors open;\n")
        self.assertEqual(self.check(), (0, []))

    def test_a_comment_names_pages_that_exist_only(self):
        self.write("a.cpp", '// see docs/spec/lost.md and guide.md\nopen("made.md");  // README.md Doors\n')
        status, printed = self.check()
        self.assertEqual((status, printed), (1, ["a.cpp:1: cites docs/spec/lost.md; expected a page that exists"]))

    def test_links_lead_to_files_and_headings(self):
        self.write("docs/links.md", "[a](spec/rules.md#lower-half) [b](guide.md#first-steps) [c](spec/lost.md)\n[d](guide.md#last-steps) [e](#none)\n")
        status, printed = self.check()
        self.assertEqual((status, printed), (1, ["docs/links.md:1: links to spec/lost.md; expected a file",
                                                 "docs/links.md:2: links to #last-steps of guide.md; expected one of its headings",
                                                 "docs/links.md:2: links to #none of links.md; expected one of its headings"]))

    def test_a_tree_without_a_specification_is_an_error(self):
        shutil.rmtree(self.folder / "docs/spec")
        self.assertEqual(self.check()[0], 1)

    def test_a_seeded_fault_beside_the_pages_of_this_tree_is_found(self):
        shutil.rmtree(self.folder / "docs")
        shutil.copytree(ROOT / "docs/spec", self.folder / "docs/spec")
        faults = {"bru": "BSYNC 5", "bcu": "B-7", "timing": '3 "Reading"', "engines": "Lowering 9", "sm": "Control", "encoding": "14",
                  "lowering": "Rows"}
        right = {"bru": "BSYNC 4", "bcu": "B-6", "timing": '3 "Reuse cache"', "engines": "Lowering", "sm": "Control fields", "encoding": "Forms",
                 "lowering": "Rows of PTX 7"}
        text = [f"// {page}.md {place}.\n" for cited in (right, faults) for page, place in cited.items()]
        self.write("a.h", "".join(text))
        status, printed = self.check()
        found = [line.split(";")[0] for line in printed if line.startswith("a.h:")]
        self.assertEqual((status, found), (1, [f"a.h:{number}: cites {page}.md {place}" for number, (page, place) in
                                               enumerate(faults.items(), len(right) + 1)]))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""scripts/check-english finds each seeded word in comments, messages and documents, and nothing in plain text, names and code."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHECK = ROOT / "scripts/check-english"
WORDS = ("the warp behind it", "whoever calls", "it starts anew", "nobody waits", "the end is told", "tells of a fetch", "an untimed run",
         "without time", "taken elsewhere", "all the same", "thereby", "in vain", "comes by", "stands in a table", "without end", "is of no row",
         "to be called before", "for good", "Of a warp the first instruction")
RIGHT = ("left behind", "behind an interface", "behind the memory interface", "of a warp", "the order of these", "stands for", "`behind`")


class CheckEnglish(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        (self.root / "model").mkdir()

    def found(self, name, text):
        """Lines of the check for one file of a tree."""
        (self.root / "model" / name).write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, CHECK, "--root", self.root, f"model/{name}"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
        return done.stdout.splitlines()

    def test_each_word_is_found_with_file_and_line(self):
        for words in WORDS:
            for name, text in (("a.h", f"int x;\n/// {words}\n"), ("b.cpp", f'int x;\nconst char *y = "{words} here";\n'),
                               ("c.py", f"x = 1\n# {words}\n"), ("d.md", f"# Title\n{words}\n"), ("e.yaml", f"key: 1\n# {words}\n")):
                with self.subTest(words=words, file=name):
                    found = self.found(name, text)
                    self.assertTrue(found and found[0].startswith(f"model/{name}:2: '"), found)

    def test_plain_text_names_and_code_pass(self):
        for text in RIGHT:
            with self.subTest(text=text):
                self.assertEqual(self.found("a.h", f"/// {text}\n"), [])
        self.assertEqual(self.found("b.cpp", 'int behind = nobody("behind");\n'), [])
        self.assertEqual(self.found("d.md", "```\nbehind\n```\nPlain `behind` text.\n"), [])

    def test_the_tree_is_plain(self):
        done = subprocess.run([sys.executable, CHECK], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()

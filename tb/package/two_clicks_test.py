#!/usr/bin/env python3
"""The documents lead a newcomer from README.md to the answer of each common question within two clicks, and to every page.

A click follows one link. An answer is a heading: a link must lead to exactly that heading, and the heading must exist. Only the source
tree is needed.
"""
import re
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 2
README_LINES = 100
QUESTIONS = {
    "How do I estimate a kernel?": "docs/estimate.md#what-bounds-a-kernel",
    "How do I add an issue policy?": "docs/replacing-a-part.md#an-issue-policy",
    "How do I replace a memory?": "docs/replacing-a-part.md#a-global-memory",
    "How do I plug in RTL?": "docs/co-simulation.md#from-an-empty-file-to-a-first-lockstep",
    "What is the rule of BSYNC?": "docs/spec/bru.md#bsync",
    "How do I sweep a parameter?": "docs/explore.md#the-file-of-a-sweep",
    "What does a stall reason mean?": "docs/architecture.md#state-machine-of-a-warp",
    "How do I write a launch file?": "docs/launch-files.md#launch-files",
    "Which PTX is accepted?": "docs/ptx.md#rows",
    "How good are the estimates?": "docs/accuracy.md#the-figures",
    "How do I add an execution unit?": "docs/replacing-a-part.md#an-execution-unit",
}
LINK = re.compile(r"\]\(([^()\s#:]*)(?:#([\w-]+))?\)")
HEADING = re.compile(r"#+ (.*)")


def text_lines(path):
    """The lines of a document outside of code blocks."""
    code = False
    for line in path.read_text(encoding="utf-8").splitlines():
        fence = line.lstrip().startswith("```")
        code ^= fence
        if not code and not fence:
            yield line


def slug(heading):
    """The anchor of a heading."""
    visible = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", visible.lower()).replace(" ", "-")


def anchors(path):
    return {slug(found[1]) for found in map(HEADING.match, text_lines(path)) if found}


def links(path):
    """Pairs of the file and the anchor ("" for none) to which the links of a document lead."""
    for line in text_lines(path):
        for target, anchor in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            file = (path.parent / target).resolve() if target else path
            yield (file / "README.md" if file.is_dir() else file), anchor


def clicks(root):
    """The number of clicks from README.md to each file and to each heading with a link, as far as LIMIT."""
    start = root.resolve() / "README.md"
    found = {(start, ""): 0}
    pages = {start}
    for number in range(1, LIMIT + 1):
        reached = {link for page in pages if page.suffix == ".md" and page.is_file() for link in links(page)}
        for file, anchor in reached:
            found.setdefault((file, ""), number)
            found.setdefault((file, anchor), number)
        pages = {file for file, _ in reached}
    return found


def unanswered(root, questions):
    """The questions whose answer is not within LIMIT clicks, or does not exist."""
    found = clicks(root)
    missing = []
    for question, answer in questions.items():
        name, _, anchor = answer.partition("#")
        file = root.resolve() / name
        if (file, anchor) not in found or not file.is_file() or (anchor and anchor not in anchors(file)):
            missing.append(question)
    return missing


def lost(root):
    """The pages of docs that are not within LIMIT clicks."""
    found = clicks(root)
    pages = (root.resolve() / "docs").rglob("*.md")
    return sorted(page.relative_to(root.resolve()).as_posix() for page in pages if (page, "") not in found)


class TwoClicks(unittest.TestCase):
    def test_each_question_has_its_answer(self):
        self.assertEqual(unanswered(ROOT, QUESTIONS), [])

    def test_each_page_is_there(self):
        self.assertEqual(lost(ROOT), [])

    def test_the_readme_is_one_page(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()), README_LINES)


class WhatIsWrong(unittest.TestCase):
    """A tree with pages that no link, or only a third click, leads to."""

    FILES = {
        "README.md": "# R\n\n[index](docs/README.md), [top](docs/near.md#top)\n\n```\n[code](docs/only_code.md)\n```\n",
        "docs/README.md": "# Index\n\n[page](page.md#right), [page](page.md#wrong), [records](records/)\n",
        "docs/near.md": "# Top\n",
        "docs/page.md": "# Page\n\n## Right\n\n[third](third.md#third)\n",
        "docs/third.md": "# Third\n",
        "docs/only_code.md": "# Code\n",
        "docs/lonely.md": "# Lonely\n",
        "docs/records/README.md": "# Records\n",
    }

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in self.FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def test_a_page_that_no_link_leads_to_is_found(self):
        self.assertEqual(lost(self.root), ["docs/lonely.md", "docs/only_code.md", "docs/third.md"])

    def test_an_answer_needs_a_link_to_its_heading_and_the_heading(self):
        answers = ("docs/near.md#top", "docs/page.md#right", "docs/page.md#wrong", "docs/page.md#page", "docs/third.md#third",
                   "docs/lonely.md#lonely", "docs/gone.md#gone")
        self.assertEqual(unanswered(self.root, {answer: answer for answer in answers}), list(answers[2:]))


if __name__ == "__main__":
    unittest.main(verbosity=2)

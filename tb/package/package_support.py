"""Shared by the tests of the installed files: where they are, an environment without the source tree, and
what a program's help lists."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

PREFIX = Path(os.environ["SMSIM_PREFIX"])
SHARE = PREFIX / "share"
KERNELS = SHARE / "smsim/kernels"
PROGRAMS = ("smsim", "smsim-sweep", "smsim-explore")
ENVIRONMENT = {"PATH": f"{PREFIX}/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
# Seconds after which something awaited counts as missing, however busy the machine is.
PATIENCE = 900


class PackageTest(unittest.TestCase):
    """An empty folder, in which the programs run as they would for a user."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="smsim-test-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def run_program(self, *words, status=0, folder=None):
        """Standard output; if the status differs, the message contains standard error."""
        done = subprocess.run(
            list(map(str, words)),
            cwd=folder or self.folder,
            env=ENVIRONMENT | {"HOME": str(self.folder)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout

    def help_of(self, *command):
        return self.run_program(*command, "--help")

    def commands(self):
        """The subcommands of smsim."""
        found = re.search(r"^Subcommands:\n((?:  .*\n)+)", self.help_of("smsim"), re.MULTILINE).group(1)
        names = re.findall(r"^  ([a-z][\w-]*)", found, re.MULTILINE)
        self.assertIn("run", names)
        return names

    def helps(self):
        """(program with subcommand, its help) for all programs."""
        for program in PROGRAMS:
            yield (program,), self.help_of(program)
        for command in self.commands():
            yield ("smsim", command), self.help_of("smsim", command)


def options(text):
    """The names of all options in a help text."""
    found = []
    for head in re.findall(r"^  (-.*)$", text, re.MULTILINE):
        for word in re.split(r"[ ,]+", head.partition("  ")[0]):
            if re.fullmatch(r"--?[A-Za-z][\w-]*", word):
                found.append(word)
    return found

"""Completion in bash and zsh: the shells themselves offer every command and every option."""

import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import struct
import subprocess
import termios
import time
import unittest

from package_support import ENVIRONMENT, PATIENCE, SHARE, PackageTest, options


class Bash(PackageTest):
    def offered(self, *words):
        """The completions that bash offers for the last word."""
        program = words[0]
        file = SHARE / "bash-completion/completions" / program
        script = (
            f"source {shlex.quote(str(file))}; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1};"
            f" function=$(complete -p {program}); function=${{function#*-F }}; ${{function%% *}};"
            ' printf "%s\\n" "${COMPREPLY[@]}"'
        )
        return self.run_program("bash", "--norc", "-uc", script).split()

    def test_every_command_and_every_option_is_offered(self):
        self.assertEqual(self.offered("smsim", ""), self.commands())
        for command, text in self.helps():
            self.assertEqual(self.offered(*command, "-"), options(text), command)

    def test_values_of_options_are_offered(self):
        offered = {
            ("smsim", "run", "--report", ""): ["text", "json", "none"],
            ("smsim", "run", "--report", "=", "j"): ["json"],
            ("smsim", "run", "--memory-check", ""): ["strict", "report", "off"],
            ("smsim", "batch", "--memory-check", "s"): ["strict"],
            ("smsim", "run", "--trace-format", ""): ["json", "control", "timed"],
            ("smsim", "run", "--trace-fields", "r"): ["registers", "rpc", "release"],
            ("smsim", "run", "--trace-fields", "memory,t"): ["memory,timers"],
            ("smsim", "replay", "--into", ""): ["parts", "golden"],
            ("smsim", "replay", "--part", "b"): ["bru", "bcu"],
            ("smsim", "help", "co"): ["compile", "config"],
            ("smsim", "help", "run", ""): ["-h", "--help"],
            ("smsim", "--log-level", "w"): ["warning"],
            ("smsim", "run", "--set", "bru.branch_l"): ["bru.branch_latency="],
            ("smsim", "config", "-s", "sm.hazard_check", "="): ["true", "false"],
            ("smsim", "config", "-s", "ibuffer.policy", "=", "greedy_then_o"): ["greedy_then_oldest"],
            ("smsim-explore", "--format", ""): ["svg", "png", "pdf"],
            ("smsim", "run", "--timeline-cycles", ""): [],
        }
        for words, expected in offered.items():
            self.assertEqual(self.offered(*words), expected, words)

    def test_files_and_folders_are_offered(self):
        (self.folder / "runs").mkdir()
        (self.folder / "run.yaml").touch()
        self.assertEqual(sorted(self.offered("smsim", "run", "ru")), ["run.yaml", "runs"])
        self.assertEqual(self.offered("smsim", "run", "-o", "ru"), ["runs"])
        self.assertEqual(sorted(self.offered("smsim-sweep", "ru")), ["run.yaml", "runs"])


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(PackageTest):
    """A zsh on its own terminal, with room for everything that it lists."""

    def setUp(self):
        super().setUp()
        child, self.terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], ENVIRONMENT | {"HOME": str(self.folder), "TERM": "dumb"})
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.close, self.terminal)
        self.addCleanup(os.kill, child, 9)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 300, 250, 0, 0))
        folder = shlex.quote(str(SHARE / "zsh/site-functions"))
        self.type(f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -D -u; LISTMAX=0; PS1=''\n")
        self.type("echo rea''dy\n", ["ready"])

    def type(self, text, awaited=()):
        """Types a line, and reads until all expected words have been printed, as whole words."""
        os.write(self.terminal, text.encode())
        printed = ""
        end = time.monotonic() + PATIENCE
        while not all(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", printed) for word in awaited):
            self.assertLess(time.monotonic(), end, f"{awaited}\n{printed}")
            if select.select([self.terminal], [], [], 0.1)[0]:
                printed += os.read(self.terminal, 65536).decode(errors="replace")

    def test_every_command_and_every_option_is_offered(self):
        erase = "\x15"
        self.type(erase + "smsim \t", self.commands())
        for words, text in self.helps():
            names = [name for name in options(text) if name.startswith("--")]
            self.type(f"{erase}{' '.join(words)} -\t", names)

    def test_values_of_options_are_offered(self):
        self.type("\x15smsim --log-level \t", ["trace", "warning", "off"])
        self.type("\x15smsim run --report \t", ["text", "json", "none"])
        self.type("\x15smsim run --memory-check \t", ["strict", "report", "off"])
        self.type("\x15smsim run --trace-fields \t", ["registers", "predicates", "all"])
        self.type("\x15smsim help \t", self.commands())
        self.type("\x15smsim run --set bru.branch_l\t", ["bru.branch_latency"])


if __name__ == "__main__":
    unittest.main(verbosity=2)

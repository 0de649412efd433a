"""Bare roots: a Python interface to scripts/systems/roots.sh."""
import pathlib
import shlex
import subprocess

TREE = pathlib.Path(__file__).resolve().parent.parent.parent


class Failed(Exception):
    """A command in a root ended with an unexpected status; the text is its last lines."""


class Root:
    """One Debian root, made when it is first needed."""

    def __init__(self, suite, folder, mirror):
        """`folder` is where it is, or will be."""
        self.suite = suite
        self.path = folder
        self._mirror = mirror

    def make(self):
        """Makes the root unless it exists, and clones the last commit of this tree into /smsim."""
        done = self.path / "made"
        if not done.exists():
            subprocess.run(["rm", "-rf", "--one-file-system", self.path], check=True)
            self._shell(f"make_root {self.suite} {shlex.quote(str(self.path))} {shlex.quote(self._mirror)}")
            done.touch()
        if not (self.path / "smsim").exists():
            self._shell(f"clone_into {shlex.quote(str(self.path))} /smsim")
        else:
            self._shell(f"update_clone {shlex.quote(str(self.path))} /smsim")

    def install(self, packages, purposes):
        """Installs packages, and those that scripts/install-dependencies lists for these purposes."""
        if purposes:
            self.run(f"scripts/install-dependencies {' '.join(purposes)}")
        if packages:
            self.run("apt-get -qq update && apt-get -qq install -y --no-install-recommends " + " ".join(packages))

    def run(self, command, directory="/smsim", log=None):
        """Runs a command in the root, with its output in the file `log`; returns that output. Raises Failed."""
        call = f"inside {shlex.quote(str(self.path))} {shlex.quote(directory)} {shlex.quote(command)}"
        done = self._call(call)
        text = done.stdout.decode("utf-8", "replace")
        if log is not None:
            with open(log, "a", encoding="utf-8") as file:
                file.write(f"$ {command}\n{text}")
        if done.returncode != 0:
            raise Failed(f"{command}: status {done.returncode}\n" + "\n".join(text.splitlines()[-25:]))
        return text

    def _shell(self, text):
        done = self._call(text)
        if done.returncode != 0:
            raise Failed(f"{text}: status {done.returncode}\n" + done.stdout.decode("utf-8", "replace")[-2000:])

    @staticmethod
    def _call(text):
        return subprocess.run(["bash", "-c", f"set -euo pipefail; source scripts/systems/roots.sh; {text}"], cwd=TREE,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

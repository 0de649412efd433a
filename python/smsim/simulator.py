"""The program smsim as a sweep uses it: its model, its keys, and the effective configuration of a point."""

import json
import os
import re
import subprocess

from smsim.errors import UserError
from smsim.places import INSTALLED, ROOT, from_root
from smsim.values import Schema

class Refused(Exception):
    """smsim does not accept a configuration; the text is its message."""


class Simulator:
    """One smsim program."""

    def __init__(self, path):
        self.path = from_root(path)
        if not os.access(ROOT / self.path, os.X_OK):
            raise UserError(f"{self.path} is missing" + ("" if INSTALLED else "; scripts/build makes it"))
        # smsim 0.1.0 (model 1a2b3c4d5e6f)
        self.version = next(iter(self._run("--version").splitlines()), "")
        model = re.search(r"\(model ([^)]+)\)", self.version)
        if not model:
            raise UserError(f"{self.path}: '{self.version}' names no model")
        self.model = model.group(1)
        keys = json.loads(self._run("config", "--schema", "--json"))["keys"]
        names = {name: row for row in keys for name in (row["key"], *row.get("also", ()))}
        self.schema = Schema(names, self._refusal)

    def _run(self, *arguments, text=""):
        """The output of the program, with `text` as its input."""
        try:
            done = subprocess.run(
                [self.path, *arguments], cwd=ROOT, input=text, capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise UserError(f"{self.path}: cannot be run: {error.strerror}") from None
        if done.returncode == 2:
            raise Refused(plain_message(done.stderr))
        if done.returncode != 0:
            raise UserError(f"{self.path}: 'smsim {' '.join(arguments)}' ended with status {done.returncode}")
        return done.stdout

    def effective(self, config, settings):
        """The value of every key, with a configuration file (or None) and settings 'key=value' applied to the defaults. Raises
        Refused with the message of the model."""
        arguments = ["config", "--json", *configuration_arguments(config, settings)]
        return flattened(json.loads(self._run(*arguments)))

    def effective_of_each(self, config, all_settings):
        """As `effective`, for many settings with one start of the program: a list of values, or Refused where the model does
        not accept a configuration."""
        lines = "".join(json.dumps(list(settings)) + "\n" for settings in all_settings)
        printed = self._run("config", *configuration_arguments(config, ()), "--each", "-", text=lines)
        return [outcome(json.loads(line)) for line in printed.splitlines()]

    def _refusal(self, key, text):
        """The message of smsim about one value applied to the defaults; "" if it accepts the value."""
        try:
            self.effective(None, (f"{key}={text}",))
        except Refused as error:
            return str(error).removeprefix(f"--set {key}={text}: ")
        return ""

    def run_command(self, launch, config, settings, output, changes=()):
        """The command of one point, which writes its report into the folder `output`. `changes`: of the launch file."""
        command = [self.path, "run", "--no-progress", "--report", "none", "-o", output]
        changed = [word for change in changes for word in ("--launch", change)]
        return [*command, *configuration_arguments(config, settings), *changed, launch]


def configuration_arguments(config, settings):
    arguments = ["-c", from_root(config)] if config else []
    for setting in settings:
        arguments += ["--set", setting]
    return arguments


def outcome(tree):
    """The values of a configuration as the program prints them, or Refused."""
    return Refused(plain_message(tree["refused"])) if "refused" in tree else flattened(tree)


def plain_message(text):
    """The message of smsim, without its name and in one line."""
    return " ".join(text.strip().removeprefix("smsim: error: ").split())


def flattened(tree, prefix=""):
    """{"bru": {"pipelines": 4}} as {"bru.pipelines": 4}."""
    flat = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            flat |= flattened(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat

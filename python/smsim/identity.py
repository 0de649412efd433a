"""Keys of results: hashes of everything that determines a result. Runs with the same key have the same report, byte for byte,
so that nothing is computed twice; runs that differ in anything that could matter have different keys.

A key is the SHA-256 over: version of the program with the fingerprint of its model; name (it appears in the report) and text of
the launch file; program text, what it includes, and data files; for CUDA C++ the version of the compiler; the value of every
configuration key, in alphabetical order; the bytes of the libraries that these name."""

import functools
import hashlib
import json
import os
import re
import subprocess
from pathlib import Path

import yaml

from smsim import document
from smsim.errors import UserError
from smsim.places import DATA, ROOT, from_root
from smsim.simulator import Refused

# Configurations that one start of the program computes; progress is reported after each such batch.
AT_A_TIME = 200
LIBRARY = re.compile(r"library:(?P<policy>[^:]+)(:.*)?|(rtl|lockstep):(?P<block>.+)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)


class Identity:
    """Computes keys for one program and one base configuration; each file and each configuration is read once."""

    def __init__(self, simulator, config=None):
        self._simulator = simulator
        self._config = config
        self._launches = {}

    def assign(self, points, told=lambda done, total: None, see=lambda settings, effective: None):
        """Fills in `key` of every point, and `refused` where the model does not accept the configuration. `told` is called with
        the number of configurations computed, `see` with each that the model accepts."""
        unique = list(dict.fromkeys(point.settings for point in points))
        configurations = {}
        for first in range(0, len(unique), AT_A_TIME):
            some = unique[first : first + AT_A_TIME]
            for settings, effective in zip(some, self._simulator.effective_of_each(self._config, some), strict=True):
                configurations[settings] = self._configuration(settings, effective)
                if not isinstance(effective, Refused):
                    see(settings, effective)
            told(len(configurations), len(unique))
        for point in points:
            configuration, point.refused = configurations[point.settings]
            point.key = self.key(point.kernel.launch, configuration, point.launch)

    def _configuration(self, settings, effective):
        """(content, message): the message is empty when the model accepts the configuration."""
        if isinstance(effective, Refused):
            # There is no effective configuration; the message depends on the file and the settings in their order.
            return {"refused": [self._digest_of_config(), *settings]}, str(effective)
        return effective, ""

    def _digest_of_config(self):
        return digest(self._config) if self._config else ""

    def key(self, launch, configuration, changes=()):
        """The key of a launch file (path), with `changes` to it and the value of every configuration key."""
        if (launch, changes) not in self._launches:
            self._launches[launch, changes] = {
                "version": self._simulator.version,
                "launch": from_root(launch),
                "files": {name: digest(path) for name, path in files_of(launch, self._simulator.path, changes).items()},
                "compiler": compiler() if needs_compiler(launch, changes) else "",
            }
            if changes:
                self._launches[launch, changes]["changes"] = changes
        content = self._launches[launch, changes] | {"configuration": configuration}
        if libraries := {text: digest(ROOT / path) for text, path in _libraries_of(configuration)}:
            content["libraries"] = libraries
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _libraries_of(configuration):
    """(value, path) of every shared library that a configuration names: policies, and blocks of RTL."""
    for value in configuration.values():
        if isinstance(value, dict):
            yield from _libraries_of(value)
        elif isinstance(value, str) and (found := LIBRARY.fullmatch(value)):
            yield value, found["policy"] or found["block"]


def digest(path):
    """The hash of a file's bytes. A file that cannot be read, or a device, has a distinct hash: smsim will reject the run."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest() if os.path.isfile(path) else "missing"
    except OSError:
        return "missing"


@functools.lru_cache(maxsize=None)
def compiler():
    """The version text of clang."""
    name = os.environ.get("CLANG") or "clang"
    try:
        done = subprocess.run(
            [name, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    except OSError:
        return "missing"
    return done.stdout


def _launch_tree(launch, changes=()):
    try:
        tree = document.text_tree(document.file_text(launch))
        for change in changes:
            path, _, value = change.partition("=")
            _set(tree, path.split("."), document.text_tree(value))
    except yaml.YAMLError:
        tree = None  # smsim rejects it, with a message
    return tree if isinstance(tree, dict) else {}


def _set(tree, path, value):
    """Sets a member as `smsim run --launch` does; a path that leads nowhere is rejected there."""
    for place, name in enumerate(path):
        if isinstance(tree, list):
            names = [item.get("name", str(i)) if isinstance(item, dict) else str(i) for i, item in enumerate(tree)]
            if name not in names:
                return
            name = names.index(name)
        elif not isinstance(tree, dict):
            return
        if place == len(path) - 1:
            tree[name] = value
        else:
            tree = tree[name] if isinstance(tree, list) else tree.get(name)


def _texts_of(tree, name):
    """The text of every member `name` at any depth, except those of files that a run writes."""
    if isinstance(tree, list):
        return [text for item in tree for text in _texts_of(item, name)]
    if not isinstance(tree, dict):
        return []
    here = [tree[name]] if isinstance(tree.get(name), str) else []
    return here + [text for member, value in tree.items() if member != "dump" for text in _texts_of(value, name)]


def needs_compiler(launch, changes=()):
    return any(program.endswith(".cu") for program in _texts_of(_launch_tree(launch, changes), "program"))


def has_dumps(launch, changes=()):
    return bool(_launch_tree(launch, changes).get("dump"))


def program_of(launch):
    """The name of the program that a launch file runs, without folder and extensions; "" if it names none, or cannot be read."""
    try:
        return Path(str(_launch_tree(launch).get("program", ""))).name.partition(".")[0]
    except UserError:
        return ""


def files_of(launch, simulator, changes=()):
    """Name (from the launch file) -> path of each file that a run reads: the launch file, its programs with what they
    include, contents of buffers, expected results; of several launches those of all steps. `changes`: of the launch file."""
    launch = Path(launch)
    tree = _launch_tree(launch, changes)
    programs = _texts_of(tree, "program")
    found = {"": launch}
    for name in [*programs, *_texts_of(tree, "file")]:
        found[name] = launch.parent / name
    for program in programs:
        if program.endswith(".cu"):
            found |= included(found[program], include_folders(simulator))
    return found


def include_folders(simulator):
    """The folders in which smsim has clang look for headers: beside the installed program, else in its source tree."""
    installed = (ROOT / simulator).parent.parent / "share/smsim/cuda/include"
    return [installed if installed.is_dir() else DATA / "cuda/include"]


def included(source, folders):
    """Files that a source includes, directly or through others; headers of the compiler itself are covered by its version."""
    found = {}
    waiting = [source]
    while waiting:
        path = waiting.pop()
        try:
            text = path.read_text(encoding="utf-8", errors="replace") if os.path.isfile(path) else ""
        except OSError:
            continue
        for name in INCLUDE.findall(text):
            target = next((folder / name for folder in (path.parent, *folders) if os.path.isfile(folder / name)), None)
            if target is not None and f"#{from_root(target)}" not in found:
                found[f"#{from_root(target)}"] = target
                waiting.append(target)
    return found

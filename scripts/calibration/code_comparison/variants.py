"""Variants: a name, a program, and options of `smsim run`, some of which `smsim compile` accepts, too."""
import dataclasses
import pathlib
import re
import shlex
import subprocess


class VariantError(Exception):
    """An invalid variant."""


@dataclasses.dataclass
class Variant:
    """`compile_options` are those of `options` that `smsim compile` knows."""
    name: str
    program: pathlib.Path
    options: list
    compile_options: list


def known_options(program):
    """Options of `smsim compile`, from its help, and whether each takes a value."""
    try:
        run = subprocess.run([program, "compile", "--help"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise VariantError(f"{program}: cannot be run ({error.strerror})") from error
    found = {}
    for line in run.stdout.splitlines():
        if match := re.match(r"  (-[-\w,]+)(?: ([A-Z]\S*))?(?:\s|$)", line):
            found |= {name: match[2] is not None for name in match[1].split(",")}
    if "--output" not in found:
        raise VariantError(f"{program}: is not smsim; 'compile --help' does not name its options")
    return found


def shared_options(options, known):
    """The `options` that are in `known`, with their values."""
    shared = []
    words = iter(options)
    for word in words:
        name = word.split("=")[0] if word.startswith("--") else word[:2]
        if not word.startswith("-") or name not in known:
            continue
        shared.append(word)
        if known[name] and word == name:
            shared += [value for value in [next(words, None)] if value is not None]
    return shared


def parse(text, default_program):
    """A variant from `NAME`, `NAME:OPTIONS`, `NAME=PROGRAM` or `NAME=PROGRAM:OPTIONS`."""
    match = re.fullmatch(r"([^:=\s/]+)(?:=([^:]+))?(?::(.*))?", text, re.DOTALL)
    if not match:
        raise VariantError(f"--variant '{text}': expected NAME:OPTIONS, NAME=PROGRAM or NAME=PROGRAM:OPTIONS")
    name, program, rest = match.groups()
    program = pathlib.Path(program).expanduser() if program else default_program
    if not program.is_file():
        raise VariantError(f"variant {name}: {program} is missing")
    program = program.resolve()
    try:
        options = shlex.split(rest or "")
    except ValueError as error:
        raise VariantError(f"variant {name}: {error} in '{rest}'") from error
    return Variant(name, program, options, shared_options(options, known_options(program)))

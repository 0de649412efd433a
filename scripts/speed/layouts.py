"""Programs of one build that differ only in where the linker has placed their functions."""
import os
import pathlib
import random
import re
import shlex
import subprocess

from speed.classes import BenchError

COMPILED = re.compile(r" -o (\S+\.o) ")


def link(build, count, folder):
    """Links the program of the Ninja build folder `build` `count` times into `folder`, each time with another order of the
    objects; the orders are the same in every call. Returns the programs."""
    asked = subprocess.run(["ninja", "-C", build, "-t", "commands", "smsim_program"], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        raise BenchError(f"{build}: expected a build folder of Ninja: {asked.stderr.strip() or asked.stdout.strip()}")
    commands = asked.stdout.splitlines()
    objects = list(dict.fromkeys(found.group(1) for line in commands if " -c " in line and (found := COMPILED.search(line))))
    linking = [line for line in commands if " -o smsim " in line]
    if not objects or not linking:
        raise BenchError(f"{build}: nothing is known of how its program is linked")
    words = shlex.split(linking[-1].removeprefix(": && ").removesuffix(" && :"))
    # Libraries of the build are unpacked: within a library, the linker would keep the order.
    others = [word for word in words if not word.endswith(".o") and not (word.endswith(".a") and (build / word).is_file())]
    output = others.index("-o")
    programs = []
    for number in range(count):
        order = list(objects)
        random.Random(number).shuffle(order)
        # Objects that are optimised across files stay in front, as in the build: GCC 12 fails if an earlier object has defined
        # the same function of a template.
        order.sort(key=lambda name: "_as_one.dir/" not in name)
        program = folder / f"{build.name}.{number}"
        command = [*others[:output], *order, "-o", str(program), *others[output + 2:]]
        done = subprocess.run(command, cwd=build, capture_output=True, text=True, check=False,
                              env=os.environ | {"SMSIM_LINK_OR_FAIL": "1"})  # otherwise it would be slower for another reason
        if done.returncode != 0:
            raise BenchError(f"{build}: linking: {done.stderr.strip()[-500:]}")
        programs.append(pathlib.Path(program))
    return programs

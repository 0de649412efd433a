"""Programs of one build that differ in nothing but where the linker has put their functions."""
import os
import pathlib
import random
import re
import shlex
import subprocess

from speed.classes import BenchError

COMPILED = re.compile(r" -o (\S+\.o) ")


def link(build, count, folder):
    """Links the program of the build folder `build`, made by Ninja, `count` times into `folder`, the objects each time in another
    order, which is the same in every call. Returns the programs."""
    asked = subprocess.run(["ninja", "-C", build, "-t", "commands", "smsim_program"], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        raise BenchError(f"{build}: expected a build folder of Ninja: {asked.stderr.strip() or asked.stdout.strip()}")
    commands = asked.stdout.splitlines()
    objects = list(dict.fromkeys(found.group(1) for line in commands if " -c " in line and (found := COMPILED.search(line))))
    linking = [line for line in commands if " -o smsim " in line]
    if not objects or not linking:
        raise BenchError(f"{build}: nothing is known of how its program is linked")
    words = shlex.split(linking[-1].removeprefix(": && ").removesuffix(" && :"))
    # Libraries of the build are taken apart: within one the linker would keep the order.
    others = [word for word in words if not word.endswith(".o") and not (word.endswith(".a") and (build / word).is_file())]
    output = others.index("-o")
    programs = []
    for number in range(count):
        order = list(objects)
        random.Random(number).shuffle(order)
        # What is optimised across files stays in front, as the build has it: GCC 12 fails where another object has brought a
        # function of a template before.
        order.sort(key=lambda name: "_as_one.dir/" not in name)
        program = folder / f"{build.name}.{number}"
        command = [*others[:output], *order, "-o", str(program), *others[output + 2:]]
        done = subprocess.run(command, cwd=build, capture_output=True, text=True, check=False,
                              env=os.environ | {"SMSIM_LINK_OR_FAIL": "1"})  # or it would be slower for another reason
        if done.returncode != 0:
            raise BenchError(f"{build}: linking: {done.stderr.strip()[-500:]}")
        programs.append(pathlib.Path(program))
    return programs

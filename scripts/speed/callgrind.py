"""Host instructions by function, counted by callgrind (a tool of valgrind): exact, and the same on every run."""
import collections
import os
import pathlib
import shutil
import subprocess
import tempfile

# The beginning of a line with the costs of a place.
COST_LINE = frozenset("0123456789+-*")
# Counts only the launch, not the start of the process or the construction of the model.
LAUNCH = "_ZN5smsim7session7Session6launch*"


class Profile:
    """The costs of functions, which are identified by their mangled names."""

    def __init__(self):
        self.own = collections.Counter()  # function: instructions of its own
        self.objects = {}  # function: program or library that contains it
        self.calls = collections.Counter()  # (caller, callee): how often
        self.inclusive = collections.Counter()  # (caller, callee): instructions, including everything that the callee calls

    @property
    def total(self):
        return sum(self.own.values())

    def calls_of(self, chosen):
        """Calls of each function for whose name `chosen(name)` holds."""
        found = collections.Counter()
        for (_, callee), count in self.calls.items():
            if chosen(callee):
                found[callee] += count
        return found


def available():
    return shutil.which("valgrind") is not None


def run(command, only=LAUNCH):
    """Runs `command` under callgrind. Returns its profile and its output. With `only`, only instructions within that function
    count."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "profile"
        options = ["--tool=callgrind", "--demangle=no", "--compress-pos=no", f"--callgrind-out-file={output}"]
        if only:
            options.append(f"--toggle-collect={only}")
        done = subprocess.run(["valgrind", "-q", *options, *map(str, command)], capture_output=True, text=True,
                              env=os.environ | {"SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))} under valgrind: {done.stderr.strip()}")
        return read(output), done.stdout


def read(path):
    """Reads the file that callgrind writes; names are abbreviated by numbers after their first occurrence."""
    profile = Profile()
    names = {"fn": {}, "ob": {}}
    here = {"ob": "", "fn": ""}
    callee = {"ob": "", "fn": ""}
    called = 0  # the next line of costs is that of this many calls

    def name_of(kind, text):
        number, _, name = text.partition(" ")
        if name:
            names[kind][number] = name
        return names[kind].get(number, number)

    with open(path, encoding="utf-8") as lines:
        for line in lines:
            key, equals, value = line.rstrip("\n").partition("=")
            if equals:
                if key in ("ob", "fn"):
                    here[key] = name_of(key, value)
                    callee["ob"] = here["ob"]
                if key == "fn":
                    profile.objects.setdefault(here["fn"], here["ob"])
                elif key in ("cob", "cfn"):
                    callee[key[1:]] = name_of(key[1:], value)
                elif key == "calls":
                    called = int(value.split()[0])
                    profile.objects.setdefault(callee["fn"], callee["ob"])
            elif line[:1] in COST_LINE:
                fields = line.split()
                cost = int(fields[-1]) if len(fields) > 1 else 0
                if called:
                    edge = (here["fn"], callee["fn"])
                    profile.calls[edge] += called
                    profile.inclusive[edge] += cost
                    called = 0
                    callee["ob"] = here["ob"]
                else:
                    profile.own[here["fn"]] += cost
    return profile

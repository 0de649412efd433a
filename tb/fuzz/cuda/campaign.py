"""Batches of programs: written, compiled, run on the host and on the model, compared, and reduced where they differ."""
import dataclasses
import pathlib
import random as randoms
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
from smsim import buffer_data  # noqa: E402

from . import build, program

STACK = 16384 # bytes for recursive functions
INPUTS = [("words", "u32", dict(low=0, high=0xffffffff)), ("reals", "f32", dict(low=-1000, high=1000)),
          ("letters", "u8", dict(low=0, high=255)), ("pairs", "s32", dict(low=-100, high=100))]
RESULTS = ["shared_words", "results", "bytes"]
TYPES = {"shared_words": "u32", "results": "u64", "bytes": "u8"}


@dataclasses.dataclass(frozen=True)
class Variant:
    """A device compiler with its level and target, and how the model runs its PTX."""
    compiler: str
    level: int
    target: str
    model_level: int
    engine: str
    config: str

    @property
    def ptx(self):
        return f"{self.compiler}.O{self.level}.{self.target}.ptx"

    def __str__(self):
        return f"{self.compiler} -O{self.level} {self.target}, smsim -O{self.model_level} {self.engine} {self.config}"


def variants(seed, compilers, levels):
    """Each compiler at a level and target chosen by the seed; the model at all of `levels`, on the engine chosen by the seed."""
    random = randoms.Random(seed * 7919 + 1)
    chosen = []
    for compiler in compilers:
        level, target = random.choice([0, 1, 2, 3, 3]), random.choice(build.TARGETS[compiler])
        engine = random.choice(["convergence_barrier"] * 4 + ["simt_stack", "token_stack"])
        config = random.choice(["default", "default", "v100", "a100", "h100"])
        chosen += [Variant(compiler, level, target, model_level, engine, config) for model_level in levels]
    return chosen


@dataclasses.dataclass
class Failure:
    seed: int
    variant: str
    message: str


def sizes(one):
    threads = one.threads * one.ctas
    return {"shared_words": program.WORDS, "results": program.OUT * threads, "bytes": program.BYTES * threads}


MAIN = """
#include <cstdio>
#include <cstdlib>
template <typename T> static std::vector<T> read(const char *name, std::size_t count) {
  std::vector<T> all(count);
  FILE *file = std::fopen(name, "rb");
  if (file == nullptr || std::fread(all.data(), sizeof(T), count, file) != count) std::exit(2);
  std::fclose(file);
  return all;
}
template <typename T> static void write(const char *name, const std::vector<T> &all) {
  FILE *file = std::fopen(name, "wb");
  std::fwrite(all.data(), sizeof(T), all.size(), file);
  std::fclose(file);
}
int main() {
  const auto words = read<unsigned>("words.bin", 256);
  const auto reals = read<float>("reals.bin", 256);
  const auto letters = read<unsigned char>("letters.bin", 256);
  const auto pairs = read<int2>("pairs.bin", 128);
"""


def host_text(programs):
    text = program.source(programs) + MAIN
    for one in programs:
        text += f"  {{\n    std::vector<unsigned> shared_words = {{{', '.join(f'{word}u' for word in program.NEUTRAL)}}};\n"
        text += "".join(f"    std::vector<{kind}> {name}({sizes(one)[name]});\n"
                        for name, kind in (("results", "unsigned long long"), ("bytes", "unsigned char")))
        text += (f"    blockDim.x = {one.threads};\n    for (blockIdx.x = 0; blockIdx.x < {one.ctas}; ++blockIdx.x)\n"
                 f"      host::Cta({one.threads}, [&] {{ {one.name}(words.data(), reals.data(), letters.data(), pairs.data(), "
                 "shared_words.data(), results.data(), bytes.data()); }).run();\n")
        text += "".join(f'    write("{one.name}.{name}.bin", {name});\n' for name in RESULTS) + "  }\n"
    return text + "}\n"


def launch_text(programs, ptx):
    """A launch file of several launches, which compares all results with those of the host."""
    lines = [f"program: {ptx}", "buffers:"]
    lines += [f"  - {{name: {name}, type: {kind}, init: {{file: {name}.bin}}}}" for name, kind, _ in INPUTS]
    for one in programs:
        lines += [f"  - {{name: {name}{one.number}, type: {TYPES[name]}, count: {count}"
                  + (f", init: {{values: [{', '.join(map(str, program.NEUTRAL))}]}}" if name == "shared_words" else "") + "}"
                  for name, count in sizes(one).items()]
    lines.append("steps:")
    for one in programs:
        arguments = [name for name, _, _ in INPUTS] + [f"{name}{one.number}" for name in RESULTS]
        lines.append(f"  - launch: {{kernel: {one.name}, grid: {one.ctas}, block: {one.threads}, arguments: "
                     f"[{', '.join(f'{{buffer: {name}}}' for name in arguments)}]}}")
        lines += [f"  - check: {{buffer: {name}{one.number}, file: {one.name}.{name}.bin}}" for name in RESULTS]
    return "\n".join(lines) + "\n"


class Campaign:
    """`smsim` is the program, `compilers` maps names to paths, `levels` are those of the model."""

    def __init__(self, smsim, compilers, levels, sanitize=False):
        self.smsim = smsim
        self.compilers = compilers
        self.levels = levels
        self.sanitize = sanitize
        self.runs = 0
        self.refused = 0

    def prepare(self, programs, folder):
        """Source, inputs and expected results."""
        (folder / "kernels.cu").write_text(program.source(programs))
        (folder / "host.cpp").write_text(host_text(programs))
        for number, (name, kind, limits) in enumerate(INPUTS):
            buffer_data.write(folder / f"{name}.bin", kind, buffer_data.random(kind, program.INPUTS, seed=number + 1, **limits))
        build.host(build.host_compiler(), folder / "host.cpp", folder / "host", self.sanitize)
        done = subprocess.run([folder / "host"], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        if done.returncode != 0:
            raise build.BuildError(f"the host ends with status {done.returncode}: {done.stderr[-2000:]}")

    def judge(self, programs, variant, folder):
        """One line describing how the model differs from the host; empty if all is equal."""
        path = folder / variant.ptx
        if not path.exists():
            build.ptx(variant.compiler, self.compilers[variant.compiler], folder / "kernels.cu", variant.level, variant.target, path)
        launch = folder / f"{variant.ptx[:-4]}.yaml"
        launch.write_text(launch_text(programs, variant.ptx))
        command = [self.smsim, "run", "--report", "none", "--no-progress", f"-O{variant.model_level}", "--stack", str(STACK),
                   "--engine", variant.engine]
        if variant.config != "default":
            command += ["-c", str(build.ROOT / f"configs/{variant.config}.yaml")]
        done = subprocess.run([*command, str(launch)], capture_output=True, text=True, check=False)
        self.runs += len(programs)
        if done.returncode == 0:
            return ""
        if "which simt_stack cannot hold" in done.stderr or "which token_stack cannot hold" in done.stderr:
            self.refused += len(programs)
            return self.judge(programs, dataclasses.replace(variant, engine="convergence_barrier"), folder)
        return "\n".join(line for line in done.stderr.splitlines() if line.strip())[:2000] or f"status {done.returncode}"

    def differs(self, one, variant):
        """The message of one program run alone; empty if it agrees or is no longer a valid program."""
        with tempfile.TemporaryDirectory(prefix="cuda-fuzz-") as name:
            folder = pathlib.Path(name)
            try:
                self.prepare([one], folder)
                return self.judge([one], variant, folder)
            except build.BuildError:
                return ""

    def batch(self, seeds):
        """The failures among the programs of the given seeds."""
        programs = [program.grow(seed, number) for number, seed in enumerate(seeds)]
        failures = []
        with tempfile.TemporaryDirectory(prefix="cuda-fuzz-") as name:
            folder = pathlib.Path(name)
            self.prepare(programs, folder)
            for variant in variants(seeds[0], self.compilers, self.levels):
                if self.judge(programs, variant, folder):
                    for one in programs: # run each alone: an exception would end the others
                        if message := self.differs(one, variant):
                            failures.append((one, variant, message))
        return failures

    def shrink(self, one, variant, tries=150):
        """Removes statements while the program still differs."""
        for statements in one.statements():
            tries = self.cut(statements, one, variant, tries)
        return one

    def cut(self, statements, one, variant, tries):
        at = 0
        while at < len(statements) and tries > 0:
            statement = statements.pop(at)
            tries -= 1
            if not self.differs(one, variant):
                statements.insert(at, statement)
                at += 1
        for statement in statements:
            for body in statement.bodies:
                tries = self.cut(body, one, variant, tries)
        return tries

    def keep(self, one, variant, message, folder):
        """Writes everything that reproduces a failure to its own folder and returns that folder."""
        place = folder / f"program{one.seed}"
        place.mkdir(parents=True, exist_ok=True)
        self.prepare([one], place)
        self.judge([one], variant, place)
        (place / "message.txt").write_text(f"{variant}\n{message}\n")
        return place

"""The launches, and the figures of one launch with one variant: the cost of the run, and the code."""
import json
import pathlib
import re
import subprocess
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[3]
ORIGINS = {".clang.ptx": "clang", ".nvcc.ptx": "nvcc", ".ptx": "PTX", ".cu": "source"}
LIMIT_S = 1800
# Operations whose modifier makes a different operation, as in the vendor's opcodes.
SEPARATE = ("IMAD.WIDE", "IMAD.HI", "ATOMG.CAS", "ATOMS.CAS")


class LaunchError(Exception):
    """A launch file that cannot be compared."""


class Launch:
    """A launch file with its program and its name in tables, `cuda_spmv warp`."""

    def __init__(self, path):
        path = path.resolve()
        # Messages and results must not contain the tree's path; commands run in its root.
        self.path = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        self.program = self.path.parent / program_of(path)
        self.origin = next((name for suffix, name in ORIGINS.items() if self.program.name.endswith(suffix)), None)
        if self.origin is None:
            raise LaunchError(f"{path}: its program '{self.program.name}' is neither PTX nor CUDA C++")
        words = [word for word in self.path.stem.split("_")[1:] if word not in ("nvcc", "cu")]
        self.kernel = " ".join([self.path.parent.name, *words])
        self.folder = f"{self.path.parent.name}.{self.path.stem}"


def program_of(path):
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LaunchError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or 'not text'})") from error
    if re.search(r"^steps:", text, re.MULTILINE):
        raise LaunchError(f"{path}: has several launches; name a file of one")
    match = re.search(r"^program:\s*([^#\n]+)", text, re.MULTILINE)
    if not match:
        raise LaunchError(f"{path}: names no program")
    return match[1].strip().strip("'\"")


def launches(names, origins):
    """Launches of the named files or folders of kernels/, or of all kernels in CUDA C; from folders, only those with PTX from
    `origins`, without benchmarks."""
    found = []
    for name in names or sorted(folder.name for folder in (ROOT / "kernels/compiled").glob("*")):
        if name.endswith(".yaml"):
            found.append(Launch(pathlib.Path(name)))
            continue
        files = sorted((ROOT / "kernels").glob(f"*/{name}/launch*.yaml"))
        if not files:
            raise LaunchError(f"no kernel '{name}'; a folder of kernels/ or a launch file is expected")
        small = any(file.stem.startswith("launch_small") for file in files)
        for file in files:
            if file.stem.endswith(("_cu", "_large")) or (small and not file.stem.startswith("launch_small")):
                continue
            launch = Launch(file)
            if launch.origin in origins:
                found.append(launch)
    if not found:
        raise LaunchError(f"no launch has PTX of {' or '.join(origins)}")
    return found


def operation_of(line):
    """The operation in a line of assembly; nothing for labels, directives, data and comments."""
    text = line.split("//")[0].strip()
    if not text.endswith(";"):
        return None
    words = [word for word in text.rstrip(";").split() if not word.startswith("@")]
    return next((name for name in SEPARATE if words[0].startswith(name)), words[0].split(".")[0])


def code_figures(assembly, kernel):
    """Registers, local bytes and instructions of one kernel in a text from `smsim compile`, including its functions."""
    figures = {"registers": None, "local": 0, "static_instructions": 0, "mix": {}}
    mix = Counter()
    current = None
    for line in assembly.splitlines():
        text = line.split("//")[0].strip()
        if text.startswith(".kernel "):
            current = text.split()[1]
        elif text == ".endkernel":
            current = None
        elif current == kernel and text.startswith(".registers "):
            figures["registers"] = int(text.split()[1])
        elif current == kernel and text.startswith(".local "):
            figures["local"] = int(text.split()[1])
        elif current in (None, kernel) and (operation := operation_of(line)):
            mix[operation] += 1
    figures |= {"static_instructions": mix.total(), "mix": dict(mix)}
    return figures


def first_line(run):
    return (run.stderr.strip().splitlines() or [f"exit status {run.returncode}"])[0]


def measure(launch, variant, configuration, folder):
    """Figures of a launch with a variant; `error` if there are none. Leaves the report and the assembly in `folder`."""
    row = {"kernel": launch.kernel, "origin": launch.origin, "variant": variant.name, "launch": str(launch.path)}
    folder.mkdir(parents=True, exist_ok=True)
    report_path = folder / "report.json"
    report_path.unlink(missing_ok=True)
    given = any(word.startswith(("-c", "--config")) for word in variant.options)
    command = [variant.program, "run", "--no-progress", "--report", "none", "-o", folder]
    command += [] if given else ["-c", configuration]
    try:
        run = subprocess.run([*command, *variant.options, launch.path], cwd=ROOT, capture_output=True, text=True, check=False,
                             timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return row | {"error": f"no end within {LIMIT_S} s"}
    if not report_path.is_file():
        return row | {"error": first_line(run)}
    report = json.loads(report_path.read_text(encoding="utf-8"))
    if run.returncode != 0:
        return row | {"error": report["run"]["exception"] or first_line(run)}
    code = folder / "code.sasm"
    compiled = subprocess.run([variant.program, "compile", *variant.compile_options, "-o", code, launch.program],
                              cwd=ROOT, capture_output=True, text=True, check=False)
    if compiled.returncode != 0:
        return row | {"error": first_line(compiled)}
    row |= {"entry": report["run"]["kernel"], "cycles": report["cycles"], "warp_instructions": report["warp_instructions"]}
    return row | code_figures(code.read_text(encoding="utf-8"), row["entry"])

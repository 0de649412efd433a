"""Compiles the sources of this folder: with clang to PTX for the model, with nvcc to binaries for a GPU."""
import atexit
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[2] / "cuda/include"
SOURCES = sorted(path.stem for path in HERE.glob("*.cu"))
# The options with which smsim compiles .cu files (docs/launch-files.md), with C++17.
CLANG = ["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_70", "-O3", "-std=c++17",
         "-Wno-unknown-cuda-version", "-S", f"-I{INCLUDE}"]
NVCC = ["-cubin", "-std=c++17", "-O3", "-Xptxas", "-v", f"-I{INCLUDE}"]
OF_ONE_ARCHITECTURE = {"warpgroups"}  # with instructions that are allowed only in code for exactly this architecture
_lock = threading.Lock()


class CompileError(Exception):
    """A compiler is missing or has rejected a source."""


@functools.cache
def _folder():
    folder = tempfile.TemporaryDirectory(prefix="smsim-device-")
    atexit.register(folder.cleanup)
    return folder


def find_clang():
    """Path of clang: the one named by CLANG, or the one in PATH."""
    found = shutil.which(os.environ.get("CLANG", "clang"))
    if found is None:
        raise CompileError("clang is not installed: it compiles the benchmarks for the model")
    return found


def ptx(source, folder=HERE):
    """Path of the PTX of a source in a folder of tb/silicon; compiled once per process."""
    with _lock:
        path = pathlib.Path(_folder().name) / f"{folder.name}.{source}.ptx"
        if not path.exists():
            _run([find_clang(), *CLANG, folder / f"{source}.cu", "-o", path.with_suffix(".new")], source)
            # As smsim does with CUDA C++: matrix instructions exist whatever clang's target.
            text = path.with_suffix(".new").read_text()
            path.with_suffix(".new").write_text(text.replace(".target sm_70", ".target sm_90a", 1))
            path.with_suffix(".new").rename(path)
        return path


def find_nvcc(named=None):
    """Path of nvcc: the one named, or the one in PATH, CUDA_HOME or /usr/local/cuda."""
    if named:
        found = shutil.which(named)
        if found is None:
            raise CompileError(f"{named}: no program; --nvcc names nvcc of the CUDA toolkit")
        return found
    for place in ("nvcc", f"{os.environ.get('CUDA_HOME', '/usr/local/cuda')}/bin/nvcc", "/usr/local/cuda/bin/nvcc"):
        if found := shutil.which(place):
            return found
    raise CompileError("nvcc is not installed: it is part of the CUDA toolkit; --nvcc names one that is not in PATH")


def nvcc_version(nvcc):
    text = _run([nvcc, "--version"], "--version").stdout
    found = re.search(r"V(\d+\.\d+\.\d+)", text)
    return found.group(1) if found else "unknown"


def nvcc_targets(nvcc):
    """The architectures that nvcc compiles for, for example 90 for sm_90."""
    return sorted({int(number) for number in re.findall(r"sm_(\d+)\b", _run([nvcc, "--list-gpu-code"], "targets").stdout)})


def binary(nvcc, source, architecture, folder):
    """Path of the binary of a source and what ptxas reports about registers and spills; an existing one from the same sources and
    compiler is reused."""
    options = [*NVCC, f"-arch=sm_{architecture}{'a' if source in OF_ONE_ARCHITECTURE and architecture >= 90 else ''}"]
    state = hashlib.sha256(" ".join([str(nvcc), *options]).encode())
    included = [*HERE.glob("*.h"), *INCLUDE.rglob("*.h"), *INCLUDE.parent.glob("cuda_*/*.cu")]
    for path in [HERE / f"{source}.cu", *sorted(included)]:
        state.update(path.read_bytes())
    path = folder / f"{source}.sm_{architecture}.{state.hexdigest()[:16]}.cubin"
    log = path.with_suffix(".log")
    if not (path.exists() and log.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        done = _run([nvcc, *options, HERE / f"{source}.cu", "-o", path.with_suffix(".new")], source)
        log.write_text(done.stderr)
        path.with_suffix(".new").rename(path)
    return path, log.read_text()


def spills(log):
    """Names of the kernels in which ptxas has spilled registers."""
    found, name = [], ""
    for line in log.splitlines():
        if match := re.search(r"(?:Compiling entry function|Function properties for) '?(\w+)", line):
            name = match.group(1)
        if (match := re.search(r"(\d+) bytes spill stores", line)) and match.group(1) != "0":
            found.append(name)
    return found


def _run(command, what):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CompileError(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line or "fatal" in line] or done.stderr.splitlines()
        raise CompileError(f"{what}: {pathlib.Path(command[0]).name}: {(lines or [f'exit status {done.returncode}'])[0]}")
    return done

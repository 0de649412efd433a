"""The compilers: the same text for the host, which gives the expected results, and PTX of clang and nvcc."""
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
INCLUDE = ROOT / "cuda/include"
HERE = pathlib.Path(__file__).resolve().parent
CLANG = ["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-S", "-Wno-unknown-cuda-version", "-ffp-contract=off", "-w"]
NVCC = ["-ptx", "--fmad=false", "-w"]
TARGETS = {"clang": ["sm_70", "sm_75", "sm_80"], "nvcc": ["sm_75", "sm_80", "sm_90"]}
HOST = ["-std=c++20", "-O0", "-ffp-contract=off", "-w", "-DCUDA_FUZZ_HOST", "-x", "c++"]


class BuildError(Exception):
    """A compiler rejects a source text."""


def compilers():
    """Path of each installed device compiler."""
    found = {"clang": shutil.which(os.environ.get("CLANG", "clang")), "nvcc": shutil.which("nvcc")}
    toolkit = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin/nvcc"
    if found["nvcc"] is None and toolkit.is_file():
        found["nvcc"] = str(toolkit)
    return {name: path for name, path in found.items() if path}


def host_compiler():
    return shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++") or shutil.which("clang++")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(map(str, command))}:\n{done.stderr[-4000:]}")


def ptx(name, path, source, level, target, out):
    """Compiles a source to PTX at an optimisation level, for a target."""
    if name == "clang":
        options = [*CLANG, f"-O{level}", f"--cuda-gpu-arch={target}"]
    else:
        options = [*NVCC, "-Xcicc", f"-O{level}", f"-arch={target}"]
    run([path, *options, f"-I{INCLUDE}", str(source), "-o", str(out)])


def host(path, source, out, sanitize=False):
    checks = ["-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all"] if sanitize else []
    run([path, *HOST, *checks, f"-I{HERE}", str(source), "-o", str(out)])

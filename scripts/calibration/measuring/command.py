"""The command `scripts/measure-gpu`."""
import argparse
import concurrent.futures
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from correlation import points as data
from smsim import outputs
from smsim.errors import UserError
from silicon.device import catalogue, compilers

from . import gpu, pointfile

RUNS = 31
FAILED, CANNOT = 1, 2  # exit statuses: some benchmarks have no figure; nothing can be measured


def options():
    parser = argparse.ArgumentParser(prog="scripts/measure-gpu", description="Measures the GPU at hand with the benchmarks of "
                                     "tb/silicon/device and writes points for scripts/correlate.")
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="FILE",
                        help="file of points (out/measure-gpu/CARD.yaml)")
    parser.add_argument("--only", action="append", metavar="TEXT", help="only benchmarks whose name contains it; may be repeated")
    parser.add_argument("--list", action="store_true", help="name the benchmarks, with group and unit, and measure nothing")
    parser.add_argument("--build-only", action="store_true", help="compile, say what ptxas spills, and measure nothing")
    parser.add_argument("--nvcc", metavar="PROGRAM", help="nvcc of the CUDA toolkit (PATH, CUDA_HOME, /usr/local/cuda)")
    parser.add_argument("--arch", type=int, metavar="N", help="compile for sm_N, as 90 (that of the GPU)")
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help=f"launches after the first, which does not count ({RUNS})")
    parser.add_argument("--build-dir", type=pathlib.Path, default=data.ROOT / "out/measure-gpu/build", metavar="DIR",
                        help="folder of the binaries, which are kept (out/measure-gpu/build)")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), metavar="N", help="compilers at a time (all cores)")
    return parser.parse_args()


def say(text):
    print(f"measure-gpu: {text}", file=sys.stderr, flush=True)


def select(texts):
    chosen = [benchmark for name, benchmark in catalogue.BENCHMARKS.items() if not texts or any(text in name for text in texts)]
    if not chosen:
        raise gpu.GpuError(f"no benchmark's name contains {' or '.join(map(repr, texts))}; --list names all")
    return chosen


def build(nvcc, sources, architecture, arguments):
    """Binaries by source, and messages for sources that nvcc rejects."""
    binaries, refused = {}, {}

    def one(source):
        return compilers.binary(nvcc, source, architecture, arguments.build_dir)
    with concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        futures = {source: pool.submit(one, source) for source in sorted(sources)}
    for source, future in futures.items():
        try:
            binaries[source], log = future.result()
        except compilers.CompileError as error:
            refused[source] = str(error)
            say(f"sm_{architecture}: {error}")
            continue
        except OSError as error:
            raise UserError(outputs.told(error, arguments.build_dir)) from error
        for kernel in compilers.spills(log):
            say(f"sm_{architecture}: {source}: {kernel} spills registers")
    return binaries, refused


def build_only(nvcc, sources, arguments):
    """Builds for the named architecture, or for all generations that nvcc knows."""
    known = compilers.nvcc_targets(nvcc)
    wanted = [arguments.arch] if arguments.arch else [int(generation.replace(".", "")) for generation in data.configurations()]
    status = 0
    for architecture in wanted:
        if architecture not in known:
            say(f"nvcc {compilers.nvcc_version(nvcc)} does not compile for sm_{architecture}")
            status = status if len(wanted) > 1 else CANNOT
            continue
        binaries, refused = build(nvcc, sources, architecture, arguments)
        print(f"sm_{architecture}: {len(binaries)} of {len(sources)} sources compiled")
        status = FAILED if refused else status
    return status


def driver_version():
    """Version of the driver, from nvidia-smi or the kernel."""
    if tool := shutil.which("nvidia-smi"):
        done = subprocess.run([tool, "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip():
            return done.stdout.split()[0]
    try:
        found = re.search(r"\b\d+\.\d+(\.\d+)?\b", pathlib.Path("/proc/driver/nvidia/version").read_text())
        return found.group(0) if found else "unknown"
    except OSError:
        return "unknown"


def _number(capability):
    return tuple(map(int, capability.split(".")))


def measure(benchmarks, nvcc, arguments):
    """Returns the exit status. The file is rewritten after each benchmark."""
    card = gpu.query()
    capability = card["compute_capability"]
    architecture = arguments.arch or int(capability.replace(".", ""))
    if architecture not in compilers.nvcc_targets(nvcc):
        raise compilers.CompileError(f"nvcc {compilers.nvcc_version(nvcc)} does not compile for sm_{architecture} ({card['card']})")
    has = _number(capability)
    benchmarks = [benchmark for benchmark in benchmarks if _number(benchmark.oldest) <= has <= _number(benchmark.newest)]
    say(f"{card['card']}, compute capability {capability}: {len(benchmarks)} benchmarks")
    binaries, refused = build(nvcc, {launch.source for benchmark in benchmarks for launch in benchmark.launches} | {"starts"},
                              architecture, arguments)
    if "starts" in refused:
        raise compilers.CompileError(refused["starts"])
    conditions = card | {"driver": driver_version(), "nvcc": compilers.nvcc_version(nvcc), "architecture": f"sm_{architecture}",
                         "date": datetime.date.today().isoformat()}
    output = arguments.output or data.ROOT / f"out/measure-gpu/{re.sub('[^a-z0-9]+', '_', card['card'].lower()).strip('_')}.yaml"
    modelled, file, runnable = capability in data.configurations(), pointfile.File(output, conditions), []
    for benchmark in benchmarks:
        without = next((refused[launch.source] for launch in benchmark.launches if launch.source in refused), None)
        if without:
            file.fail(benchmark.name, without)
        else:
            runnable.append(benchmark.name)
    begun = time.monotonic()
    try:
        for message in gpu.measure(runnable, binaries, arguments.runs):
            if "device" in message:
                conditions |= message["device"]
                continue
            if "figures" in message:
                file.add(pointfile.entry(catalogue.BENCHMARKS[message["name"]], message["figures"], modelled))
            else:
                file.fail(message["name"], message["message"])
                say(f"{message['name']}: {message['message']}")
            file.write()
    except gpu.GpuError as error:
        say(str(error))
        for name in runnable:
            if name not in file.named:
                file.fail(name, str(error))
    if len(file):
        file.write()
        print(f"{len(file)} points in {output}, {time.monotonic() - begun:.0f} s; {file.failed} failed")
    else:
        say("nothing was measured")
    return 0 if not file.failed else FAILED if len(file) else CANNOT


def main():
    return outputs.ended("measure-gpu: ", lambda: _main(options()))


def _main(arguments):
    try:
        benchmarks = select(arguments.only)
        if arguments.runs < 1:
            raise gpu.GpuError("--runs: expected 1 or more")
        if arguments.list:
            for benchmark in benchmarks:
                print(f"{benchmark.name:34} {benchmark.group:18} {benchmark.unit}")
            return 0
        nvcc = compilers.find_nvcc(arguments.nvcc)
        if arguments.build_only:
            return build_only(nvcc, sorted({launch.source for benchmark in benchmarks for launch in benchmark.launches}), arguments)
        return measure(benchmarks, nvcc, arguments)
    except (gpu.GpuError, compilers.CompileError, UserError) as error:
        say(str(error))
        return CANNOT

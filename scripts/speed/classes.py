"""The kernel classes of tb/bench/classes and how one of them is measured (scripts/bench-classes, scripts/host-instructions)."""
import json
import os
import pathlib
import subprocess

from speed import callgrind, parts

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "tb/bench/classes"
# A whole kernel, besides the classes, which do one thing each.
MATMUL = ROOT / "kernels/memory/matmul"
MECHANISMS = FOLDER / "mechanisms.yaml"
TRANSPORTS = ("15nb_transport_fw", "15nb_transport_bw", "11b_transport")
ACTIVATION = "_ZN7sc_core17sc_method_process11run_processEv"


class BenchError(Exception):
    """An error message for the caller."""


def names():
    """All classes, in the order of a table."""
    order = ("arithmetic", "shared", "coalesced", "scattered", "divergent", "barriers", "locks", "sleeping", "fetch", "matrix")
    found = [path.name for path in FOLDER.iterdir() if path.is_dir()]
    return sorted(found, key=lambda name: (name not in order, order.index(name) if name in order else 0, name)) + ["matmul"]


def launch_of(name, small):
    folder = MATMUL if name == "matmul" else FOLDER / name
    return folder / ("launch_small.yaml" if small else "launch.yaml")


def call(command):
    """Standard output of a program of the bench, which is one line of JSON."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                              env=os.environ | {"SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"})
    except FileNotFoundError as error:
        raise BenchError(f"{error.filename} is missing; expected a build (scripts/build release bench_classes)") from error
    if done.returncode != 0:
        raise BenchError(done.stderr.strip() or f"{command[0]} ended with status {done.returncode}")
    return json.loads(done.stdout)


def command_of(build, name, small, config, program="bench_classes"):
    return [build / "bench" / program, launch_of(name, small), *([config] if config else [])]


def timed(build, name, small, config, runs):
    """The fastest of `runs` runs, each in its own process."""
    found = [call(command_of(build, name, small, config)) for _ in range(runs)]
    best = min(found, key=lambda run: run["cpu_ns"])
    instructions = best["warp_instructions"]
    row = {"warp_instructions": instructions, "cycles": best["cycles"], "ns": best["cpu_ns"] / instructions,
           "per_second": 1e9 * instructions / best["cpu_ns"], "peak_kib": best["peak_kib"],
           "above_empty_kib": best["peak_kib"] - call([build / "bench/bench_classes"])["peak_kib"],
           "buffer_kib": best["buffer_bytes"] / 1024}
    steady = best["steady"]
    if steady:
        row["steady_allocations"] = steady["allocations"]
        # Instructions of these cycles are not counted; their density is assumed to be that of the whole launch.
        row["allocations"] = steady["allocations"] / (instructions * steady["cycles"] / best["cycles"])
    return row


def counted(build, name, small, config):
    """The counts of callgrind for one run, per warp instruction."""
    profile, output = callgrind.run(command_of(build, name, small, config))
    instructions = json.loads(output)["warp_instructions"]
    # A program that is optimised across files has few of these calls left.
    calls, _ = callgrind.run(command_of(build, name, small, config, "bench_calls"))
    transports = calls.calls_of(lambda function: any(transport in function for transport in TRANSPORTS))
    allocators = {edge[0]: count for edge, count in calls.calls.items() if edge[1].startswith("_Znwm")}
    most = sorted(allocators, key=allocators.get, reverse=True)[:5]
    return {"host_instructions": profile.total / instructions,
            "parts": {part: cost / instructions for part, cost in parts.by_part(profile, build).items()},
            "activations": calls.calls_of(lambda function: function == ACTIVATION).total() / instructions,
            "transports": transports.total() / instructions,
            "allocating": {parts.demangled(most)[name]: allocators[name] for name in most}}


def add_bare(build, row, runs):
    """Adds how much longer the run took than SystemC alone with the same activations and transports."""
    instructions = row["warp_instructions"]
    activations = max(1, round(row["activations"] * instructions))
    transports = round(row["transports"] * instructions)
    bare = min(call([build / "bench/bench_bare", activations, transports])["cpu_ns"] for _ in range(runs))
    row["bare_ns"] = bare / instructions
    row["to_bare"] = row["ns"] / row["bare_ns"]

"""Runs the probes: each launch of a point in its own process, as many at a time as requested."""
import concurrent.futures
import dataclasses
import json
import pathlib
import subprocess

from silicon import probes
from silicon.device.compilers import CompileError

from . import points as data

TIMEOUT = 900


@dataclasses.dataclass
class Result:
    """The model's result for a point: a value, or why there is none."""
    value: float | None
    message: str = ""


def run_launch(smsim, launch, configuration, folder, settings):
    """The outcome of a launch; RuntimeError with smsim's message when it has none."""
    launch.write(folder)
    command = [smsim, "run", "--no-progress", "--report", "none", "-o", folder / "out", "-c", configuration,
               *[word for setting in (*settings, *launch.settings) for word in ("--set", setting)], folder / "launch.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[0])
    report = json.loads((folder / "out/report.json").read_text())
    if not launch.diverges and any(branch["diverged"] for branch in report["branch_unit"]["branches"]):
        raise RuntimeError("a warp of the probe diverged, and its launch does not say so: reports show which points have one")
    return probes.outcome(launch, report["cycles"], (folder / "out/clocks.bin").read_bytes(),
                          active=max(warp["end"] for warp in report["warps"]))


def hand_scheduled(point):
    """The probe of a point as tb/silicon/probes writes it."""
    return probes.make(point.probe, point.generation, point.arguments)


def run_point(smsim, point, configuration, folder, settings, make=hand_scheduled):
    """The result of a point."""
    try:
        probe = make(point)
        all_settings = [*(f"{key}={value}" for key, value in point.set.items()), *settings]
        outcomes = [run_launch(smsim, launch, configuration, folder / str(number), all_settings)
                    for number, launch in enumerate(probe.launches)]
        return Result(round(probe.figure(outcomes), 6))
    except subprocess.TimeoutExpired:
        return Result(None, f"no end within {TIMEOUT} s")
    except (RuntimeError, ArithmeticError, probes.ProbeError, CompileError) as error:
        return Result(None, str(error).replace(str(folder) + "/", "").removeprefix("smsim: error: "))


def run(smsim, points, folder, jobs, settings=(), progress=lambda done, of: None, make=hand_scheduled):
    """Results, by name, of all points with a probe; `make` provides the probe."""
    configurations = data.configurations()
    folder = pathlib.Path(folder)
    results = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(run_point, smsim, point, configurations[point.generation], folder / point.name, settings, make): point
                   for point in points if point.probe}
        for number, future in enumerate(concurrent.futures.as_completed(futures)):
            results[futures[future].name] = future.result()
            progress(number + 1, len(futures))
    return results

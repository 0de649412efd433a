"""Measures benchmarks on a GPU, in a separate process: a failing access destroys the driver's context.

Reads a line of JSON ({"binaries": {source: path}, "benchmarks": [names], "runs": N}), writes one for the device and one for each
benchmark as soon as it is measured: {"name", "figures"} or {"name", "message"}.
"""
import json
import pathlib
import struct
import sys

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from silicon.device import catalogue, driver  # noqa: E402
from silicon.probes import kernel  # noqa: E402

WARM_CYCLES = 100_000_000  # about 60 ms, in which the clock of a sleeping card ramps up
REFUSED = 3                # exit status: the context is lost because of the last benchmark named


def frequency(device, path, cycles):
    """MHz of the SM's clock over the given cycles."""
    module = device.module(path)
    elapsed = device.allocate(16)
    device.run(module, "starts_frequency", 1, 32, [elapsed, struct.pack("<Q", cycles)])
    ticks, nanoseconds = struct.unpack("<QQ", device.read(elapsed, 16))
    device.free(elapsed)
    device.unload(module)
    return round(1000 * ticks / nanoseconds, 1) if nanoseconds else 0.0


def measure(device, benchmark, binaries, runs, known):
    """The figure of each run after a first one. Launches shared by several benchmarks run once."""
    for launch in benchmark.launches:
        if launch in known:
            continue
        loaded = driver.Loaded(device, launch, pathlib.Path(binaries[launch.source]))
        loaded.run()
        results = [loaded.run() for _ in range(runs)]
        loaded.free()
        known[launch] = [kernel.outcome(on, 0, data) for on, data in results]
    return [benchmark.figure(outcomes) for outcomes in zip(*[known[launch] for launch in benchmark.launches])]


def main():
    order = json.loads(sys.stdin.readline())

    def tell(**members):
        print(json.dumps(members), flush=True)
    try:
        device = driver.Device()
        clock = frequency(device, pathlib.Path(order["binaries"]["starts"]), WARM_CYCLES) if order["binaries"] else 0.0
    except driver.DriverError as error:
        tell(no_device=str(error))
        return REFUSED
    tell(device={"card": device.name, "compute_capability": device.capability, "sms": device.sms, "l2_bytes": device.l2_bytes,
                 "sm_clock_mhz": clock, "sm_clock_limit_mhz": device.clock_mhz, "memory_clock_mhz": device.memory_clock_mhz,
                 "cuda": device.cuda})
    known = {}
    for name in order["benchmarks"]:
        tell(begins=name)
        try:
            tell(name=name, figures=measure(device, catalogue.BENCHMARKS[name], order["binaries"], order["runs"], known))
        except driver.DriverError as error:
            tell(name=name, message=str(error))
            return REFUSED
        except (ArithmeticError, ValueError, IndexError, MemoryError, OSError) as error:
            tell(name=name, message=f"{type(error).__name__}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

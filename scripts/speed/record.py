"""Host instructions per warp instruction, as recorded in tb/bench/host_instructions.json (scripts/host-instructions)."""
import json
import pathlib
import re
import subprocess

from speed import callgrind, classes

CONFIGS = {"default": None, "mechanisms": classes.MECHANISMS}
LIBRARIES = ("libsystemc", "libstdc++", "libc", "libm")


def first_line(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def made_with(build):
    """What host instructions depend on, besides the sources."""
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE))
    # Without the name under which the compiler was called.
    compiler = re.sub(r"^\S+ (?=\()", "", first_line([cache["CMAKE_CXX_COMPILER"], "--version"]))
    found = {"compiler": compiler, "build": cache["CMAKE_BUILD_TYPE"],
             "options": cache["CMAKE_CXX_FLAGS"]}
    across_files = cache.get("SMSIM_OPTIMISED_ACROSS_FILES", "none")
    for more in filter(None, (cache.get("SMSIM_INSTRUMENT"), "" if across_files == "none" else f"across files: {across_files}", cache.get("SMSIM_PROFILE", "").split(":")[0])):
        found["options"] = f"{found['options']} {more}".strip()
    linked = subprocess.run(["ldd", build / "bench/bench_classes"], capture_output=True, text=True, check=True).stdout
    for library, path in re.findall(r"^\s*(\S+?)[-.\d]*\.so\S* => (\S+)", linked, re.MULTILINE):
        if library in LIBRARIES:
            identity = re.search(r"Build ID: (\w+)", subprocess.run(["readelf", "-n", path], capture_output=True, text=True,
                                                                    check=True).stdout)
            found[library] = f"build id {identity.group(1)}" if identity else pathlib.Path(path).resolve().name
    # Both the C library and the lane loops of the model have variants for such processors.
    flags = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    found["processor with AVX2"] = bool(flags) and "avx2" in flags.group(1).split()
    return found


def differences(recorded, present):
    """Lines that describe the differences between two results of `made_with`."""
    pairs = {key: (recorded.get(key, ""), present.get(key, "")) for key in sorted(recorded | present)}
    return [f"  {key}: recorded with '{before}', here '{now}'" for key, (before, now) in pairs.items() if before != now]


def count(build, chosen):
    """Host instructions per warp instruction, by class and configuration."""
    counted = {}
    for name in chosen:
        counted[name] = {}
        for title, config in CONFIGS.items():
            profile, output = callgrind.run(classes.command_of(build, name, True, config))
            counted[name][title] = round(profile.total / json.loads(output)["warp_instructions"], 1)
    return counted


def compare(recorded, counted, tolerance):
    """Prints each figure beside the recorded one. True if all are within the tolerance."""
    good = True
    print(f"{'class':<12}{'configuration':<15}{'recorded':>9}{'now':>9}{'change':>9}")
    for name, figures in counted.items():
        for title, now in figures.items():
            before = recorded.get(name, {}).get(title)
            if before is None:
                print(f"{name:<12}{title:<15}{'':>9}{now:9.0f}   not recorded; --update writes it")
                good = False
                continue
            change = now / before - 1
            outside = abs(change) > tolerance
            good = good and not outside
            print(f"{name:<12}{title:<15}{before:9.0f}{now:9.0f}{100 * change:+8.1f}%{'  beyond the tolerance' if outside else ''}")
    return good

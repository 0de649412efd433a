"""The rows of scripts/check-systems: a compiler on a Debian release, and what is done with it."""
from dataclasses import dataclass

# The steps of a row, in this order.
STEPS = ("build", "bytes", "unit", "cosim", "sweep")


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    name: str
    suite: str
    compiler: str  # the C++ compiler's command
    packages: tuple = ()  # besides those of scripts/install-dependencies; all packages if an architecture is given
    steps: tuple = STEPS
    refused: str = ""  # the message with which the configuration must reject the compiler
    left_out: str = ""  # an RTL block that is broken in this row's tree, and must be left out
    presets: tuple = ()  # presets of which the program is built, instead of the steps
    architecture: str = ""  # cross-built for it, and run by qemu
    ahead: bool = False  # an unreleased system: a failure is reported, but does not fail the script


# What a cross build needs, in a separate root: libraries for two architectures conflict.
CROSS = ("g++-aarch64-linux-gnu", "qemu-user-static", "cmake", "ninja-build", "pkg-config", "python3", "python3-yaml", "node-d3",
         "libcli11-dev", "nlohmann-json3-dev", "libsystemc-dev:arm64", "libspdlog-dev:arm64", "libfmt-dev:arm64",
         "libyaml-cpp-dev:arm64", "zlib1g-dev:arm64")

ROWS = (
    Row("gcc-12", "bookworm", "g++-12"),
    Row("clang-14", "bookworm", "clang++-14", ("clang-14",)),
    Row("gcc-13", "trixie", "g++-13", ("g++-13",), ("build", "bytes", "unit", "cosim")),
    Row("gcc-14", "trixie", "g++-14"),
    Row("clang-19", "trixie", "clang++-19", ("clang-19",), ("build", "bytes", "unit", "cosim")),
    Row("arm64", "bookworm", "aarch64-linux-gnu-g++", CROSS, ("build", "bytes"), architecture="arm64"),
    Row("gcc-11", "bookworm", "g++-11", ("g++-11",), (), refused="GNU 11"),
    Row("clang-13", "bookworm", "clang++-13", ("clang-13",), (), refused="Clang 13"),
    Row("no-timer", "trixie", "g++-14", (), ("build", "cosim"), left_out="sleep_timer"),
    Row("presets", "bookworm", "g++-12", (), (), presets=("debug", "asan", "coverage", "fuzz")),
    Row("sid", "sid", "g++", (), ("build", "bytes", "unit"), ahead=True),
)

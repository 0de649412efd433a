"""A launch of a benchmark: what to run with which arguments, both on a GPU and on the model."""
import dataclasses
import pathlib
import shutil
import struct
import sys

import yaml

from ..probes import kernel
from . import compilers

ROOT = pathlib.Path(__file__).resolve().parents[3]
if str(ROOT / "python") not in sys.path:
    sys.path.append(str(ROOT / "python"))
from smsim import buffer_data  # noqa: E402

LINE = 128  # bytes from one element of a ring to the next in memory


@dataclasses.dataclass(eq=False)
class DeviceLaunch(kernel.Launch):
    """One launch of a kernel of a source of this folder. Its first argument, the clocks, is added here; the others are as in a
    launch file (docs/launch-files.md); instead of `init`, `{ring: bytes}` makes a ring of indices and `{data: ...}`
    gives the contents; buffers marked `only_read` are not rewritten for each launch."""
    text: str = ""
    block: int | tuple = 32
    source: str = ""
    folder: pathlib.Path = compilers.HERE
    kernel: str = ""
    arguments: list = dataclasses.field(default_factory=list)
    passes: int = 1              # the frame stores only the last pass
    ctas_per_sm: int = 0         # instead of the grid: this many for each SM of the GPU; the model has one
    before: str = ""             # a kernel of the same source that runs before it on a GPU, with the same arguments
    fresh: bool = False          # on a GPU the module is reloaded for each launch: its variables have their initial values
    flush: bool = False          # on a GPU other data pass through the L2 first
    diverges: bool = False       # its warps diverge
    settings = ()                # further settings of the configuration: none

    def __post_init__(self):
        if self.ctas_per_sm:
            self.grid = self.passes = self.ctas_per_sm

    @property
    def warps(self):
        return (threads(self.block) + 31) // 32

    def on(self, sms):
        """The same launch for a GPU with the given number of SMs."""
        ctas = self.ctas_per_sm * sms
        return dataclasses.replace(self, ctas_per_sm=0, grid=ctas, passes=ctas) if ctas else self

    def clock_words(self):
        return max(2, 2 * self.warps * self.sections * self.passes)

    def write(self, folder):
        """Program (PTX by clang), launch file and contents of buffers for smsim."""
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(compilers.ptx(self.source, self.folder), folder / "probe.ptx")
        arguments = [{"name": "clocks", "type": "u32", "count": self.clock_words()}]
        for argument in self.arguments:
            argument = dict(argument)
            argument.pop("only_read", None)
            for own in {"ring", "data"} & set(argument):
                file = f"{argument['name']}.bin"
                (folder / file).write_bytes(contents(argument))
                del argument[own]
                argument["init"] = {"file": file}
            arguments.append(argument)
        (folder / "launch.yaml").write_text(yaml.safe_dump({
            "program": "probe.ptx", "kernel": self.kernel, "grid": self.grid,
            "block": self.block if isinstance(self.block, int) else list(self.block), "arguments": arguments,
            "dump": [{"buffer": "clocks", "file": "clocks.bin"}]}, sort_keys=False))


def threads(block):
    count = 1
    for size in (block,) if isinstance(block, int) else block:
        count *= size
    return count


def is_buffer(argument):
    return "value" not in argument


def contents(argument):
    """The bytes of a buffer, or of a scalar."""
    kind = argument["type"]
    if "value" in argument:
        return buffer_data.pack(kind, [argument["value"]])
    if "ring" in argument:
        return ring(argument["ring"])
    if "data" in argument:
        return argument["data"]
    init, count = argument.get("init", "zeros"), argument.get("count", 0)
    if init == "zeros":
        return bytes(count * buffer_data.TYPES[kind][1] // 8)
    if "file" in init:
        return pathlib.Path(init["file"]).read_bytes()
    if "pattern" in init:
        return buffer_data.pack(kind, buffer_data.pattern(kind, count, **init["pattern"]))
    return buffer_data.pack(kind, buffer_data.random(kind, count, **init))


def ring(size):
    """A ring through all lines of the given size (a power of two), in an order that a prefetcher cannot predict: the first
    word of a line holds the index, in words, of the next one's."""
    lines = size // LINE
    data = bytearray(size)
    step, jump = LINE // 4, 0
    # A linear congruence whose period covers all numbers below a power of two.
    while True:
        following = (jump * 1664525 + 1013904223) % lines
        struct.pack_into("<I", data, jump * LINE, following * step)
        jump = following
        if jump == 0:
            return bytes(data)

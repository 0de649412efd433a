#!/usr/bin/env python3
"""Results of matrix instructions on the local GPU, bit for bit: `tb/silicon/tensor/measure.py [-o FILE] [--nvcc NVCC]`.

The operands are those of operands.py; FILE (out/measure-gpu/tensor_bits.txt) has a line for each tile: its kind, its number and the
16 x 8 elements of D in hexadecimal, row by row."""
import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tb"), str(ROOT / "scripts/calibration"), str(ROOT / "python")]
from silicon import probes  # noqa: E402,F401 (before its device: they import each other)
from silicon.device import compilers, driver  # noqa: E402
from silicon.tensor import operands  # noqa: E402


def measure(device, module, kind):
    """D of all tiles of a kind."""
    of_a, of_b, of_c = [], [], []
    for number in range(operands.TILES):
        a, b, c = operands.registers(kind, *operands.tile(kind, number))
        of_a += a
        of_b += b
        of_c += c
    addresses = []
    for words in (of_a, of_b, of_c, [0] * len(of_c)):
        address = device.allocate(4 * len(words))
        device.write(address, struct.pack(f"<{len(words)}I", *words))
        addresses.append(address)
    device.run(module, kind.name, operands.TILES, operands.LANES, addresses)
    words = struct.unpack(f"<{len(of_c)}I", device.read(addresses[3], 4 * len(of_c)))
    for address in addresses:
        device.free(address)
    each = len(words) // operands.TILES
    return [operands.matrix(kind, words[number * each:(number + 1) * each]) for number in range(operands.TILES)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "out/measure-gpu/tensor_bits.txt", metavar="FILE")
    parser.add_argument("--nvcc", metavar="PROGRAM")
    arguments = parser.parse_args()
    nvcc = compilers.find_nvcc(arguments.nvcc)
    device = driver.Device()
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder) / "bits.cubin"
        subprocess.run([nvcc, "-cubin", "-O3", f"-arch=sm_{device.capability.replace('.', '')}", HERE / "bits.cu", "-o", binary], check=True)
        module = device.module(binary)
        lines = [f"# {device.name}, compute capability {device.capability}: written by tb/silicon/tensor/measure.py"]
        for kind in operands.KINDS.values():
            for number, d in enumerate(measure(device, module, kind)):
                lines.append(f"{kind.name} {number} " + " ".join(f"{x:0{kind.c.width // 4}x}" for row in d for x in row))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text("\n".join(lines) + "\n", encoding="ascii")
    print(f"{arguments.output}: {len(lines) - 1} tiles")
    return 0


if __name__ == "__main__":
    sys.exit(main())

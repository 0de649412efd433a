"""The vendor's code: calls `ptxas`, reads its figures, and counts the operations of a cubin.

A cubin is an ELF file with a section `.text.KERNEL` for each kernel, which also contains the functions that it calls. From
Volta on, an instruction has 16 bytes; its bits 0 to 8 are the operation, and bits 9 to 11 the form of its operands. The code of
a section is followed by a branch to itself and NOPs, which are not counted.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
from collections import Counter

# Bits 0 to 8. For each operation, tb/silicon/compare_code_test.py compiles PTX that needs it and looks for its name.
OPERATIONS = {
    0x002: "MOV", 0x003: "P2R", 0x004: "R2P", 0x005: "CS2R", 0x006: "VOTE", 0x007: "SEL", 0x008: "FSEL", 0x009: "FMNMX",
    0x00a: "FSET", 0x00b: "FSETP", 0x00c: "ISETP", 0x010: "IADD3", 0x011: "LEA", 0x012: "LOP3", 0x013: "IABS",
    0x014: "VABSDIFF", 0x016: "PRMT", 0x017: "IMNMX", 0x019: "SHF", 0x01a: "SGXT", 0x01b: "BMSK", 0x01c: "PLOP3",
    0x020: "FMUL", 0x021: "FADD", 0x023: "FFMA", 0x024: "IMAD", 0x025: "IMAD.WIDE", 0x026: "IDP", 0x027: "IMAD.HI",
    0x028: "DMUL", 0x029: "DADD", 0x02a: "DSETP", 0x02b: "DFMA", 0x030: "HADD2", 0x031: "HFMA2", 0x032: "HMUL2",
    0x033: "HSET2", 0x034: "HSETP2", 0x035: "HFMA2.MMA", 0x03c: "HMMA", 0x03e: "F2FP", 0x082: "UMOV", 0x086: "VOTEU",
    0x087: "USEL", 0x08c: "UISETP", 0x090: "UIADD3", 0x091: "ULEA", 0x092: "ULOP3", 0x096: "UPRMT", 0x099: "USHF",
    0x09a: "USGXT", 0x09c: "UPLOP3", 0x0a4: "UIMAD", 0x0a5: "UIMAD.WIDE", 0x0b9: "ULDC", 0x0bd: "UFLO", 0x0bf: "UPOPC",
    0x100: "FLO", 0x101: "BREV", 0x102: "FCHK", 0x104: "F2F", 0x105: "F2I", 0x106: "I2F", 0x107: "FRND", 0x108: "MUFU",
    0x109: "POPC", 0x110: "F2F", 0x111: "F2I", 0x112: "I2F", 0x113: "FRND", 0x118: "NOP", 0x119: "S2R", 0x11a: "DEPBAR",
    0x11c: "B2R", 0x11d: "BAR", 0x141: "BSYNC", 0x142: "BREAK", 0x143: "CALL", 0x144: "CALL", 0x145: "BSSY", 0x146: "YIELD",
    0x147: "BRA", 0x148: "WARPSYNC", 0x149: "BRX", 0x14d: "EXIT", 0x14e: "LEPC", 0x150: "RET", 0x155: "BMOV", 0x156: "BMOV",
    0x15c: "BPT", 0x15d: "NANOSLEEP", 0x180: "LD", 0x181: "LDG", 0x182: "LDC", 0x183: "LDL", 0x184: "LDS", 0x185: "ST",
    0x186: "STG", 0x187: "STL", 0x188: "STS", 0x189: "SHFL", 0x18a: "ATOM", 0x18c: "ATOMS", 0x18d: "ATOMS.CAS",
    0x18e: "RED", 0x18f: "CCTL", 0x192: "MEMBAR", 0x1a1: "MATCH", 0x1a8: "ATOMG", 0x1a9: "ATOMG.CAS", 0x1ab: "ERRBAR",
    0x1ae: "LDGSTS", 0x1af: "LDGDEPBAR", 0x1c2: "R2UR", 0x1c3: "S2UR", 0x1c4: "REDUX",
}
NOP = 0x118
# A branch by -16 from the next instruction, before sm_90 and from sm_90 on.
BRANCHES_TO_THEMSELVES = (0xFFFFFFF000007947, 0xFFFFFFFC00FC7947)
WORD = 16


class SassError(Exception):
    """ptxas is missing or reports an error, or a file is not a cubin in the expected form."""


def find_ptxas():
    """Path of ptxas, from PATH or CUDA_HOME."""
    found = shutil.which("ptxas")
    toolkit = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin/ptxas"
    if found is None and toolkit.is_file():
        found = str(toolkit)
    if found is None:
        raise SassError("ptxas is not installed: it is neither in PATH nor in CUDA_HOME/bin")
    return found


def text_sections(cubin):
    """The code of each kernel by its name, from the bytes of a cubin."""
    try:
        if cubin[:6] != b"\x7fELF\x02\x01":
            raise SassError("not an ELF file of 64 bits")
        (table,) = struct.unpack_from("<Q", cubin, 40)
        size, count, names = struct.unpack_from("<HHH", cubin, 58)
        sections = [struct.unpack_from("<IIQQQQ", cubin, table + i * size) for i in range(count)]
        found = {}
        for name_at, _, _, _, offset, length in sections:
            start = sections[names][4] + name_at
            name = cubin[start : cubin.index(b"\0", start)].decode()
            if name.startswith(".text."):
                found[name.removeprefix(".text.")] = cubin[offset : offset + length]
        return found
    except (struct.error, ValueError, IndexError, OverflowError) as error:
        raise SassError(f"a damaged cubin ({error})") from error


def operations(code):
    """Names of a section's instructions in order, without the padding; unknown ones as numbers."""
    words = [struct.unpack_from("<QQ", code, at) for at in range(0, len(code) - WORD + 1, WORD)]
    while words and words[-1][0] & 0x1ff == NOP:
        words.pop()
    if words and words[-1][0] in BRANCHES_TO_THEMSELVES:
        words.pop()
    return [OPERATIONS.get(low & 0x1ff, f"0x{low & 0x1ff:03x}") for low, _ in words]


def kernel_figures(messages):
    """For each kernel, what `ptxas -v` prints: registers, stack and spills in bytes per thread."""
    figures, kernel, properties = {}, None, None
    for line in messages.splitlines():
        if match := re.search(r"Compiling entry function '(\S+)'", line):
            kernel = properties = match[1]
            figures[kernel] = {"registers": None, "local": 0, "spill_stores": 0, "spill_loads": 0}
        elif match := re.search(r"Function properties for (\S+)", line):
            properties = match[1]
        elif (match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)) and kernel:
            # Functions that a kernel calls follow it; their frames are in its cumulative stack size.
            own = figures[kernel]
            own["local"] = max(own["local"], int(match[1])) if properties == kernel else own["local"]
            own["spill_stores"] += int(match[2])
            own["spill_loads"] += int(match[3])
        elif (match := re.search(r"Used (\d+) registers", line)) and kernel:
            figures[kernel]["registers"] = int(match[1])
            if stack := re.search(r"(\d+) bytes cumulative stack size", line):
                figures[kernel]["local"] = int(stack[1])
    return figures


def compile_ptx(ptxas, ptx, architecture, output, root="."):
    """Figures of each kernel of a PTX file, whose path is relative to `root`: registers, local, spill_stores, spill_loads,
    static_instructions and mix."""
    command = [ptxas, "-v", f"-arch={architecture}", "-O3", str(ptx), "-o", str(output)]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        lines = (run.stderr + run.stdout).strip().splitlines() or [f"exit status {run.returncode}"]
        raise SassError(f"ptxas: {lines[0].removeprefix('ptxas ')}")
    figures = kernel_figures(run.stderr + run.stdout)
    sections = text_sections(output.read_bytes())
    for kernel, own in figures.items():
        if kernel not in sections:
            raise SassError(f"ptxas: {ptx}: its cubin has no code of '{kernel}'")
        names = operations(sections[kernel])
        own |= {"static_instructions": len(names), "mix": dict(Counter(names))}
    return figures

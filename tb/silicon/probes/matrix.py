"""Loops of matrix instructions in PTX, which compilers turn into machine code: chains of one product, and several independent ones."""
import dataclasses

import yaml

from .kernel import Launch, Probe

ITERATIONS = (16, 64)
UNROLLED = 4  # rounds of one iteration, as nvcc does by itself
F32, B32 = "f32", "b32"


def mma(shape, types, a, b, c, result=F32, sparse=False):
    verb = "mma.sp" if sparse else "mma"
    return f"{verb}.sync.aligned.{shape}.row.col.{types}", (result, c), (B32, a), (B32, b), sparse


def wmma(shape, types, kind, a, b, c, result=F32):
    return f"wmma.mma.sync.aligned.row.col.{shape}.{types}", (result, c), (kind, a), (kind, b), False


# Instruction, and for D and C, for A, and for B the type and number of the registers of a thread.
FORMS = {
    "f16_k8_f32": mma("m16n8k8", "f32.f16.f16.f32", 2, 1, 4),
    "f16_k8_f16": mma("m16n8k8", "f16.f16.f16.f16", 2, 1, 2, B32),
    "f16_k16_f32": mma("m16n8k16", "f32.f16.f16.f32", 4, 2, 4),
    "f16_k16_f16": mma("m16n8k16", "f16.f16.f16.f16", 4, 2, 2, B32),
    "tf32_k8": mma("m16n8k8", "f32.tf32.tf32.f32", 4, 2, 4),
    "s8_m8_k16": mma("m8n8k16", "s32.s8.s8.s32", 1, 1, 2, B32),
    "s8_k32": mma("m16n8k32", "s32.s8.s8.s32", 4, 2, 4, B32),
    "s4_k64": mma("m16n8k64", "s32.s4.s4.s32", 4, 2, 4, B32),
    "b1_k256": mma("m16n8k256", "s32.b1.b1.s32.xor.popc", 4, 2, 4, B32),
    "sparse_f16_k16_f32": mma("m16n8k16", "f32.f16.f16.f32", 2, 2, 4, sparse=True),
    "sparse_f16_k32_f32": mma("m16n8k32", "f32.f16.f16.f32", 4, 4, 4, sparse=True),
    "sparse_f16_k16_f16": mma("m16n8k16", "f16.f16.f16.f16", 2, 2, 2, B32, sparse=True),
    "sparse_f16_k32_f16": mma("m16n8k32", "f16.f16.f16.f16", 4, 4, 2, B32, sparse=True),
    "sparse_tf32_k8": mma("m16n8k8", "f32.tf32.tf32.f32", 2, 2, 4, sparse=True),
    "sparse_tf32_k16": mma("m16n8k16", "f32.tf32.tf32.f32", 4, 4, 4, sparse=True),
    "sparse_s8_k32": mma("m16n8k32", "s32.s8.s8.s32", 2, 2, 4, B32, sparse=True),
    "sparse_s8_k64": mma("m16n8k64", "s32.s8.s8.s32", 4, 4, 4, B32, sparse=True),
    "wmma_f16_f32": wmma("m16n16k16", "f32.f32", B32, 8, 8, 8),
    "wmma_f16_f16": wmma("m16n16k16", "f16.f16", B32, 8, 8, 4, B32),
    "wmma_bf16": wmma("m16n16k16", "f32.bf16.bf16.f32", B32, 4, 4, 8),
    "wmma_tf32": wmma("m16n16k8", "f32.tf32.tf32.f32", B32, 4, 4, 8),
    "wmma_s8": wmma("m16n16k16", "s32.s8.s8.s32", B32, 2, 2, 8, B32),
    "wmma_s4": wmma("m8n8k32", "s32.s4.s4.s32", B32, 1, 1, 2, B32),
}

TEXT = """.version 8.3
.target sm_90
.address_size 64
.visible .entry probe(.param .u64 clocks)
{{
    .reg .b32 %a<8>, %b<8>, %round, %metadata;
    .reg .pred %more;
{declarations}    mov.u32 %round, %tid.y;
    mov.b32 %metadata, 0x44444444;
{values}again:
    add.u32 %round, %round, 1;
    setp.lt.u32 %more, %round, {iterations};
{products}    @%more bra again;
{results}    ret;
}}
"""


@dataclasses.dataclass(eq=False)
class PtxLaunch(Launch):
    """A launch of a PTX program, measured by its own cycles. Its argument is a buffer of one word for each thread."""

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "probe.ptx").write_text(self.text)
        (folder / "launch.yaml").write_text(yaml.safe_dump({
            "program": "probe.ptx", "grid": self.grid, "block": self.block,
            "arguments": [{"name": "clocks", "type": "u32", "count": self.block}],
            "dump": [{"buffer": "clocks", "file": "clocks.bin"}]}, sort_keys=False))


def program(form, independent, iterations):
    """The text of a loop of `independent` products, each with its own accumulator."""
    instruction, (result, registers), (_, a), (_, b), sparse = FORMS[form]

    def group(name, count):
        return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"
    declarations, values, products, results = [], [], [], ["    ld.param.u64 %out, [clocks];\n"]
    declarations.append("    .reg .b64 %out;\n")
    # Different values, as the registers of a matrix have: equal ones would be one register, from which each group is copied.
    values += [f"    add.u32 %{name}{i}, %round, {i + first};\n" for name, count, first in (("a", a, 1), ("b", b, 9)) for i in range(count)]
    for chain in range(independent):
        name = f"d{chain}_"
        declarations.append(f"    .reg .{result} %{name}<{registers}>;\n")
        accumulator = group(name, registers)
        values += [f"    mov.{result} %{name}{i}, {'0f00000000' if result == F32 else '0'};\n" for i in range(registers)]
        products.append(f"    {instruction} {accumulator}, {group('a', a)}, {group('b', b)}, {accumulator}"
                        + (", %metadata, 0x0" if sparse else "") + ";\n")
        results += [f"    st.global.{result} [%out], %{name}{i};\n" for i in range(registers)]
    return TEXT.format(declarations="".join(declarations), values="".join(values), products="".join(products) * UNROLLED,
                       results="".join(results), iterations=iterations)


def rounds(machine, *, form, warps=1, independent=1, operations=0):
    """Cycles of a round, in which each product is there once: slope of the launch's cycles over two numbers of iterations. With `operations`, multiply-adds of a
    product of a warp: the multiply-adds per cycle of the SM."""
    launches = [PtxLaunch(program(form, independent, count), 32 * warps, 1, 0, 0, [], clocks=False) for count in ITERATIONS]

    def figure(outcomes):
        cycles = (outcomes[1].cycles - outcomes[0].cycles) / (ITERATIONS[1] - ITERATIONS[0]) / UNROLLED
        return operations * warps * independent / cycles if operations else cycles
    return Probe(launches, figure)


PROBES = {"matrix_rounds": rounds}

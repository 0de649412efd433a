// Matrix instructions in random PTX programs: operands are the values of the threads, and rows of matrices their own
// words of shared memory. All 32 threads of each warp must be there.
#include <array>

#include <fmt/format.h>

#include "tb/fuzz/ptx/body_writer.h"

namespace smsim::ptx_fuzz {

namespace {

/// A product whose operands are registers of 32 bits: so many of A, B, and of C and D.
struct Product {
    const char *name;
    unsigned a;
    unsigned b;
    unsigned c;
    bool sparse = false;
};

// Results of f32 would be in registers of another type.
constexpr std::array<Product, 9> kProducts = {{
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2},
    {"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16", 2, 2, 4},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 4, 2, 4},
    {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32", 1, 1, 2},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32", 2, 1, 4},
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4},
    {"mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16", 4, 4, 2, true},
    {"mma.sp.sync.aligned.m16n8k64.row.col.s32.u8.u8.s32", 4, 4, 4, true},
}};

/// Metadata that keeps the first and the second of four elements, or the first and the last.
constexpr std::array<std::uint32_t, 2> kMetadata = {0x44444444, 0xcccccccc};

} // namespace

/// `count` registers that differ, from one that `random` chooses on.
std::string BodyWriter::values(std::uint32_t random, unsigned count) {
    std::string list = "{";
    for (unsigned i = 0; i < count; ++i) {
        list += (i == 0 ? "" : ", ") + value(random + i);
    }
    return list + "}";
}

void BodyWriter::matrix(const Node &node, const Context &context) {
    if (context.mask != ~0U || program_.tree.threads % 32 != 0 || !all_live_) {
        return;
    }
    if (node.random[0] % 2 == 0) {
        return exchange_matrices(node);
    }
    const Product &product = kProducts[node.random[1] % kProducts.size()];
    std::string text = fmt::format("{} {}, {}, {}, {}", product.name, values(node.random[2], product.c),
                                   values(node.random[3], product.a), values(node.random[4], product.b),
                                   values(node.random[5], product.c));
    if (product.sparse) {
        line(fmt::format("mov.b32 %q0, {:#x};", kMetadata[node.random[0] / 2 % 2]));
        text += ", %q0, 0";
    }
    line(text + ";");
}

/// Matrices whose rows are the 16 bytes of each thread.
void BodyWriter::exchange_matrices(const Node &node) {
    const unsigned count = 1U << node.random[2] % 3;
    const std::string form = fmt::format("x{}{}.shared.b16", count, node.random[3] % 2 == 0 ? "" : ".trans");
    const std::string registers = values(node.random[4], count);
    if (node.random[1] % 3 == 0) {
        return line(
            fmt::format("movmatrix.sync.aligned.m8n8.trans.b16 {}, {};", value(node.random[4]), value(node.random[5])));
    }
    line("mov.u64 %d1, tile;\nmad.wide.u32 %d1, %thread, 16, %d1;\nbar.warp.sync 0xffffffff;");
    line(node.random[1] % 3 == 1 ? fmt::format("ldmatrix.sync.aligned.m8n8.{} {}, [%d1];", form, registers)
                                 : fmt::format("stmatrix.sync.aligned.m8n8.{} [%d1], {};", form, registers));
    line("bar.warp.sync 0xffffffff;");
}

} // namespace smsim::ptx_fuzz

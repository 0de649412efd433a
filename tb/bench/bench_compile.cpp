// How long the PTX compiler takes for kernels of growing size, straight-line and branch-heavy, and whether the time
// grows in proportion to the size.
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "ptx/compiler.h"

namespace smsim::ptx {
namespace {

std::string kernel_of(const std::string &body) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
           "    .reg .pred %p0;\n    .reg .b32 %r<8>;\n    .reg .b64 %rd<2>;\n    mov.u32 %r0, %tid.x;\n"
           "    ld.param.u64 %rd0, [out];\n    mad.wide.u32 %rd1, %r0, 4, %rd0;\n    mov.u32 %r1, 7;\n"
           "    mov.u32 %r2, 3;\n" +
           body + "    st.global.u32 [%rd1], %r1;\n    ret;\n}\n";
}

std::string products(unsigned count, unsigned seed) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
        text += fmt::format("    mad.lo.u32 %r{}, %r{}, {}, %r0;\n", 1 + i % 2, 2 - i % 2, seed + i);
    }
    return text;
}

std::string straight(unsigned instructions) {
    return kernel_of(products(instructions, 3));
}

/// A value-dependent branch for every eleven instructions.
std::string branches(unsigned instructions) {
    std::string text;
    for (unsigned i = 0; i < instructions / 11; ++i) {
        text += fmt::format("    and.b32 %r3, %r1, {};\n    setp.eq.u32 %p0, %r3, {};\n    @%p0 bra A{};\n", i % 31 + 1,
                            i % 5, i);
        text += products(7, 7 * i) + fmt::format("A{}:\n    add.u32 %r2, %r2, %r1;\n", i);
    }
    return kernel_of(text);
}

void run(benchmark::State &state, const std::string &text) {
    for ([[maybe_unused]] auto _ : state) {
        benchmark::DoNotOptimize(compile_to_assembly(text, "kernel.ptx"));
    }
    state.SetComplexityN(state.range(0));
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

void compile_straight(benchmark::State &state) {
    run(state, straight(static_cast<unsigned>(state.range(0))));
}
BENCHMARK(compile_straight)->RangeMultiplier(2)->Range(5000, 40000)->Unit(benchmark::kMillisecond)->Complexity();

void compile_branches(benchmark::State &state) {
    run(state, branches(static_cast<unsigned>(state.range(0))));
}
BENCHMARK(compile_branches)->RangeMultiplier(2)->Range(5000, 40000)->Unit(benchmark::kMillisecond)->Complexity();

} // namespace
} // namespace smsim::ptx

BENCHMARK_MAIN();

// Cost of one warp instruction in the compute core, in ns of host time, with all lanes executed and with some.
#include <benchmark/benchmark.h>

#include "sm/datapath/compute/execute.h"

namespace smsim::sm::compute {
namespace {

isa::Instruction make(isa::Op op, isa::Form form) {
    isa::Instruction insn;
    insn.op = op;
    insn.form = form;
    insn.unit = insn.spec().unit;
    insn.rd = 16;
    insn.ra = 4;
    insn.rb = 5;
    insn.rc = 6;
    return insn;
}

/// Register 0 of lane 0 is `first`, that of each further lane `step` more.
void run(benchmark::State &state, const isa::Instruction &insn, std::uint32_t first = 0x3f800000U,
         std::uint32_t step = 0x1111U) {
    WarpRegisters regs(32);
    for (std::uint8_t reg = 0; reg < 32; ++reg) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            regs.set(reg, lane, first + lane * step + reg * 0x10000U);
        }
    }
    const WarpIdentity identity = WarpIdentity::of({}, {32, 1, 1}, {}, 0, 0);
    const ConstantBanks banks{};
    const LaneMask executed(static_cast<std::uint32_t>(state.range(0)));
    const ExecutionContext context{identity, banks};
    for ([[maybe_unused]] auto _ : state) {
        benchmark::DoNotOptimize(execute(insn, regs, executed, context).has_value());
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations());
}

void ffma(benchmark::State &state) {
    run(state, make(isa::Op::kFfma, isa::Form::kR));
}
void ffma_immediate(benchmark::State &state) {
    run(state, make(isa::Op::kFfma, isa::Form::kI));
}
void hfma2(benchmark::State &state) {
    run(state, make(isa::Op::kHfma2, isa::Form::kR));
}
void fadd_toward_zero(benchmark::State &state) {
    isa::Instruction insn = make(isa::Op::kFadd, isa::Form::kR);
    insn.mod[0] = static_cast<std::uint8_t>(isa::Rounding::kRz);
    run(state, insn);
}
void iadd3(benchmark::State &state) {
    run(state, make(isa::Op::kIadd3, isa::Form::kR));
}
void iadd3_carry(benchmark::State &state) {
    isa::Instruction insn = make(isa::Op::kIadd3, isa::Form::kR);
    insn.pu = 0;
    run(state, insn);
}
void imad(benchmark::State &state) {
    run(state, make(isa::Op::kImad, isa::Form::kR));
}
void imad_wide(benchmark::State &state) {
    isa::Instruction insn = make(isa::Op::kImad, isa::Form::kR);
    insn.mod[0] = 2;
    run(state, insn);
}
void lop3(benchmark::State &state) {
    isa::Instruction insn = make(isa::Op::kLop3, isa::Form::kR);
    insn.imm2 = 0x96;
    run(state, insn);
}
void isetp(benchmark::State &state) {
    isa::Instruction insn = make(isa::Op::kIsetp, isa::Form::kR);
    insn.rd = isa::kRz;
    insn.mod[0] = static_cast<std::uint8_t>(isa::Compare::kLt);
    insn.pu = 0;
    run(state, insn);
}
void mufu(benchmark::State &state, isa::Mufu function) {
    isa::Instruction insn = make(isa::Op::kMufu, isa::Form::kR);
    insn.mod[0] = static_cast<std::uint8_t>(function);
    run(state, insn);
}
void shfl(benchmark::State &state) {
    isa::Instruction insn = make(isa::Op::kShfl, isa::Form::kI);
    insn.mod[0] = static_cast<std::uint8_t>(isa::Shuffle::kBfly);
    insn.imm = 16;
    insn.imm2 = 0x1f;
    run(state, insn);
}
void dfma(benchmark::State &state) {
    run(state, make(isa::Op::kDfma, isa::Form::kR));
}

/// A product of matrices of 16x8x16: halves from 1 to 2, results of f32 or f16.
void hmma(benchmark::State &state, bool to_f16) {
    isa::Instruction insn = make(isa::Op::kHmma, isa::Form::kR);
    insn.mod[0] = 3; // 16816
    insn.mod[1] = insn.mod[2] = to_f16 ? 1 : 0;
    insn.rb = 8;
    insn.rc = 12;
    insn.re = isa::kRz;
    run(state, insn, 0x3c003c00U, 0x00110017U);
}

void masks(benchmark::internal::Benchmark *bench) {
    bench->ArgName("mask")->Arg(0xffffffff)->Arg(0x0f0f3355);
}

BENCHMARK(ffma)->Apply(masks);
BENCHMARK(ffma_immediate)->Apply(masks);
BENCHMARK(hfma2)->Apply(masks);
BENCHMARK(fadd_toward_zero)->Apply(masks);
BENCHMARK(iadd3)->Apply(masks);
BENCHMARK(iadd3_carry)->Apply(masks);
BENCHMARK(imad)->Apply(masks);
BENCHMARK(imad_wide)->Apply(masks);
BENCHMARK(lop3)->Apply(masks);
BENCHMARK(isetp)->Apply(masks);
BENCHMARK_CAPTURE(mufu, rcp, isa::Mufu::kRcp)->Apply(masks);
BENCHMARK_CAPTURE(mufu, ex2, isa::Mufu::kEx2)->Apply(masks);
BENCHMARK_CAPTURE(mufu, lg2, isa::Mufu::kLg2)->Apply(masks);
BENCHMARK_CAPTURE(mufu, sin, isa::Mufu::kSin)->Apply(masks);
BENCHMARK(shfl)->Apply(masks);
BENCHMARK(dfma)->Apply(masks);
BENCHMARK_CAPTURE(hmma, f32, false)->ArgName("mask")->Arg(0xffffffff);
BENCHMARK_CAPTURE(hmma, f16, true)->ArgName("mask")->Arg(0xffffffff);

} // namespace
} // namespace smsim::sm::compute

BENCHMARK_MAIN();

// The table of pipes: where the figures of each unit come from, and which latency the operations declare.
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "model/timing/pipes.h"

namespace smsim::timing {
namespace {

using isa::Op;
using isa::Unit;

Config every_figure_another() {
    Config config;
    config.pipes.alu = {101, 2};
    config.pipes.fma = {102, 3};
    config.pipes.xu = {103, 4};
    config.pipes.fp64 = {104, 5};
    config.pipes.half = {98, 7};
    config.pipes.uniform = {105, 6};
    config.pipes.fma_to_alu = 109;
    config.pipes.alu_to_fma = 110;
    config.pipes.to_half = 99;
    config.pipes.half_to_others = 97;
    config.pipes.to_memory = 111;
    config.pipes.to_branch = 112;
    config.pipes.predicate_to_branch = 113;
    config.pipes.predicate_to_alu = 114;
    config.pipes.predicate_to_guard = 127;
    config.pipes.uniform_to_branch = 115;
    config.pipes.uniform_to_memory = 121;
    config.pipes.special_register = 116;
    config.pipes.shuffle = 117;
    config.pipes.redux = 122;
    config.pipes.match = 123;
    config.pipes.vote = 124;
    config.pipes.imad_high = 125;
    config.pipes.predicate_to_fma = 126;
    config.pipes.fp64_fma = 7;
    config.lsu.constant_latency = 118;
    config.lsu.membar_cta = 119;
    config.lsu.membar_gpu = 120;
    config.lsu.membar_sys = 0;
    return config;
}

isa::Instruction make(Op op) {
    isa::Instruction insn;
    insn.op = op;
    insn.unit = isa::spec_of(op).unit;
    return insn;
}

TEST(Pipes, EveryUnitHasItsNameAndReason) {
    const auto row = [](Unit unit) { return std::pair(pipe_spec(unit).name, pipe_spec(unit).throttle); };
    EXPECT_EQ(row(Unit::kNone), std::pair(std::string_view("none"), StallReason::kMathPipeThrottle));
    EXPECT_EQ(row(Unit::kAlu), std::pair(std::string_view("alu"), StallReason::kMathPipeThrottle));
    EXPECT_EQ(row(Unit::kFma), std::pair(std::string_view("fma"), StallReason::kMathPipeThrottle));
    EXPECT_EQ(row(Unit::kXu), std::pair(std::string_view("xu"), StallReason::kMathPipeThrottle));
    EXPECT_EQ(row(Unit::kFp64), std::pair(std::string_view("fp64"), StallReason::kMathPipeThrottle));
    EXPECT_EQ(row(Unit::kHalf), std::pair(std::string_view("half"), StallReason::kMathPipeThrottle));
    EXPECT_EQ(row(Unit::kUniform), std::pair(std::string_view("uniform"), StallReason::kMathPipeThrottle));
    EXPECT_EQ(row(Unit::kLoadStore), std::pair(std::string_view("lsu"), StallReason::kMioThrottle));
    EXPECT_EQ(row(Unit::kBranch), std::pair(std::string_view("bru"), StallReason::kDispatch));
    EXPECT_EQ(row(Unit::kBarrier), std::pair(std::string_view("bcu"), StallReason::kDispatch));
}

TEST(Pipes, OnlyTheLoadStoreUnitReadsLate) {
    for (unsigned i = 0; i < isa::kUnits; ++i) {
        EXPECT_EQ(pipe_spec(static_cast<Unit>(i)).reads_late, static_cast<Unit>(i) == Unit::kLoadStore) << i;
    }
}

TEST(Pipes, LatencyAndIntervalAreThoseOfTheConfiguration) {
    const Pipes pipes(every_figure_another());
    EXPECT_EQ(pipes[Unit::kAlu].latency, 101U);
    EXPECT_EQ(pipes[Unit::kFma].latency, 102U);
    EXPECT_EQ(pipes[Unit::kXu].latency, 103U);
    EXPECT_EQ(pipes[Unit::kFp64].latency, 104U);
    EXPECT_EQ(pipes[Unit::kHalf].latency, 98U);
    EXPECT_EQ(pipes[Unit::kUniform].latency, 105U);
    EXPECT_EQ(pipes[Unit::kLoadStore].latency, 118U);
    EXPECT_EQ(pipes[Unit::kAlu].interval, 2U);
    EXPECT_EQ(pipes[Unit::kFma].interval, 3U);
    EXPECT_EQ(pipes[Unit::kXu].interval, 4U);
    EXPECT_EQ(pipes[Unit::kFp64].interval, 5U);
    EXPECT_EQ(pipes[Unit::kHalf].interval, 7U);
    EXPECT_EQ(pipes[Unit::kUniform].interval, 6U);
    EXPECT_EQ(pipes[Unit::kLoadStore].interval, 1U);
}

TEST(Pipes, SmMd_LatenciesIntoAUnitFromAnother) {
    const Pipes pipes(every_figure_another());
    EXPECT_EQ(pipes[Unit::kAlu].register_in, 109U);
    EXPECT_EQ(pipes[Unit::kFma].register_in, 110U);
    EXPECT_EQ(pipes[Unit::kHalf].register_in, 99U);
    for (const Unit unit : {Unit::kXu, Unit::kFp64, Unit::kUniform, Unit::kLoadStore}) {
        EXPECT_EQ(pipes[unit].register_in, 111U);
    }
    for (const Unit unit : {Unit::kNone, Unit::kAlu, Unit::kFma, Unit::kXu, Unit::kFp64, Unit::kHalf, Unit::kUniform}) {
        EXPECT_EQ(pipes[unit].predicate_in, unit == Unit::kFma ? 126U : 114U);
        EXPECT_EQ(pipes[unit].guard_in, 127U);
        EXPECT_EQ(pipes[unit].uniform_in, 0U);
    }
    EXPECT_EQ(pipes[Unit::kLoadStore].uniform_in, 121U);
    for (const Unit unit : {Unit::kBranch, Unit::kBarrier}) {
        EXPECT_EQ(pipes[unit].register_in, 112U);
        EXPECT_EQ(pipes[unit].predicate_in, 113U);
        EXPECT_EQ(pipes[unit].guard_in, 113U);
        EXPECT_EQ(pipes[unit].uniform_in, 115U);
    }
    EXPECT_EQ(pipes.slowest().register_in, 112U);
    EXPECT_EQ(pipes.slowest().predicate_in, 127U);
    EXPECT_EQ(pipes.slowest().uniform_in, 121U);
}

TEST(Pipes, PairsOfHalvesAloneHaveALatencyOutOfTheirUnit) {
    const Pipes pipes(every_figure_another());
    for (unsigned i = 0; i < isa::kUnits; ++i) {
        EXPECT_EQ(pipes[static_cast<Unit>(i)].register_out, static_cast<Unit>(i) == Unit::kHalf ? 97U : 0U) << i;
    }
}

TEST(Pipes, TheOperationSaysWhichLatencyIsIts) {
    const Pipes pipes(every_figure_another());
    const auto latency = [&](Op op) { return pipes.latency(make(op)); };
    for (const Op op : {Op::kS2r, Op::kS2ur}) {
        EXPECT_EQ(latency(op), 116U);
    }
    EXPECT_EQ(latency(Op::kShfl), 117U);
    EXPECT_EQ(latency(Op::kRedux), 122U);
    EXPECT_EQ(latency(Op::kMatch), 123U);
    EXPECT_EQ(latency(Op::kVote), 124U);
    EXPECT_EQ(latency(Op::kImad), 102U);
    isa::Instruction high = make(Op::kImad);
    high.mod[0] = 1;
    EXPECT_EQ(pipes.latency(high), 125U);
    EXPECT_EQ(latency(Op::kLdc), 118U);
    EXPECT_EQ(latency(Op::kCs2r), 101U);
    EXPECT_EQ(latency(Op::kMufu), 103U);
    EXPECT_EQ(latency(Op::kDfma), 111U);
    EXPECT_EQ(latency(Op::kDadd), 104U);
    EXPECT_EQ(latency(Op::kHadd2), 98U);
}

TEST(Pipes, EveryOperationGoesIntoTheLatchOfItsUnitUnlessThereIsASecondForFp32) {
    for (const auto &[second, other] : {std::pair(SecondFp32::kNone, static_cast<unsigned>(Unit::kFma)),
                                        std::pair(SecondFp32::kOwn, static_cast<unsigned>(kSecondFp32Latch)),
                                        std::pair(SecondFp32::kAlu, static_cast<unsigned>(Unit::kAlu))}) {
        Config config;
        config.pipes.second_fp32 = second;
        const Pipes pipes(config);
        for (const isa::OpSpec &spec : isa::all_operations()) {
            const bool fp32 = spec.op == Op::kFadd || spec.op == Op::kFmul || spec.op == Op::kFfma;
            const LatchChoice latches = pipes.ways(pipes.latch_group(make(spec.op)));
            EXPECT_EQ(latches.first, static_cast<unsigned>(spec.unit)) << spec.name;
            EXPECT_EQ(latches.second, fp32 ? other : latches.first) << spec.name;
        }
    }
}

TEST(Pipes, IntegersOfUpToAWordBecomeFp32InTheAluPipeWhereThatIsSaid) {
    Config config = every_figure_another();
    config.pipes.i2f_on_alu = 9;
    const Pipes pipes(config);
    isa::Instruction insn = make(Op::kI2f);
    const auto in_alu = [&](const Pipes &of) {
        const LatchChoice latches = of.ways(of.latch_group(insn));
        const bool alu = latches.first == static_cast<unsigned>(Unit::kAlu);
        EXPECT_EQ(latches.second, latches.first);
        EXPECT_EQ(of.latency(insn, insn.spec()), alu ? 9U : 103U);
        EXPECT_EQ(of.interval(insn), alu ? 2U : 4U);
        return alu;
    };
    for (unsigned type = 0; type < 8; ++type) {
        insn.mod[1] = static_cast<std::uint8_t>(type);
        const auto from = static_cast<isa::IntType>(type);
        EXPECT_EQ(in_alu(pipes), from != isa::IntType::kS64 && from != isa::IntType::kU64);
        EXPECT_FALSE(in_alu(Pipes(every_figure_another())));
    }
    insn.mod = {};
    for (const isa::FloatType to : {isa::FloatType::kF64, isa::FloatType::kF16}) {
        insn.mod[0] = static_cast<std::uint8_t>(to);
        EXPECT_FALSE(in_alu(pipes));
    }
    EXPECT_EQ(pipes.latency(make(Op::kF2i), isa::spec_of(Op::kF2i)), 103U);
}

TEST(Pipes, AFenceHoldsByItsScopeAndAtLeastOneCycle) {
    const Pipes pipes(every_figure_another());
    EXPECT_EQ(pipes.fence(isa::Scope::kCta), 119U);
    EXPECT_EQ(pipes.fence(isa::Scope::kGpu), 120U);
    EXPECT_EQ(pipes.fence(isa::Scope::kSys), 1U);
}

} // namespace
} // namespace smsim::timing

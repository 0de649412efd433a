// The table of pipes: where the figures of each unit come from, and what the operations say about their latency.
#include <gtest/gtest.h>

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
    config.pipes.uniform = {105, 6};
    config.pipes.alu_to_fma = 110;
    config.pipes.to_memory = 111;
    config.pipes.to_branch = 112;
    config.pipes.predicate_to_branch = 113;
    config.pipes.predicate_to_alu = 114;
    config.pipes.uniform_to_branch = 115;
    config.pipes.special_register = 116;
    config.pipes.shuffle = 117;
    config.lsu.constant_latency = 118;
    config.lsu.membar_cta = 119;
    config.lsu.membar_gpu = 120;
    config.lsu.membar_sys = 0;
    return config;
}

TEST(Pipes, EveryUnitHasItsNameAndReason) {
    const auto row = [](Unit unit) { return std::pair(pipe_spec(unit).name, pipe_spec(unit).throttle); };
    EXPECT_EQ(row(Unit::kNone), std::pair(std::string_view("none"), StallReason::kMathPipeThrottle));
    EXPECT_EQ(row(Unit::kAlu), std::pair(std::string_view("alu"), StallReason::kMathPipeThrottle));
    EXPECT_EQ(row(Unit::kFma), std::pair(std::string_view("fma"), StallReason::kMathPipeThrottle));
    EXPECT_EQ(row(Unit::kXu), std::pair(std::string_view("xu"), StallReason::kMathPipeThrottle));
    EXPECT_EQ(row(Unit::kFp64), std::pair(std::string_view("fp64"), StallReason::kMathPipeThrottle));
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
    EXPECT_EQ(pipes[Unit::kUniform].latency, 105U);
    EXPECT_EQ(pipes[Unit::kLoadStore].latency, 118U);
    EXPECT_EQ(pipes[Unit::kAlu].interval, 2U);
    EXPECT_EQ(pipes[Unit::kFma].interval, 3U);
    EXPECT_EQ(pipes[Unit::kXu].interval, 4U);
    EXPECT_EQ(pipes[Unit::kFp64].interval, 5U);
    EXPECT_EQ(pipes[Unit::kUniform].interval, 6U);
    EXPECT_EQ(pipes[Unit::kLoadStore].interval, 1U);
}

TEST(Pipes, SmMd_LatenciesIntoAUnitFromAnother) {
    const Pipes pipes(every_figure_another());
    EXPECT_EQ(pipes[Unit::kAlu].register_in, 0U);
    EXPECT_EQ(pipes[Unit::kFma].register_in, 110U);
    for (const Unit unit : {Unit::kXu, Unit::kFp64, Unit::kUniform, Unit::kLoadStore}) {
        EXPECT_EQ(pipes[unit].register_in, 111U);
    }
    for (const Unit unit : {Unit::kNone, Unit::kAlu, Unit::kFma, Unit::kXu, Unit::kFp64, Unit::kUniform}) {
        EXPECT_EQ(pipes[unit].predicate_in, 114U);
        EXPECT_EQ(pipes[unit].uniform_in, 0U);
    }
    for (const Unit unit : {Unit::kBranch, Unit::kBarrier}) {
        EXPECT_EQ(pipes[unit].register_in, 112U);
        EXPECT_EQ(pipes[unit].predicate_in, 113U);
        EXPECT_EQ(pipes[unit].uniform_in, 115U);
    }
    EXPECT_EQ(pipes.slowest().register_in, 112U);
    EXPECT_EQ(pipes.slowest().predicate_in, 114U);
    EXPECT_EQ(pipes.slowest().uniform_in, 115U);
}

TEST(Pipes, TheOperationSaysWhichLatencyIsIts) {
    const Pipes pipes(every_figure_another());
    const auto latency = [&](Op op) { return pipes.latency(isa::spec_of(op)); };
    for (const Op op : {Op::kS2r, Op::kS2ur}) {
        EXPECT_EQ(latency(op), 116U);
    }
    for (const Op op : {Op::kShfl, Op::kMatch, Op::kRedux}) {
        EXPECT_EQ(latency(op), 117U);
    }
    EXPECT_EQ(latency(Op::kLdc), 118U);
    EXPECT_EQ(latency(Op::kCs2r), 101U);
    EXPECT_EQ(latency(Op::kMufu), 103U);
}

TEST(Pipes, AFenceHoldsByItsScopeAndAtLeastOneCycle) {
    const Pipes pipes(every_figure_another());
    EXPECT_EQ(pipes.fence(isa::Scope::kCta), 119U);
    EXPECT_EQ(pipes.fence(isa::Scope::kGpu), 120U);
    EXPECT_EQ(pipes.fence(isa::Scope::kSys), 1U);
}

} // namespace
} // namespace smsim::timing

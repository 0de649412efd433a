// Pipes and queues that do not accept an instruction: which warps wait, for how long, and which reason is charged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "tb/unit/ibuffer/fake_ports.h"

namespace smsim::ibuffer::test {
namespace {

using isa::Op;
using ::testing::ElementsAre;

/// Every instruction except EXIT is done within the call after `latency` cycles, and holds its latch for `interval`.
void take_intervals(Bench &bench, std::uint32_t interval, Cycle latency = 1) {
    bench.ports.answer = [&bench, interval, latency](unsigned, const isa::Instruction &insn, LaneMask active) {
        auto issued = bench.ports.plain(insn, active, latency);
        issued.interval = insn.op == Op::kExit ? 1 : interval;
        return issued;
    };
}

TEST(IssueStage, FullQueueStallsWithMioThrottleUntilTheUnitAccepts) {
    Bench bench;
    bench.ports.append(make(Op::kSts));
    bench.ports.append(make(Op::kSts));
    bench.ports.append(make(Op::kExit));
    unsigned stores = 0;
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        auto issued = bench.ports.plain(insn, active, 1);
        if (insn.op == Op::kSts) {
            issued.kind = ++stores == 1 ? IssuePorts::Issued::Kind::kQueueFull : IssuePorts::Issued::Kind::kDone;
        }
        return issued;
    };
    bench.build();
    bench.start(0, 0);
    bench.run(1000, {{30, [&] {
                          bench.stage->unit_ready(isa::Unit::kLoadStore, 31);
                          bench.stage->placed(0, 32, 32);
                          bench.stage->answered(0, bench.ports.program[0], Outcome::kContinue, 0, {}, 35);
                      }}});
    EXPECT_EQ(cycles_of(bench.ports, 0)[1], 31U);
    EXPECT_EQ(bench.stall(bench.stage->ended().kept()[0], StallReason::kMioThrottle), 29U);
}

TEST(IssueStage, BusyPipeStallsOnlyWarpsThatNeedIt) {
    Bench bench(2);
    bench.ports.append(make(Op::kMufu));
    bench.ports.append(make(Op::kMufu));
    bench.ports.append(make(Op::kExit));
    take_intervals(bench, 4);
    bench.build();
    bench.start(0, 0);
    bench.start(1, 0);
    bench.run(1000);
    std::vector<Cycle> mufu;
    for (const Seen &seen : bench.ports.seen) {
        if (seen.pc < 32) {
            mufu.push_back(seen.cycle);
        }
    }
    ASSERT_EQ(mufu.size(), 4U);
    for (std::size_t i = 1; i < mufu.size(); ++i) {
        EXPECT_GE(mufu[i] - mufu[i - 1], 4U);
    }
}

/// Cycles between the issues of `program`, one warp, with `second`; each pipe takes an instruction every other cycle.
std::vector<Cycle> gaps(SecondFp32 second, const std::vector<Op> &program, Cycle *throttled = nullptr) {
    Bench bench(1, [&](Config &config) {
        config.pipes.second_fp32 = second;
        config.ibuffer.depth = 4;
        config.ibuffer.fetch_per_cycle = 2;
    });
    for (const Op op : program) {
        bench.ports.append(make(op));
    }
    bench.ports.append(make(Op::kExit));
    take_intervals(bench, 2);
    bench.build();
    bench.start(0, 0);
    bench.run(1000);
    std::vector<Cycle> gaps;
    for (std::size_t i = 1; i < program.size(); ++i) {
        gaps.push_back(bench.ports.seen[i].cycle - bench.ports.seen[i - 1].cycle);
    }
    if (throttled != nullptr) {
        *throttled = bench.stall(bench.stage->ended().kept()[0], StallReason::kMathPipeThrottle);
    }
    return gaps;
}

TEST(IssueStage, Fp32ArithmeticRunsOnTwoPipesWhereThereAreTwo) {
    const std::vector<Op> fp32 = {Op::kFfma, Op::kFadd, Op::kFmul, Op::kFfma};
    Cycle throttled = 0;
    EXPECT_THAT(gaps(SecondFp32::kNone, fp32, &throttled), ElementsAre(2, 2, 2));
    EXPECT_EQ(throttled, 3U);
    EXPECT_THAT(gaps(SecondFp32::kOwn, fp32, &throttled), ElementsAre(1, 1, 1));
    EXPECT_EQ(throttled, 0U);
    EXPECT_THAT(gaps(SecondFp32::kAlu, fp32), ElementsAre(1, 1, 1));
}

TEST(IssueStage, IntegerProductsStayOnTheFirstPipe) {
    const std::vector<Op> products = {Op::kImad, Op::kImad, Op::kFfma, Op::kFfma, Op::kImad};
    // The last one waits for the first pipe, where the second FFMA went.
    EXPECT_THAT(gaps(SecondFp32::kOwn, products), ElementsAre(2, 1, 1, 2));
    EXPECT_THAT(gaps(SecondFp32::kAlu, products), ElementsAre(2, 1, 1, 2));
}

TEST(IssueStage, Fp32ArithmeticTakesTheSecondPipeFirst) {
    EXPECT_THAT(gaps(SecondFp32::kOwn, {Op::kFfma, Op::kImad}), ElementsAre(1));
    EXPECT_THAT(gaps(SecondFp32::kAlu, {Op::kFfma, Op::kImad}), ElementsAre(1));
}

TEST(IssueStage, TheSecondFp32PipeMayBeThatOfIntegers) {
    const std::vector<Op> mixed = {Op::kFfma, Op::kIadd3, Op::kFfma, Op::kFfma};
    EXPECT_THAT(gaps(SecondFp32::kOwn, mixed), ElementsAre(1, 1, 1));
    // FFMA on the second; IADD3 waits for it; FFMA on the first; the last instruction finds the second free again.
    Cycle throttled = 0;
    EXPECT_THAT(gaps(SecondFp32::kAlu, mixed, &throttled), ElementsAre(2, 1, 1));
    EXPECT_EQ(throttled, 1U);
}

TEST(IssueStage, AWarpThatIsReadyFindsOutThatAnotherOpTookItsPipe) {
    // Two warps, alternating FFMA and IADD3: never two on one pipe within its interval.
    Bench bench(2, [](Config &config) { config.pipes.second_fp32 = SecondFp32::kAlu; });
    for (int i = 0; i < 20; ++i) {
        bench.ports.append(make(i % 2 == 0 ? Op::kFfma : Op::kIadd3));
    }
    bench.ports.append(make(Op::kExit));
    take_intervals(bench, 2);
    bench.build();
    bench.start(0, 0);
    bench.start(1, 0);
    bench.run(1000);
    Cycle alu = 0; // free again
    Cycle fma = 0;
    for (const Seen &seen : bench.ports.seen) {
        if (seen.pc >= 20 * kInstructionBytes) {
            continue;
        }
        const bool fp32 = bench.ports.program[seen.pc / kInstructionBytes].op == Op::kFfma;
        Cycle &latch = fp32 && alu > seen.cycle ? fma : alu;
        EXPECT_LE(latch, seen.cycle) << seen.pc;
        latch = seen.cycle + 2;
    }
}

TEST(IssueStage, TheTimeOfAnApplicantIsDividedByWhetherItsPipeWasFree) {
    Bench bench(2, [](Config &config) { config.ibuffer.fetch_per_cycle = 2; });
    bench.ports.append(make(Op::kMufu));
    bench.ports.append(make(Op::kExit));
    take_intervals(bench, 10);
    bench.build();
    bench.start(0, 0);
    bench.start(1, 0);
    bench.run(1000);
    ASSERT_EQ(bench.stage->ended().kept().size(), 2U);
    const WarpStats &last = bench.stage->ended().kept()[1];
    const Cycle first_issue = bench.ports.seen[0].cycle;
    // Not selected in the cycle of the other warp's issue, then nine cycles for the pipe.
    EXPECT_EQ(bench.stall(last, StallReason::kMathPipeThrottle), 9U);
    EXPECT_EQ(last.states[static_cast<std::size_t>(WarpState::kWaitUnit)], 9U);
    EXPECT_EQ(total(last), last.end - last.start);
    EXPECT_EQ(bench.ports.seen.back().cycle, first_issue + 11);
}

TEST(IssueStage, ARunCutShortChargesAnApplicantUpToThen) {
    Bench bench(1);
    bench.ports.append(make(Op::kMufu));
    bench.ports.append(make(Op::kMufu));
    bench.ports.append(make(Op::kExit));
    take_intervals(bench, 100);
    bench.build();
    bench.start(0, 0);
    bench.run(50);
    const Cycle issue = bench.ports.seen.back().cycle;
    EXPECT_EQ(bench.stage->state(0, 50), WarpState::kWaitUnit);
    bench.stage->close(50);
    EXPECT_EQ(bench.stall(bench.stage->ended().kept()[0], StallReason::kMathPipeThrottle), 50 - (issue + 1));
    EXPECT_EQ(total(bench.stage->ended().kept()[0]), 50U);
}

TEST(IssueStage, AReleaseDuringAWaitForThePipePrecedesTheNextHold) {
    Bench bench(1);
    isa::Instruction holds = make(Op::kMufu);
    holds.wsb = 0;
    isa::Instruction waits = make(Op::kMov);
    waits.req = 1;
    bench.ports.append(holds);
    bench.ports.append(holds);
    bench.ports.append(waits);
    bench.ports.append(make(Op::kExit));
    take_intervals(bench, 20, 5);
    bench.build();
    bench.start(0, 0);
    bench.run(1000);
    // The second one holds the scoreboard again: this is visible two cycles after its issue, so an instruction in the
    // next cycle does not see it, as after the first one.
    EXPECT_EQ(bench.ports.seen[1].cycle, bench.ports.seen[0].cycle + 20);
    EXPECT_EQ(bench.ports.seen[2].cycle, bench.ports.seen[1].cycle + 1);
}

} // namespace
} // namespace smsim::ibuffer::test

// Counters of the branch unit: what each kind of step counts, and how divergences are tracked to their end.
#include <gtest/gtest.h>

#include "bru/branch_statistics.h"
#include "tb/unit/bru/support.h"

namespace smsim::bru::test {
namespace {

const WarpSlot kWarp(0);

struct Counting {
    Warp warp;
    BranchStatistics statistics{1};
    std::uint64_t sequence = 0;

    explicit Counting(LaneMask valid) : warp(valid) {}
    /// Executes and counts; `others` instructions of other units were executed before.
    void step(const Instruction &i, const Values &values = {}, std::uint64_t others = 0) {
        sequence += others;
        const StepResult result = warp.step(i, values);
        ASSERT_FALSE(result.fault);
        statistics.record(kWarp, i, result, sequence++);
    }
    const BruStats &stats() const { return statistics.stats(); }
};

TEST(BranchCounts, TakenAndLanes) {
    Counting run(LaneMask(0xf));
    run.step(insn(Op::kBra, Form::kX, 0, 0), {.guard = LaneMask()});
    run.step(insn(Op::kBra, Form::kX, 0x10, -1));
    run.step(insn(Op::kBra, Form::kX, 0x10, 3), {.guard = LaneMask(0x7)});
    EXPECT_EQ(run.stats().branches.at(0).executions, 1U);
    EXPECT_EQ(run.stats().branches.at(0).taken, 0U);
    const BranchStats &branch = run.stats().branches.at(0x10);
    EXPECT_EQ(branch.executions, 2U);
    EXPECT_EQ(branch.taken, 2U);
    EXPECT_EQ(branch.taken_lanes, 7U);
    EXPECT_EQ(branch.active_lanes, 8U);
    EXPECT_EQ(branch.diverged, 1U);
    EXPECT_EQ(run.stats().instructions, 3U);
}

TEST(Reconvergence, PathFromTheBranchToTheJoin) {
    Counting run(LaneMask(0xf));
    run.step(on_breg(Op::kBssy, Form::kI, 0x00, 0));
    run.step(insn(Op::kBra, Form::kX, 0x10, 2), {.guard = LaneMask(0x3)});
    run.step(insn(Op::kBra, Form::kX, 0x30, 1), {}, 1);      // the others go to the join
    run.step(on_breg(Op::kBsync, Form::kX, 0x50, 0));        // wait
    run.step(on_breg(Op::kBsync, Form::kX, 0x50, 0), {}, 1); // the first side, after one instruction, completes
    const BranchStats &branch = run.stats().branches.at(0x10);
    EXPECT_EQ(branch.diverged, 1U);
    EXPECT_EQ(branch.reconverged, 1U);
    EXPECT_EQ(branch.path_instructions, 5U);
    EXPECT_EQ(branch.path_max, 5U);
    const SyncStats &sync = run.stats().syncs.at(0x50);
    EXPECT_EQ(sync.executions, 2U);
    EXPECT_EQ(sync.switched, 1U);
    EXPECT_EQ(sync.passed, 1U);
    EXPECT_EQ(sync.releases[static_cast<std::size_t>(ReleaseKind::kComplete)], 1U);
    EXPECT_EQ(run.stats().branches.at(0x30).diverged, 0U);
}

TEST(Reconvergence, WarpsyncJoinsToo) {
    Counting run(LaneMask(0x3));
    run.step(insn(Op::kBra, Form::kX, 0x00, 3), {.guard = LaneMask(0x2)});
    run.step(insn(Op::kWarpsync, Form::kI, 0x40, 0x3), {}, 3);
    EXPECT_EQ(run.stats().branches.at(0).reconverged, 1U);
    EXPECT_EQ(run.stats().branches.at(0).path_instructions, 4U);
    EXPECT_EQ(run.stats().syncs.at(0x40).passed, 1U);
}

TEST(Reconvergence, NotWhenOneSideEnds) {
    Counting run(LaneMask(0x3));
    run.step(insn(Op::kBra, Form::kX, 0x00, 3), {.guard = LaneMask(0x2)});
    run.step(insn(Op::kExit, Form::kX, 0x10));
    run.step(insn(Op::kWarpsync, Form::kI, 0x40, 0x3));
    EXPECT_EQ(run.stats().branches.at(0).reconverged, 0U);
}

TEST(Reconvergence, NotByAnElection) {
    Counting run(LaneMask(0x7));
    run.step(insn(Op::kBra, Form::kX, 0x00, 3), {.guard = LaneMask(0x2)}); // thread 1 to 0x40
    run.warp.active(LaneMask(0x7), 0x40);                                  // they meet without a sync
    run.step(insn(Op::kBra, Form::kX, 0x40, 3), {.guard = LaneMask(0x2)}); // and diverge again
    run.warp.active(LaneMask(0x5), 0x80).stand(LaneMask(0x2), 0x80);
    run.step(insn(Op::kWarpsync, Form::kI, 0x80, 0x7));
    EXPECT_EQ(run.stats().branches.at(0x00).reconverged, 0U);
    EXPECT_EQ(run.stats().branches.at(0x40).reconverged, 1U);
}

TEST(Reconvergence, ANewWarpForgetsTheOldOnes) {
    Counting run(LaneMask(0x3));
    run.step(insn(Op::kBra, Form::kX, 0x00, 3), {.guard = LaneMask(0x2)});
    run.statistics.start(kWarp);
    run.step(insn(Op::kWarpsync, Form::kI, 0x40, 0x3));
    EXPECT_EQ(run.stats().branches.at(0).reconverged, 0U);
}

TEST(Turns, YieldsSleepsParkedAndSyscalls) {
    Counting run(LaneMask(0x3));
    run.step(insn(Op::kYield, Form::kX, 0x00));
    run.step(insn(Op::kYield, Form::kX, 0x10), {.guard = LaneMask(0x1)}); // thread 0 parks
    run.step(insn(Op::kYield, Form::kX, 0x20));                           // thread 1 yields to it
    run.step(insn(Op::kNanosleep, Form::kI, 0x10, 0));                    // no sleep
    run.step(insn(Op::kNanosleep, Form::kI, 0x20, 9));                    // sleeps, thread 1 continues
    run.step(insn(Op::kNanosleep, Form::kI, 0x30, 9));                    // now the whole warp
    run.step(insn(Op::kSyscall, Form::kX, 0x30));
    run.statistics.count_wake();
    EXPECT_EQ(run.stats().yields_converged, 1U);
    EXPECT_EQ(run.stats().parked, 1U);
    EXPECT_EQ(run.stats().yields, 1U);
    EXPECT_EQ(run.stats().sleeps, 2U);
    EXPECT_EQ(run.stats().warp_sleeps, 1U);
    EXPECT_EQ(run.stats().wakes, 1U);
    EXPECT_EQ(run.stats().syscalls, 1U);
    EXPECT_EQ(run.stats().instructions, 7U);
}

} // namespace
} // namespace smsim::bru::test

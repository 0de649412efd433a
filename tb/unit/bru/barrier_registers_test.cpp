// Convergence barriers: BSSY, BREAK, BMOV and the rules of BSYNC (bru.md "Convergence barriers").
#include <algorithm>

#include <gtest/gtest.h>

#include "bru/engines/convergence_barrier/barrier_registers.h"
#include "tb/unit/bru/support.h"

namespace smsim::bru::test {
namespace {

Instruction bsync_at(Pc pc, std::uint8_t breg = 0) {
    return on_breg(Op::kBsync, Form::kX, pc, breg);
}

TEST(Bssy, AddsTheExecutingThreads) {
    Warp warp(LaneMask(0xff));
    warp.state().b[3] = LaneMask(0x80);
    Instruction i = on_breg(Op::kBssy, Form::kI, 0, 3);
    i.imm = 0x7fffffff; // the address of the sync has no effect
    const StepResult result = warp.step(i, {.guard = LaneMask(0x0f)});
    EXPECT_EQ(warp.state().b[3], LaneMask(0x8f));
    EXPECT_EQ(result.next_pc, 0x10U);
    EXPECT_EQ(result.next_active, LaneMask(0xff));
}

TEST(Break, RemovesTheExecutingThreads) {
    Warp warp(LaneMask(0xff));
    warp.state().b[3] = LaneMask(0xff);
    const StepResult result =
        warp.step(on_breg(Op::kBreak, Form::kX, 0, 3), {.guard = LaneMask(0x3f), .guard_pp = LaneMask(0xf3)});
    EXPECT_EQ(warp.state().b[3], LaneMask(0xcc));
    EXPECT_EQ(result.next_pc, 0x10U);
}

TEST(Bmov, ReadsABarrierRegisterInTheExecutingLanes) {
    Warp warp(LaneMask(0xff));
    warp.state().b[5] = LaneMask(0x3c);
    const StepResult result = warp.step(on_breg(Op::kBmov, Form::kX, 0, 5), {.guard = LaneMask(0x11)});
    EXPECT_EQ(result.write_lanes, LaneMask(0x11));
    EXPECT_EQ(result.value, 0x3cU);
    EXPECT_EQ(warp.state().b[5], LaneMask(0x3c));
}

TEST(Bmov, ClearEmptiesTheRegisterOnlyIfSomeThreadExecutes) {
    Warp warp(LaneMask(0xff));
    warp.state().b[5] = LaneMask(0x3c);
    Instruction i = on_breg(Op::kBmov, Form::kX, 0, 5);
    i.mod[0] = 1;
    EXPECT_EQ(warp.step(i, {.guard = LaneMask()}).write_lanes, LaneMask());
    EXPECT_EQ(warp.state().b[5], LaneMask(0x3c));
    i.pc = 0x10;
    EXPECT_EQ(warp.step(i).value, 0x3cU);
    EXPECT_EQ(warp.state().b[5], LaneMask());
}

TEST(Bmov, WritesFromTheLowestExecutingThreadInsideValidMask) {
    Warp warp(LaneMask(0xff));
    warp.state().b[5] = LaneMask(0x1);
    Values values;
    values.guard = LaneMask(0x0c);
    values.vectors[0] = {1, 2, 0xf0f0, 4};
    warp.step(on_breg(Op::kBmov, Form::kR, 0, 5), values);
    EXPECT_EQ(warp.state().b[5], LaneMask(0xf0));
}

TEST(Bmov, WithoutExecutingThreadTheRegisterStays) {
    Warp warp(LaneMask(0xff));
    warp.state().b[5] = LaneMask(0x1);
    Values values;
    values.guard = LaneMask();
    values.vectors[0].fill(0xff);
    EXPECT_EQ(warp.step(on_breg(Op::kBmov, Form::kR, 0, 5), values).next_pc, 0x10U);
    EXPECT_EQ(warp.state().b[5], LaneMask(0x1));
}

// --- BSYNC

TEST(BsyncRule1, ThreadsAtTheJoinHaveArrived) {
    Warp warp(LaneMask(0xf));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x40).stand(LaneMask(0xc), 0x80);
    warp.state().b[0] = LaneMask(0x3);
    const StepResult result = warp.step(bsync_at(0x40));
    EXPECT_EQ(result.next_active, LaneMask(0x3));
    EXPECT_EQ(result.next_pc, 0x50U);
}

// If it counted as arrived, a sleeping thread would run before its time.
TEST(BsyncRule1, D6_SleepingThreadsHaveNotArrived) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x40);
    warp.state().b[0] = LaneMask(0x3);
    warp.state().sleep = LaneMask(0x2);
    const StepResult result = warp.step(bsync_at(0x40));
    EXPECT_EQ(result.next_active, LaneMask(0x1));
    EXPECT_EQ(result.event.release, ReleaseKind::kSleep);
    EXPECT_EQ(warp.state().b[0], LaneMask(0x2));
}

// In an if without else, thread 1 branches directly to the join and passes without executing it. If its bit remained
// in B0, the next region on B0 would wait for it although it has left.
TEST(BsyncRule1, D7_BitsOfAllArrivedThreadsAreCleared) {
    Warp warp(LaneMask(0x7));
    warp.step(on_breg(Op::kBssy, Form::kI, 0x00, 0), {.guard = LaneMask(0x3)});
    warp.step(insn(Op::kBra, Form::kX, 0x10, 1), {.guard = LaneMask(0x2)}); // to 0x30
    warp.active(LaneMask(0x1), 0x30).stand(LaneMask(0x4), 0x80);
    EXPECT_TRUE(warp.step(bsync_at(0x30)).event.passed);
    EXPECT_EQ(warp.state().b[0], LaneMask());
    EXPECT_EQ(warp.state().active, LaneMask(0x3));
}

TEST(BsyncRule2, CompletePassesWithAllThatArrived) {
    Warp warp(LaneMask(0xf));
    warp.active(LaneMask(0x3), 0x40).stand(LaneMask(0x4), 0x40).stand(LaneMask(0x8), 0x80);
    warp.state().b[0] = LaneMask(0x7);
    warp.state().yield = LaneMask(0xf);
    warp.state().turn = LaneMask(0xf);
    const StepResult result = warp.step(bsync_at(0x40));
    EXPECT_EQ(result.event.release, ReleaseKind::kComplete);
    EXPECT_EQ(result.next_active, LaneMask(0x7));
    EXPECT_EQ(warp.state().yield, LaneMask(0x8));
    EXPECT_EQ(warp.state().turn, LaneMask(0x8));
}

TEST(BsyncRule2, AnEmptyBarrierPassesAtOnce) {
    Warp warp(LaneMask(0xf), 0x40);
    EXPECT_EQ(warp.step(bsync_at(0x40)).event.release, ReleaseKind::kComplete);
}

TEST(BsyncRule3, D14_AFirstTurnWithoutProgressIsRememberedAndASecondReleases) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x6), 0x80);
    warp.state().b[0] = LaneMask(0x7);
    warp.control.turn_given = true;
    EXPECT_FALSE(warp.step(bsync_at(0x40)).event.passed);
    EXPECT_EQ(warp.state().turn, LaneMask(0x1));

    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x6), 0x80);
    make_progress(warp.state());
    warp.control.turn_given = true;
    const StepResult result = warp.step(bsync_at(0x40));
    EXPECT_EQ(result.event.release, ReleaseKind::kTurn);
    EXPECT_EQ(warp.state().turn, LaneMask());
    EXPECT_EQ(warp.state().b[0], LaneMask(0x6)); // the bits of absent threads stay
}

TEST(BsyncRule3, OnlyTheFirstInstructionAfterTheSwitchCounts) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x30).stand(LaneMask(0x6), 0x80);
    warp.state().b[0] = LaneMask(0x7);
    warp.state().turn = LaneMask(0x1);
    warp.control.turn_given = true; // the switch led to 0x30, an instruction of another unit
    EXPECT_FALSE(warp.step(bsync_at(0x40)).event.passed);
}

TEST(BsyncRule3, AControlInstructionBetweenEndsTheTurn) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x30).stand(LaneMask(0x6), 0x80);
    warp.state().b[0] = LaneMask(0x6);
    warp.state().turn = LaneMask(0x1);
    warp.control.turn_given = true;
    warp.step(on_breg(Op::kBssy, Form::kI, 0x30, 1));
    EXPECT_FALSE(warp.step(bsync_at(0x40)).event.passed);
}

TEST(BsyncRule4, WaitsForTheLowestPathOfMembersFirst) {
    Warp warp(LaneMask(0x1f));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x80).stand(LaneMask(0xc), 0x90).stand(LaneMask(0x10), 0x90);
    warp.state().b[0] = LaneMask(0xd);
    const StepResult result = warp.step(bsync_at(0x40));
    EXPECT_EQ(result.next_pc, 0x90U);
    EXPECT_EQ(result.next_active, LaneMask(0xc)); // thread 4 is at the same address but is no member
    EXPECT_EQ(warp.state().rpc[0], 0x40U);
    EXPECT_EQ(warp.state().wait, LaneMask(0x1));
    EXPECT_EQ(warp.state().wait_bar, LaneMask(0x1));
}

TEST(BsyncRule4, OthersRunWhenNoMemberCan) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x80).stand(LaneMask(0x4), 0x90);
    warp.state().b[0] = LaneMask(0x3);
    warp.state().yield = LaneMask(0x2);
    const StepResult result = warp.step(bsync_at(0x40));
    EXPECT_EQ(result.next_active, LaneMask(0x4));
    EXPECT_FALSE(result.event.passed);
}

TEST(BsyncRule4, ReleasesByKind) {
    struct Case {
        std::uint32_t yield, sleep, wait;
        ReleaseKind kind;
    };
    for (const Case &c : {Case{0x2, 0, 0, ReleaseKind::kYield}, Case{0, 0x2, 0, ReleaseKind::kSleep},
                          Case{0x2, 0x2, 0, ReleaseKind::kSleep}, Case{0, 0, 0x2, ReleaseKind::kBlocked}}) {
        Warp warp(LaneMask(0x3));
        warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x80);
        warp.state().b[0] = LaneMask(0x3);
        warp.state().yield = LaneMask(c.yield);
        warp.state().sleep = LaneMask(c.sleep);
        warp.state().wait = LaneMask(c.wait);
        const StepResult result = warp.step(bsync_at(0x40));
        EXPECT_EQ(result.event.release, c.kind);
        EXPECT_EQ(result.next_active, LaneMask(0x1));
        EXPECT_EQ(warp.state().b[0], LaneMask(0x2));
        EXPECT_EQ(warp.state().wait, LaneMask()); // passing is progress
    }
}

// Two groups wait at two joins for the same yielded thread.
Warp two_joins_one_yielder() {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x50).stand(LaneMask(0x4), 0x80);
    warp.state().b[0] = LaneMask(0x5);
    warp.state().b[1] = LaneMask(0x6);
    warp.state().yield = LaneMask(0x4);
    return warp;
}

StepResult step_two_joins(Warp &warp) {
    return warp.step(warp.state().active_pc == 0x40 ? bsync_at(0x40, 0) : bsync_at(0x50, 1));
}

TEST(BsyncRule4, D1_TriedThreadsAreNotTriedAgain) {
    Warp warp = two_joins_one_yielder();
    EXPECT_FALSE(step_two_joins(warp).event.passed);
    EXPECT_EQ(step_two_joins(warp).event.release, ReleaseKind::kYield);
}

TEST(BsyncRule4, D8_TheLiteralRuleSwitchesForEver) {
    Warp warp = two_joins_one_yielder();
    warp.config.bsync_spec_literal = true;
    for (int step = 0; step < 1000; ++step) {
        ASSERT_FALSE(step_two_joins(warp).event.passed);
    }
}

// A thread left in YieldMask would be skipped at the next join.
TEST(BsyncPass, D18_AllThatPassAreSynchronised) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x40).stand(LaneMask(0x4), 0x80);
    warp.state().b[0] = LaneMask(0x4);
    warp.state().yield = LaneMask(0x6);
    EXPECT_EQ(warp.step(bsync_at(0x40)).event.release, ReleaseKind::kYield);
    EXPECT_EQ(warp.state().active, LaneMask(0x3));
    EXPECT_EQ(warp.state().yield, LaneMask(0x4));
}

// --- whole programs

// The spinning threads 0 and 1 meet at their own join in each round, which clears their YieldMask; thread 31, for
// whose flag they spin, waits for them outside.
Scenario spin_beside_a_join(bool &flag) {
    Scenario s;
    s.barrier(Op::kBssy, 0);                                          // 0
    s.branch_to(8, [](unsigned lane) { return lane == 31; });         // 1
    s.barrier(Op::kBssy, 1);                                          // 2
    s.branch_to(5, [](unsigned lane) { return lane == 1; });          // 3
    s.control(Op::kYield, Form::kX);                                  // 4
    s.barrier(Op::kBsync, 1);                                         // 5
    s.work([](LaneMask) {});                                          // 6
    s.branch_to(2, [&flag](unsigned) { return !flag; });              // 7
    s.barrier(Op::kBsync, 0);                                         // 8
    s.work([&flag](LaneMask mask) { flag = flag || mask.test(31); }); // 9
    s.control(Op::kExit, Form::kX);                                   // 10
    return s;
}

TEST(Programs, D14_SpinLoopWithAnInnerJoinDoesNotStarveTheOuterOne) {
    bool flag = false;
    Scenario s = spin_beside_a_join(flag);
    EXPECT_TRUE(s.run(lanes({0, 1, 31}), {}, 1000));
    EXPECT_EQ(std::count(s.releases.begin(), s.releases.end(), ReleaseKind::kTurn), 1);
}

TEST(Programs, D14_WithoutTurnsItStarves) {
    bool flag = false;
    Scenario s = spin_beside_a_join(flag);
    BruConfig config;
    config.bsync_spec_literal = true;
    EXPECT_FALSE(s.run(lanes({0, 1, 31}), config, 10000));
    EXPECT_FALSE(s.fault);
}

TEST(Programs, IfElseReconverges) {
    std::vector<LaneMask> seen;
    Scenario s;
    s.barrier(Op::kBssy, 0);                                     // 0
    s.branch_to(4, [](unsigned lane) { return lane % 2 == 1; }); // 1
    s.work([&](LaneMask mask) { seen.push_back(mask); });        // 2
    s.branch_to(5);                                              // 3
    s.work([&](LaneMask mask) { seen.push_back(mask); });        // 4
    s.barrier(Op::kBsync, 0);                                    // 5
    s.work([&](LaneMask mask) { seen.push_back(mask); });        // 6
    s.control(Op::kExit, Form::kX);                              // 7
    EXPECT_TRUE(s.run(LaneMask::all(), {}, 100));
    EXPECT_EQ(seen, (std::vector{LaneMask(0x55555555), LaneMask(0xaaaaaaaa), LaneMask::all()}));
}

} // namespace
} // namespace smsim::bru::test

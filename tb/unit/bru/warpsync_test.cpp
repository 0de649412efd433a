// WARPSYNC: which threads have arrived, which groups pass, which threads run while others wait (bru.md "WARPSYNC").
#include <gtest/gtest.h>

#include "bru/engines/common/values.h"
#include "bru/engines/convergence_barrier/warpsync.h"
#include "tb/unit/bru/support.h"

namespace smsim::bru::test {
namespace {

Instruction sync_imm(Pc pc, std::uint32_t members) {
    return insn(Op::kWarpsync, Form::kI, pc, members);
}
Instruction sync_reg(Pc pc) {
    return insn(Op::kWarpsync, Form::kR, pc);
}

TEST(WarpsyncMembers, FormsAndInversion) {
    Values values;
    values.vectors[0].fill(0x0f);
    values.vectors[0][1] = 0xf0;
    values.scalar = 0x3c;
    const LaneMask valid(0xff);
    EXPECT_EQ(member_masks(sync_imm(0, 0xffffffff), values.operands(), valid)[0], LaneMask(0xff));
    for (const Form form : {Form::kU, Form::kC}) {
        Instruction i = insn(Op::kWarpsync, form, 0);
        EXPECT_EQ(member_masks(i, values.operands(), valid)[7], LaneMask(0x3c));
        i.bitnot = true;
        EXPECT_EQ(member_masks(i, values.operands(), valid)[7], LaneMask(0xc3));
    }
    Instruction i = sync_reg(0);
    EXPECT_EQ(member_masks(i, values.operands(), valid)[1], LaneMask(0xf0));
    i.bitnot = true;
    EXPECT_EQ(member_masks(i, values.operands(), valid)[1], LaneMask(0x0f));
}

TEST(Warpsync, PassesWhenAllMembersHaveArrivedAndOnlyThem) {
    Warp warp(LaneMask(0xf));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0xe), 0x40);
    warp.state().yield = LaneMask(0x3);
    const StepResult result = warp.step(sync_imm(0x40, 0x3));
    EXPECT_TRUE(result.event.passed);
    EXPECT_EQ(result.next_active, LaneMask(0x3));
    EXPECT_EQ(result.next_pc, 0x50U);
    EXPECT_EQ(standing_at(warp.state(), 0x40), LaneMask(0xc));
    EXPECT_EQ(warp.state().yield, LaneMask(0x3)); // passing does not touch YieldMask
}

TEST(Warpsync, ExitedMembersAreNotWaitedFor) {
    Warp warp(LaneMask(0x3));
    EXPECT_TRUE(warp.step(sync_imm(0, 0xf)).event.passed);
}

TEST(Warpsync, SleepingMembersHaveNotArrived) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x40);
    warp.state().sleep = LaneMask(0x2);
    const StepResult result = warp.step(sync_imm(0x40, 0x3));
    EXPECT_FALSE(result.event.passed);
    EXPECT_EQ(result.outcome, Outcome::kSleep);
    EXPECT_EQ(result.next_active, LaneMask(0x2));
}

// Thread 1 is at the instruction but would return with a false guard and never execute it.
TEST(Warpsync, D15_AThreadWithFalseGuardHasNotArrived) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x40);
    const StepResult result = warp.step(sync_imm(0x40, 0x3), {.guard = LaneMask(0x1)});
    EXPECT_FALSE(result.event.passed);
    EXPECT_EQ(result.next_active, LaneMask(0x2)); // it runs on
    EXPECT_EQ(result.next_pc, 0x40U);
}

TEST(Warpsync, D15_BothGuardsDecide) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x40);
    EXPECT_FALSE(warp.step(sync_imm(0x40, 0x3), {.guard_pp = LaneMask(0x1)}).event.passed);
}

TEST(WarpSyncMembership, ExecutingThreadOutsideItsMask) {
    Warp warp(LaneMask(0x7));
    const ControlState before = warp.state();
    const StepResult result = warp.step(sync_imm(0, 0x3));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kWarpSyncMembership);
    EXPECT_EQ(result.fault->detail, "thread 2 executes WARPSYNC with member mask 0x00000003, which does not name it");
    EXPECT_EQ(warp.state(), before);
}

TEST(WarpSyncMembership, MasksThatFormNoGroup) {
    Warp warp(LaneMask(0x7));
    Values values;
    values.vectors[0] = {0x3, 0x6, 0x5}; // each names a thread that holds another mask
    const StepResult result = warp.step(sync_reg(0), values);
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kWarpSyncMembership);
    EXPECT_EQ(result.fault->detail, "all named threads have arrived (0x00000007), but their member masks form no "
                                    "group: thread 0 0x00000003 thread 1 0x00000006 thread 2 0x00000005");
}

TEST(WarpsyncR, OneGroupATimeTheLowestFirst) {
    Warp warp(LaneMask(0xf));
    Values values;
    values.vectors[0] = {0x5, 0xa, 0x5, 0xa};
    const StepResult first = warp.step(sync_reg(0x40), values);
    EXPECT_EQ(first.next_active, LaneMask(0x5));
    EXPECT_EQ(standing_at(warp.state(), 0x40), LaneMask(0xa));
    warp.stand(LaneMask(0x5), 0x80).active(LaneMask(0xa), 0x40);
    EXPECT_EQ(warp.step(sync_reg(0x40), values).next_active, LaneMask(0xa));
}

TEST(WarpsyncR, AGroupOfWaitingThreadsMayPassBeforeTheActiveOnes) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x4), 0x40).stand(LaneMask(0x3), 0x40);
    Values values;
    values.vectors[0] = {0x3, 0x3, 0x4};
    EXPECT_EQ(warp.step(sync_reg(0x40), values).next_active, LaneMask(0x3));
    EXPECT_EQ(standing_at(warp.state(), 0x40), LaneMask(0x4));
}

// Thread 1 is here in another iteration, with another mask: it is not the meeting that thread 0 waits for.
TEST(WarpsyncR, D16_AllMembersMustHoldTheMask) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x40).stand(LaneMask(0x4), 0x80);
    Values values;
    values.vectors[0] = {0x3, 0x6, 0x0};
    const StepResult result = warp.step(sync_reg(0x40), values);
    EXPECT_FALSE(result.event.passed);
    EXPECT_EQ(result.next_active, LaneMask(0x4));
}

TEST(WarpsyncR, OperandsOfWaitingThreadsAreThosePresentNow) {
    Warp warp(LaneMask(0x3));
    Values values;
    values.vectors[0] = {0x3, 0x3};
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x80);
    EXPECT_FALSE(warp.step(sync_reg(0x40), values).event.passed);
    warp.active(LaneMask(0x2), 0x40); // arrives; a shuffle has meanwhile rewritten thread 0's register
    values.vectors[0] = {0x1, 0x2};
    EXPECT_EQ(warp.step(sync_reg(0x40), values).next_active, LaneMask(0x1));
}

TEST(WarpsyncBlock, FormRTakesAllThreadsAtTheElectedAddressAndFormIOnlyThePool) {
    for (const bool registers : {false, true}) {
        Warp warp(LaneMask(0x7));
        warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x6), 0x80);
        Values values;
        values.vectors[0].fill(0x3);
        const StepResult result = warp.step(registers ? sync_reg(0x40) : sync_imm(0x40, 0x3), values);
        EXPECT_EQ(result.next_active, registers ? LaneMask(0x6) : LaneMask(0x2));
        EXPECT_EQ(warp.state().wait, LaneMask(0x1));
        EXPECT_EQ(warp.state().wait_bar, LaneMask());
        EXPECT_EQ(warp.state().rpc[0], 0x40U);
    }
}

TEST(WarpsyncBlock, JustParkedThreadsJoinWhenTheirAddressIsElected) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x40).stand(LaneMask(0x4), 0x80);
    warp.state().wait = LaneMask(0x4); // the thread it waits for has been tried
    Values values;
    values.guard = LaneMask(0x1); // thread 1 is here and will not execute it
    values.vectors[0].fill(0x5);
    const StepResult result = warp.step(sync_reg(0x40), values);
    EXPECT_EQ(result.next_pc, 0x40U);
    EXPECT_EQ(result.next_active, LaneMask(0x3));
}

TEST(WarpsyncBlock, OrderOfChoices) {
    ControlState state = started(0, LaneMask(0xff)).state;
    state.active = LaneMask(0x01);
    const LaneMask pool(0x06);
    const LaneMask arrive(0x09);
    EXPECT_EQ(successors_of_blocked(state, LaneMask(0x01), pool, arrive), LaneMask(0x06));
    EXPECT_EQ(successors_of_blocked(state, LaneMask(0x07), pool, arrive), LaneMask(0xf0));
    state.wait_bar = LaneMask(0x14);
    EXPECT_EQ(successors_of_blocked(state, LaneMask(0xff), pool, arrive), LaneMask(0x04));
    state.wait_bar = LaneMask(0x10);
    EXPECT_EQ(successors_of_blocked(state, LaneMask(0xff), pool, arrive), LaneMask(0x10));
    state.sleep = LaneMask(0x30);
    EXPECT_EQ(successors_of_blocked(state, LaneMask(0xff), pool, arrive), LaneMask(0x30));
    state.sleep = LaneMask();
    state.wait_bar = LaneMask();
    EXPECT_EQ(successors_of_blocked(state, LaneMask(0xff), pool, arrive), LaneMask());
}

// Thread 0 lacks 1 and 2, thread 1 lacks 0. By the lowest missing thread the two would hand over to each other
// forever, and thread 2, which could run, would starve.
TEST(WarpsyncBlock, D17_RunnableThreadsAreFoundPastBlockedOnes) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x60).stand(LaneMask(0x4), 0x80);
    EXPECT_EQ(warp.step(sync_imm(0x40, 0x7)).next_active, LaneMask(0x2));
    EXPECT_EQ(warp.step(sync_imm(0x60, 0x3)).next_active, LaneMask(0x4));
}

TEST(SyncDeadlock, NamesWaitingThreadsTheirPlacesAndMissingThreads) {
    Warp warp(LaneMask(0xf));
    warp.active(LaneMask(0x3), 0x40).stand(LaneMask(0xc), 0x80);
    EXPECT_EQ(warp.step(sync_imm(0x40, 0xf)).next_active, LaneMask(0xc));
    const ControlState before = warp.state();
    const StepResult result = warp.step(sync_imm(0x80, 0xf));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kSyncDeadlock);
    EXPECT_EQ(result.fault->detail,
              "every thread of the warp waits for another: threads 0x00000003 at 0x0040 wait for 0x0000000c; threads "
              "0x0000000c at 0x0080 wait for 0x00000003");
    EXPECT_EQ(warp.state(), before);
}

TEST(SyncDeadlock, IsNoneIfAThreadIsAtABsync) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x80);
    warp.state().b[0] = LaneMask(0x1);
    EXPECT_EQ(warp.step(sync_imm(0x40, 0x3)).next_active, LaneMask(0x2));
    EXPECT_EQ(warp.step(on_breg(Op::kBsync, Form::kX, 0x80, 0)).event.release, ReleaseKind::kBlocked);
}

TEST(SyncDeadlock, IsNoneIfAThreadSleeps) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x60).stand(LaneMask(0x4), 0x80);
    warp.state().sleep = LaneMask(0x4);
    EXPECT_EQ(warp.step(sync_imm(0x40, 0x3)).next_active, LaneMask(0x2));
    const StepResult result = warp.step(sync_imm(0x60, 0x3));
    EXPECT_EQ(result.outcome, Outcome::kSleep);
    EXPECT_EQ(result.next_active, LaneMask(0x4));
}

} // namespace
} // namespace smsim::bru::test

// Jumps: which threads jump, where to, and what happens to the active threads (bru.md "Branches", LEPC).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bru/engines/common/targets.h"
#include "bru/engines/convergence_barrier/branches.h"
#include "tb/unit/bru/support.h"

namespace smsim::bru::test {
namespace {

using isa::BraCondition;
using ::testing::HasSubstr;

constexpr std::uint8_t kRel = 0;
constexpr std::uint8_t kAbs = 1;

Instruction bra(Pc pc, std::int64_t offset, BraCondition condition = BraCondition::kNone, Form form = Form::kX) {
    Instruction i = insn(Op::kBra, form, pc, offset);
    i.mod[0] = static_cast<std::uint8_t>(condition);
    return i;
}

// --- targets

TEST(Target, BraCountsFromTheNextInstructionInBothDirections) {
    EXPECT_EQ(target_of(bra(0x10, 0xf), 0), 0x110U);
    EXPECT_EQ(target_of(bra(0x10, -1), 0), 0x10U);
}

TEST(Target, BrxSignExtendsItsRegister) {
    EXPECT_EQ(target_of(insn(Op::kBrx, Form::kR, 0x100, 2), 0xfffffff0U), 0x120U);
    EXPECT_EQ(target_of(insn(Op::kBrx, Form::kU, 0x100, -1), 0x20U), 0x120U);
}

TEST(Target, BrxFromConstantMemoryHasNoOffset) {
    EXPECT_EQ(target_of(insn(Op::kBrx, Form::kC, 0x100, 7), 0x20U), 0x130U);
}

TEST(Target, CallAndRetAbsoluteAndRelative) {
    for (const Op op : {Op::kCall, Op::kRet}) {
        Instruction i = insn(op, Form::kR, 0x100, 2);
        i.mod[0] = kAbs;
        EXPECT_EQ(target_of(i, 0x40), 0x60U);
        i.mod[0] = kRel;
        EXPECT_EQ(target_of(i, ~std::uint64_t{0} - 0xf), 0x120U); // 64-bit -16
        i.form = Form::kU;
        EXPECT_EQ(target_of(i, 0x40), 0x170U);
        i.form = Form::kC;
        EXPECT_EQ(target_of(i, 0x40), 0x150U);
        i.mod[0] = kAbs;
        EXPECT_EQ(target_of(i, 0x40), 0x40U);
    }
}

// --- which threads jump

TEST(Jumping, BraUJumpsOnlyWhenAllActiveAgree) {
    ControlState state = started(0, LaneMask(0xff)).state;
    state.active = LaneMask(0x0f);
    EXPECT_EQ(jumping_threads(state, bra(0, 0, BraCondition::kUniform), LaneMask(0x0f), {}), LaneMask(0x0f));
    EXPECT_EQ(jumping_threads(state, bra(0, 0, BraCondition::kUniform), LaneMask(0x07), {}), LaneMask());
}

TEST(Jumping, DivAndConvWithoutUrCompareTheGuardWithTheValidThreads) {
    ControlState state = started(0, LaneMask(0xff)).state;
    EXPECT_EQ(jumping_threads(state, bra(0, 0, BraCondition::kDivergent), LaneMask(0xff), {}), LaneMask());
    EXPECT_EQ(jumping_threads(state, bra(0, 0, BraCondition::kConvergent), LaneMask(0xff), {}), LaneMask(0xff));
    EXPECT_EQ(jumping_threads(state, bra(0, 0, BraCondition::kDivergent), LaneMask(0x0f), {}), LaneMask(0x0f));
    EXPECT_EQ(jumping_threads(state, bra(0, 0, BraCondition::kConvergent), LaneMask(0x0f), {}), LaneMask());
}

struct UrCase {
    const char *what;
    std::uint32_t active, guard, members;
    bool diverged;
};

TEST(Jumping, DivAndConvWithUr) {
    const UrCase cases[] = {
        {"a member is valid and not active", 0x0f, 0x0f, 0x10, true},
        {"an inactive thread that is no member does not count", 0x0f, 0x0f, 0x0f, false},
        {"guards disagree and a member is guarded off", 0x0f, 0x03, 0x04, true},
        {"guards disagree, but not among members", 0x0f, 0x03, 0x03, false},
        {"members outside the valid threads do not count", 0xff, 0xff, 0xffffff00, false},
    };
    for (const UrCase &c : cases) {
        ControlState state = started(0, LaneMask(0xff)).state;
        state.active = LaneMask(c.active);
        const LaneMask members(c.members);
        EXPECT_EQ(jumping_threads(state, bra(0, 0, BraCondition::kDivergent, Form::kU), LaneMask(c.guard), members),
                  c.diverged ? LaneMask(c.active) : LaneMask())
            << c.what;
        EXPECT_EQ(jumping_threads(state, bra(0, 0, BraCondition::kConvergent, Form::kU), LaneMask(c.guard), members),
                  c.diverged ? LaneMask() : LaneMask(c.active))
            << c.what;
    }
}

TEST(Jumping, WithUrNoThreadJumpsWhenAllGuardsAreFalse) {
    ControlState state = started(0, LaneMask(0xff)).state;
    for (const auto condition : {BraCondition::kDivergent, BraCondition::kConvergent}) {
        EXPECT_EQ(jumping_threads(state, bra(0, 0, condition, Form::kU), LaneMask(), LaneMask(0xff)), LaneMask());
    }
}

TEST(Jumping, BraInvertsItsUniformRegister) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0).stand(LaneMask(0x2), 0x80);
    Instruction i = bra(0, 3, BraCondition::kDivergent, Form::kU);
    i.bitnot = true;
    Values values;
    values.scalar = 0xfffffffd; // inverted: thread 1, which is valid and not active
    EXPECT_EQ(warp.step(i, values).next_pc, 0x40U);
}

// --- effect

TEST(Jump, NoThreadJumps) {
    Warp warp(LaneMask(0xf));
    const StepResult result = warp.step(bra(0, 3), {.guard = LaneMask()});
    EXPECT_EQ(result.next_pc, 0x10U);
    EXPECT_EQ(result.next_active, LaneMask(0xf));
    EXPECT_FALSE(result.event.split);
}

TEST(Jump, AllJump) {
    Warp warp(LaneMask(0xf));
    const StepResult result = warp.step(bra(0, 3));
    EXPECT_EQ(result.next_pc, 0x40U);
    EXPECT_EQ(result.next_active, LaneMask(0xf));
    EXPECT_FALSE(result.event.split);
}

TEST(Jump, SomeJumpAndTheOthersGoFirst) {
    Warp warp(LaneMask(0xf));
    const StepResult result = warp.step(bra(0, 3), {.guard = LaneMask(0x3)});
    EXPECT_EQ(result.next_pc, 0x10U);
    EXPECT_EQ(result.next_active, LaneMask(0xc));
    EXPECT_EQ(standing_at(warp.state(), 0x40), LaneMask(0x3));
    EXPECT_TRUE(result.event.split);
}

TEST(Jump, BothGuardsCount) {
    Warp warp(LaneMask(0xf));
    EXPECT_EQ(warp.step(bra(0, 3), {.guard = LaneMask(0x7), .guard_pp = LaneMask(0xe)}).executed, LaneMask(0x6));
}

TEST(Jump, ThreadsWithOtherTargetsLeaveTheLowestThreads) {
    Warp warp(LaneMask(0xf));
    Values values;
    values.vectors[0] = {0x20, 0x40, 0x20, 0x60};
    const StepResult result = warp.step(insn(Op::kBrx, Form::kR, 0), values);
    EXPECT_EQ(result.next_pc, 0x30U);
    EXPECT_EQ(result.next_active, lanes({0, 2}));
    EXPECT_EQ(warp.state().rpc[1], 0x50U);
    EXPECT_EQ(warp.state().rpc[3], 0x70U);
    EXPECT_TRUE(result.event.split);
}

TEST(Jump, SomeJumpToTargetsOfTheirOwn) {
    Warp warp(LaneMask(0xf));
    Values values;
    values.guard = LaneMask(0x6);
    values.vectors[0] = {0, 0x40, 0x60, 0};
    Instruction call = insn(Op::kCall, Form::kR, 0);
    call.mod[0] = kAbs;
    EXPECT_EQ(warp.step(call, values).next_active, LaneMask(0x9));
    EXPECT_EQ(warp.state().rpc[1], 0x40U);
    EXPECT_EQ(warp.state().rpc[2], 0x60U);
}

// Written to all 32 lanes, a jump would overwrite the addresses of the waiting threads and activate them.
TEST(Jump, D5_OnlyActiveThreadsChange) {
    Warp warp(LaneMask(0xff));
    warp.active(LaneMask(0x0f), 0).stand(LaneMask(0xf0), 0x90);
    Values values;
    values.guard = LaneMask(0xf1); // true for waiting threads too
    values.vectors[0].fill(0x40);
    const StepResult result = warp.step(insn(Op::kBrx, Form::kR, 0), values);
    EXPECT_EQ(result.next_active, LaneMask(0x0e));
    EXPECT_EQ(standing_at(warp.state(), 0x90), LaneMask(0xf0));
}

// --- exceptions

TEST(IllegalTarget, OutsideTheProgramNamesThreadAndTarget) {
    Warp warp(LaneMask(0xc));
    Values values;
    values.vectors[0][2] = 0x40;
    values.vectors[0][3] = kProgramBytes;
    Instruction ret = insn(Op::kRet, Form::kR, 0);
    ret.mod[0] = kAbs;
    const ControlState before = warp.state();
    const StepResult result = warp.step(ret, values);
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kIllegalTarget);
    EXPECT_EQ(result.fault->detail, "thread 3 would go to 0x1000, outside the program of 0x1000 bytes");
    EXPECT_EQ(result.fault_lane, 3U);
    EXPECT_EQ(result.fault_value, 0x1000U);
    EXPECT_EQ(warp.state(), before);
}

TEST(IllegalTarget, Misaligned) {
    Warp warp(LaneMask(0x1));
    Values values;
    values.scalar = 0x48;
    Instruction call = insn(Op::kCall, Form::kU, 0);
    call.mod[0] = kAbs;
    const StepResult result = warp.step(call, values);
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->detail, "thread 0 would go to 0x48, which is not a multiple of 16");
}

TEST(IllegalTarget, BelowZeroIsOutside) {
    Warp warp(LaneMask(0x1));
    const StepResult result = warp.step(bra(0, -2));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kIllegalTarget);
}

TEST(IllegalTarget, NotRaisedByAThreadThatDoesNotJump) {
    Warp warp(LaneMask(0x3));
    Values values;
    values.guard = LaneMask(0x1);
    values.vectors[0] = {0x20, 0x1234567};
    EXPECT_FALSE(warp.step(insn(Op::kBrx, Form::kR, 0), values).fault);
}

TEST(IllegalInstruction, BraWithUrNeedsDivOrConv) {
    Warp warp(LaneMask(0x1));
    const StepResult result = warp.step(bra(0, 1, BraCondition::kNone, Form::kU));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kIllegalInstruction);
    EXPECT_THAT(result.fault->detail, HasSubstr(".DIV or .CONV"));
}

// --- LEPC

TEST(Lepc, D13_AddsItsOffsetToItsOwnAddress) {
    Warp warp(LaneMask(0xf), 0x50);
    const StepResult result = warp.step(insn(Op::kLepc, Form::kI, 0x50, 8), {.guard = LaneMask(0x5)});
    EXPECT_EQ(result.value, 0xd0U);
    EXPECT_EQ(result.write_lanes, LaneMask(0x5));
    EXPECT_EQ(result.next_pc, 0x60U);
    EXPECT_EQ(result.next_active, LaneMask(0xf));
}

} // namespace
} // namespace smsim::bru::test

// What holds a running warp in a cycle: one case per hold, in the order in which they are looked at.
#include <gtest/gtest.h>

#include "ibuffer/hold.h"
#include "tb/unit/ibuffer/instructions.h"

namespace smsim::ibuffer {
namespace {

constexpr Cycle kArrivalLatency = 4;
constexpr PlaceLead kLead{.arrival = kArrivalLatency, .fence = 6};

/// A warp whose next instruction is in the buffer, and which nothing holds.
class HoldTest : public ::testing::Test {
  protected:
    Hold hold(Cycle at) const { return hold_of(warp, &head, at, kLead); }
    Hold::Kind kind(Cycle at) const { return hold(at).kind; }

    isa::Instruction insn = test::mov();
    Warp warp;
    FetchBuffers::Entry head{.insn = &insn, .ready = 0};
};

TEST_F(HoldTest, AReadyWarpIsNotHeld) {
    EXPECT_EQ(kind(10), Hold::Kind::kNothing);
}

TEST_F(HoldTest, StallCountHoldsBeforeItsEnd) {
    warp.stall_until = 10;
    head.ready = 20; // not looked at before
    EXPECT_EQ(kind(9), Hold::Kind::kStall);
    EXPECT_EQ(hold(9).charge.reason, StallReason::kWait);
    EXPECT_EQ(kind(10), Hold::Kind::kInstruction);
}

TEST_F(HoldTest, MissingInstructionIsChargedToTheJumpForAWhile) {
    head.ready = 20;
    warp.redirected_until = 15;
    EXPECT_EQ(hold(14).charge.reason, StallReason::kBranchResolve);
    EXPECT_EQ(hold(15).charge.reason, StallReason::kNoInstruction);
    EXPECT_EQ(kind(20), Hold::Kind::kNothing);
    EXPECT_EQ(hold_of(warp, nullptr, 20, kLead).kind, Hold::Kind::kInstruction);
}

TEST_F(HoldTest, EndOfTheProgramIsSeenWhenItsFetchIsAnswered) {
    head = {.insn = nullptr, .ready = 5};
    EXPECT_EQ(kind(4), Hold::Kind::kInstruction);
    EXPECT_EQ(kind(5), Hold::Kind::kPastEnd);
}

TEST_F(HoldTest, RequiredScoreboardHoldsFromTheCycleInWhichItIsVisible) {
    insn.req = 0b110;
    warp.scoreboards.hold(0, true, 1); // not required
    warp.scoreboards.hold(1, false, 2);
    EXPECT_EQ(kind(3), Hold::Kind::kNothing);
    EXPECT_EQ(hold(4).scoreboard, 1U);
    EXPECT_EQ(hold(4).charge.reason, StallReason::kShortScoreboard);
    EXPECT_FALSE(hold(4).charge.is_long);
    warp.scoreboards.hold(2, true, 2);
    EXPECT_EQ(hold(4).scoreboard, 2U) << "a long wait goes before a short one";
    EXPECT_EQ(hold(4).charge.reason, StallReason::kLongScoreboard);
    EXPECT_TRUE(hold(4).charge.is_long);
}

TEST_F(HoldTest, FenceWaitsForAccessesThatAreNotPerformed) {
    insn = test::make(isa::Op::kMembar);
    insn.mod[0] = static_cast<std::uint8_t>(isa::Scope::kGpu);
    EXPECT_EQ(kind(5), Hold::Kind::kNothing);
    warp.scoreboards.hold_memory(false);
    EXPECT_EQ(kind(5), Hold::Kind::kFence);
    EXPECT_EQ(hold(5).charge.reason, StallReason::kMembar);
}

TEST_F(HoldTest, FenceOfTheCtaWaitsForPlacesThatCountAtItsEnd) {
    insn = test::make(isa::Op::kMembar);
    ASSERT_EQ(static_cast<isa::Scope>(insn.mod[0]), isa::Scope::kCta);
    warp.scoreboards.hold_memory(false);
    EXPECT_EQ(kind(5), Hold::Kind::kNothing) << "the access has its place, and need not be performed";
    warp.unplaced = 1;
    EXPECT_EQ(kind(5), Hold::Kind::kPlace);
    EXPECT_EQ(hold(5).charge.reason, StallReason::kMembar);
    warp.unplaced = 0;
    warp.placed_at = 20;
    EXPECT_EQ(kind(13), Hold::Kind::kPlace);
    EXPECT_EQ(kind(14), Hold::Kind::kNothing);
    EXPECT_EQ(kLead.of(insn), 6U);
}

TEST_F(HoldTest, ArrivalWaitsForPlacesThatCountWhenItReachesTheBarrier) {
    insn = test::make(isa::Op::kBar);
    ASSERT_TRUE(isa::waits_at_barrier(insn));
    warp.unplaced = 1;
    EXPECT_EQ(kind(5), Hold::Kind::kPlace);
    warp.unplaced = 0;
    warp.placed_at = 20;
    EXPECT_EQ(kind(15), Hold::Kind::kPlace);
    EXPECT_EQ(kind(16), Hold::Kind::kNothing);
    EXPECT_EQ(warp.arrival_from(5, kArrivalLatency), 16U);
    warp.place_told = 18;
    EXPECT_EQ(kind(17), Hold::Kind::kPlace) << "the place is not known before";
    EXPECT_EQ(warp.arrival_from(5, kArrivalLatency), 18U);
}

TEST_F(HoldTest, ConstantOperandHoldsLast) {
    warp.constant_at = 8;
    EXPECT_EQ(kind(7), Hold::Kind::kConstant);
    EXPECT_EQ(hold(7).charge.reason, StallReason::kImcMiss);
    EXPECT_EQ(kind(8), Hold::Kind::kNothing);
    insn.req = 1;
    warp.scoreboards.hold(0, false, 0);
    EXPECT_EQ(kind(7), Hold::Kind::kScoreboard);
}

} // namespace
} // namespace smsim::ibuffer

// Jumps under the token stack: targets, which threads jump, groups and their order.
#include <gtest/gtest.h>

#include "tb/unit/bru/token_stack_support.h"

namespace smsim::bru::token_stack::test {
namespace {

constexpr auto kDiv = TokenKind::kDiv;

const TokenStackConfig kFallThroughFirst{};
const TokenStackConfig kTakenFirst{.order = TokenStackOrder::kTakenFirst};

Effect branch_from(ControlState &state, std::uint32_t jumping, const Targets &to, const TokenStackConfig &config = {}) {
    return branch(state, mask(jumping), to, kProgramBytes, config);
}

TEST(TokenTarget, OfBraAndBrxCountsFromTheNextInstructionWithASignedValue) {
    EXPECT_EQ(relative_target(0x100, 0, 0x20), 0x130);
    EXPECT_EQ(relative_target(0x100, 0xfffffff0U, 0x20), 0x120);
    EXPECT_EQ(relative_target(0x100, 0x10, -0x20), 0x100);
}

TEST(TokenTarget, OfJmpAndJmxIsAnUnsignedValuePlusASignedImmediate) {
    EXPECT_EQ(absolute_target(0x40, 0x20), 0x60);
    EXPECT_EQ(absolute_target(0x40, -0x20), 0x20);
    EXPECT_EQ(absolute_target(0x80000000U, 0), 0x80000000);
}

TEST(TokenTarget, DoesNotWrapAround) {
    EXPECT_EQ(relative_target(0, 0x80000000U, 0), 0x10 - 0x80000000LL);
    EXPECT_EQ(absolute_target(0xfffffff0U, 0x20), 0x100000010);
    EXPECT_EQ(absolute_target(0x10, -0x20), -0x10);
}

TEST(TokenTarget, OutsideTheProgramOrMisalignedIsIllegalTargetOfTheLowestThread) {
    const ControlState before = warp(0xff, 0x0f);
    const auto jumps_to = [](std::int64_t bad) {
        return [bad](ControlState &state) { return branch_from(state, 0x6, targets({bad, 0x20, bad, bad})); };
    };
    for (const std::int64_t bad : {std::int64_t{-0x10}, std::int64_t{kProgramBytes}, std::int64_t{0x100000010},
                                   std::int64_t{0x44}, std::int64_t{0x48}}) {
        expect_violation(before, Fault::kIllegalTarget, 2, jumps_to(bad));
        ControlState state = before;
        EXPECT_EQ(jumps_to(bad)(state).violation->value, static_cast<std::uint64_t>(bad));
    }
    ControlState last = before;
    EXPECT_FALSE(branch_from(last, 0x6, all_to(kProgramBytes - 0x10)).violation);
}

TEST(TokenJumping, UnanimousIsAllActiveThreadsOrNone) {
    const ControlState state = warp(0xff, 0x0f);
    EXPECT_EQ(jumping_threads(state, mask(0x0f), true, false), mask(0x0f));
    EXPECT_EQ(jumping_threads(state, mask(0x07), true, false), mask(0));
    EXPECT_EQ(jumping_threads(state, mask(0x07), false, false), mask(0x07));
}

TEST(TokenJumping, LmtMakesABranchANopAndStays) {
    ControlState state = warp(0xff, 0x0f);
    EXPECT_EQ(jumping_threads(state, mask(0x0f), false, true), mask(0x0f));
    state.lmt = true;
    EXPECT_EQ(jumping_threads(state, mask(0x0f), false, true), mask(0));
    EXPECT_EQ(jumping_threads(state, mask(0x0f), false, false), mask(0x0f));
    EXPECT_TRUE(state.lmt);
}

TEST(TokenBranch, OfNoThreadsContinuesWithTheNextInstruction) {
    ControlState state = warp(0xff, 0x0f);
    const Effect effect = branch_from(state, 0, all_to(-1)); // a target that no thread jumps to is not checked
    EXPECT_FALSE(effect.violation);
    EXPECT_FALSE(effect.split);
    ControlState expected = warp(0xff, 0x0f);
    expected.pc = 0x110;
    EXPECT_EQ(state, expected);
}

TEST(TokenBranch, OfOneGroupPushesNothing) {
    for (const TokenStackConfig &config : {kFallThroughFirst, kTakenFirst}) {
        ControlState state = warp(0xff, 0x0f);
        const Effect effect = branch_from(state, 0x0f, all_to(0x400), config);
        EXPECT_FALSE(effect.split);
        EXPECT_EQ(effect.jumped, mask(0x0f));
        EXPECT_EQ(state.pc, 0x400U);
        EXPECT_EQ(state.active, mask(0x0f));
        EXPECT_TRUE(state.stack.empty());
    }
}

TEST(TokenBranch, TheGroupThatFallsThroughGoesOnFirst) {
    ControlState state = warp(0xff, 0x0f);
    const Effect effect = branch_from(state, 0x05, all_to(0x400), kFallThroughFirst);
    EXPECT_TRUE(effect.split);
    EXPECT_EQ(effect.jumped, mask(0x05));
    EXPECT_EQ(state.pc, 0x110U);
    EXPECT_EQ(state.active, mask(0x0a));
    EXPECT_EQ(state.stack, (std::vector{token(kDiv, 0x05, 0x400)}));
}

TEST(TokenBranch, TakenFirstLetsItGoOnLast) {
    ControlState state = warp(0xff, 0x0f);
    branch_from(state, 0x05, all_to(0x400), kTakenFirst);
    EXPECT_EQ(state.pc, 0x400U);
    EXPECT_EQ(state.active, mask(0x05));
    EXPECT_EQ(state.stack, (std::vector{token(kDiv, 0x0a, 0x110)}));
}

TEST(TokenBranch, GroupsGoInTheOrderOfTheirLowestThreads) {
    const Targets to = targets({0, 0x600, 0x200, 0x600, 0x200, 0x300, 0});
    ControlState state = warp(0x7f, 0x7f);
    branch_from(state, 0x3e, to, kFallThroughFirst); // threads 0 and 6 do not jump
    EXPECT_EQ(state.pc, 0x110U);
    EXPECT_EQ(state.active, mask(0x41));
    EXPECT_EQ(state.stack, (std::vector{token(kDiv, 0x20, 0x300), token(kDiv, 0x14, 0x200), token(kDiv, 0x0a, 0x600)}));

    state = warp(0x7f, 0x7f);
    branch_from(state, 0x3e, to, kTakenFirst);
    EXPECT_EQ(state.pc, 0x600U);
    EXPECT_EQ(state.active, mask(0x0a));
    EXPECT_EQ(state.stack, (std::vector{token(kDiv, 0x41, 0x110), token(kDiv, 0x20, 0x300), token(kDiv, 0x14, 0x200)}));
}

TEST(TokenBranch, ATargetThatIsTheNextInstructionIsFallThrough) {
    ControlState state = warp(0x0f, 0x0f);
    const Effect effect = branch_from(state, 0x07, targets({0x400, 0x110, 0x110}), kFallThroughFirst);
    EXPECT_EQ(effect.jumped, mask(0x07));
    EXPECT_EQ(state.active, mask(0x0e));
    EXPECT_EQ(state.stack, (std::vector{token(kDiv, 0x01, 0x400)}));

    state = warp(0x0f, 0x0f);
    EXPECT_FALSE(branch_from(state, 0x03, all_to(0x110), kTakenFirst).split);
    EXPECT_EQ(state, (ControlState{0x110, mask(0x0f), mask(0x0f), false, {}}));
}

TEST(TokenBranch, DoesNotPushASyncTokenOrTouchThoseBelow) {
    const Token below = token(TokenKind::kSync, 0x0f, 0x800);
    ControlState state = warp(0xff, 0x0f, {below});
    branch_from(state, 0x05, all_to(0x400));
    EXPECT_EQ(state.stack, (std::vector{below, token(kDiv, 0x05, 0x400)}));
}

TEST(TokenBranch, WithMoreGroupsThanThereIsRoomIsStackOverflow) {
    const TokenStackConfig two{.depth = 2, .spill = false};
    const ControlState before = warp(0xf, 0xf);
    ControlState state = before;
    EXPECT_FALSE(branch_from(state, 0x7, targets({0x200, 0x300, 0x300}), two).violation);
    EXPECT_EQ(state.stack.size(), 2U);
    expect_violation(before, Fault::kStackOverflow, 0, [&](ControlState &changed) {
        return branch_from(changed, 0x7, targets({0x200, 0x300, 0x400}), two);
    });
}

} // namespace
} // namespace smsim::bru::token_stack::test

// Calls, their limit, spilling and WARPSYNC under the token stack.
#include <gtest/gtest.h>

#include "tb/unit/bru/token_stack_support.h"

namespace smsim::bru::token_stack::test {
namespace {

constexpr auto kRet = TokenKind::kRet;
constexpr auto kDiv = TokenKind::kDiv;

// --- CAL

TEST(TokenCal, PushesTheReturnAddressForAllActiveThreads) { // [E-7]
    ControlState state = warp(0xff, 0x0f);
    const Effect effect = call(state, mask(0x03), all_to(0x400), kProgramBytes, {});
    EXPECT_EQ(effect.jumped, mask(0x03));
    EXPECT_TRUE(effect.split); // threads that do not call wait for those that do
    EXPECT_EQ(state, (ControlState{0x400, mask(0x03), mask(0xff), false, {token(kRet, 0x0f, 0x110)}}));
}

TEST(TokenCal, OfNoThreadsContinuesWithTheNextInstruction) {
    ControlState state = warp(0xff, 0x0f);
    EXPECT_FALSE(call(state, mask(0), all_to(-1), kProgramBytes, {}).violation);
    EXPECT_EQ(state, (ControlState{0x110, mask(0x0f), mask(0xff), false, {}}));
}

TEST(TokenCal, WithSeveralTargetsHasOneGroupForEachAndNoneThatFallsThrough) {
    for (const TokenStackOrder order : {TokenStackOrder::kFallthroughFirst, TokenStackOrder::kTakenFirst}) {
        ControlState state = warp(0xff, 0x0f);
        const Effect effect =
            call(state, mask(0x0e), targets({0, 0x400, 0x110, 0x400}), kProgramBytes, {.order = order});
        EXPECT_TRUE(effect.split);
        EXPECT_EQ(state.pc, 0x400U);
        EXPECT_EQ(state.active, mask(0x0a));
        EXPECT_EQ(state.stack, (std::vector{token(kRet, 0x0f, 0x110), token(kDiv, 0x04, 0x110)}));
    }
}

TEST(TokenCal, ToNoInstructionIsIllegalTarget) {
    expect_violation(warp(0xff, 0x0f), Fault::kIllegalTarget, 1, [](ControlState &state) {
        return call(state, mask(0x06), targets({0, 0x404, 0x400}), kProgramBytes, {});
    });
}

TEST(TokenCal, WithoutRoomForAllItsTokensIsStackOverflow) {
    expect_violation(warp(0xff, 0x0f), Fault::kStackOverflow, 0, [](ControlState &state) {
        return call(state, mask(0x06), targets({0, 0x300, 0x400}), kProgramBytes, {.depth = 1, .spill = false});
    });
}

TEST(TokenCal, AtTheCallLimitIsNotExecutedAndLeavesLmt) { // [E-9]
    const TokenStackConfig two{.call_limit = 2};
    for (const bool lmt : {false, true}) {
        ControlState state = warp(0xff, 0x0f);
        state.lmt = lmt;
        EXPECT_FALSE(call(state, mask(0x0f), all_to(0x400), kProgramBytes, two).limited);
        EXPECT_FALSE(call(state, mask(0x0f), all_to(0x500), kProgramBytes, two).limited);
        const ControlState before = state;
        EXPECT_TRUE(call(state, mask(0x0f), all_to(-1), kProgramBytes, two).limited);
        EXPECT_EQ(state.pc, before.pc + kInstructionBytes);
        EXPECT_EQ(state.stack, before.stack);
        EXPECT_EQ(state.lmt, lmt);
    }
}

TEST(TokenCal, LimitCountsRetTokensOnly) {
    ControlState state = warp(0xff, 0x0f, {token(TokenKind::kSync, 0xff, 0x200), token(kRet, 0x0f, 0x300)});
    EXPECT_TRUE(at_call_limit(state, 1));
    EXPECT_FALSE(at_call_limit(state, 2));
    EXPECT_FALSE(at_call_limit(state, 0));
}

// --- PRET

TEST(TokenPret, PushesItsReturnAddressAndClearsLmt) {
    ControlState state = warp(0xff, 0x0f);
    state.lmt = true;
    EXPECT_FALSE(prepare_return(state, 0x300, kProgramBytes, {.call_limit = 1}).limited);
    EXPECT_EQ(state, (ControlState{0x110, mask(0x0f), mask(0xff), false, {token(kRet, 0x0f, 0x300)}}));
}

TEST(TokenPret, AtTheCallLimitSetsLmtAndPushesNothing) {
    const std::vector stack{token(kRet, 0xff, 0x200)};
    ControlState state = warp(0xff, 0x0f, stack);
    EXPECT_TRUE(prepare_return(state, 0x300, kProgramBytes, {.call_limit = 1}).limited);
    EXPECT_EQ(state, (ControlState{0x110, mask(0x0f), mask(0xff), true, stack}));
}

TEST(TokenPret, ThatCannotPushLeavesLmt) {
    ControlState before = warp(0xff, 0x0f);
    before.lmt = true;
    expect_violation(before, Fault::kIllegalTarget, 0,
                     [](ControlState &state) { return prepare_return(state, -0x10, kProgramBytes, {}); });
}

// --- spilling

TEST(TokenSpilling, MovesTokensBeyondTheDepthInBothDirections) {
    const auto moved = [](std::size_t before, std::size_t after) {
        const Transfers transfers = transfers_between(before, after, 4);
        return std::pair(transfers.spilled, transfers.filled);
    };
    using Both = std::pair<std::size_t, std::size_t>;
    EXPECT_EQ(moved(3, 4), (Both{0, 0}));
    EXPECT_EQ(moved(4, 5), (Both{1, 0}));
    EXPECT_EQ(moved(2, 9), (Both{5, 0}));
    EXPECT_EQ(moved(6, 8), (Both{2, 0}));
    EXPECT_EQ(moved(9, 8), (Both{0, 1}));
    EXPECT_EQ(moved(9, 2), (Both{0, 5}));
    EXPECT_EQ(moved(4, 0), (Both{0, 0}));
}

TEST(TokenSpilling, EndsWhereItsMemoryEnds) {
    ControlState state = warp(0xff, 0x0f);
    state.stack.resize(kMostTokens - 1);
    EXPECT_FALSE(lacks_room(state, 1, {}));
    EXPECT_EQ(lacks_room(state, 2, {})->fault, Fault::kStackOverflow);
}

// --- WARPSYNC

std::array<LaneMask, kLanes> all_name(std::uint32_t members) {
    std::array<LaneMask, kLanes> masks;
    masks.fill(mask(members));
    return masks;
}

TEST(TokenWarpsync, OfThreadsThatAreTogetherIsANop) {
    ControlState state = warp(0x3f, 0x0f);
    EXPECT_FALSE(warpsync(state, mask(0x0f), all_name(0xffffff0f)).violation); // threads 8 and above have ended
    EXPECT_EQ(state, (ControlState{0x110, mask(0x0f), mask(0x3f), false, {}}));
}

TEST(TokenWarpsync, AsksOnlyThreadsThatExecuteIt) {
    ControlState state = warp(0x3f, 0x0f);
    std::array<LaneMask, kLanes> members = all_name(0);
    members[0] = members[1] = mask(0x03);
    EXPECT_FALSE(warpsync(state, mask(0x03), members).violation);
    EXPECT_FALSE(warpsync(state, mask(0), all_name(0)).violation);
    EXPECT_EQ(state.pc, 0x120U);
}

TEST(TokenWarpsync, ThatNamesThreadsOnAnotherPathIsWarpSyncDiverged) {
    expect_violation(warp(0x3f, 0x0f), Fault::kWarpSyncDiverged, 0,
                     [](ControlState &state) { return warpsync(state, mask(0x0f), all_name(0x1f)); });
    std::array<LaneMask, kLanes> members = all_name(0x0f);
    members[1] = mask(0x02);
    expect_violation(warp(0x0f, 0x0f), Fault::kWarpSyncDiverged, 2, // thread 0 is active, but does not execute it
                     [&](ControlState &state) { return warpsync(state, mask(0x06), members); });
}

TEST(TokenWarpsync, OfAThreadThatItsMaskDoesNotNameIsWarpSyncMembership) {
    std::array<LaneMask, kLanes> members = all_name(0x1f);
    members[2] = mask(0x0b);
    expect_violation(warp(0x3f, 0x0f), Fault::kWarpSyncMembership, 2,
                     [&](ControlState &state) { return warpsync(state, mask(0x0f), members); });
}

} // namespace
} // namespace smsim::bru::token_stack::test

// What constructs need of the token stack (docs/reconvergence.md), with the threads that need most. Random programs and
// the families of tb/state_space show that legal programs need no more.
#include <algorithm>
#include <array>

#include "tb/unit/bru/token_stack_support.h"

namespace smsim::bru::token_stack::test {
namespace {

constexpr Pc kBehind = 0x800;

/// A loop in one SSY region, closed by the branch at 0x110, that thread t leaves after t rounds: returns the most
/// tokens.
std::size_t depth_of_loop(unsigned threads, TokenStackOrder order) {
    const TokenStackConfig config{.order = order};
    ControlState state = started(0x100, LaneMask::first(threads));
    EXPECT_FALSE(open_region(state, TokenKind::kSync, kBehind, kProgramBytes, config).violation);
    std::array<unsigned, kLanes> rounds{};
    std::size_t most = 1;
    while (state.pc != kBehind && most <= kLanes) {
        if (state.pc == 0x110) {
            LaneMask again;
            for_each_lane(state.active,
                          [&](unsigned lane) { again |= rounds[lane]++ < lane ? LaneMask::lane(lane) : LaneMask(); });
            EXPECT_FALSE(branch(state, again, all_to(0x110), kProgramBytes, config).violation);
        } else {
            EXPECT_FALSE(sync(state, state.active).violation);
        }
        most = std::max(most, state.stack.size());
    }
    EXPECT_EQ(state.active, LaneMask::first(threads));
    EXPECT_TRUE(state.stack.empty());
    return most;
}

TEST(TokenDepth, ALoopClosedByBranchesNeedsTwoTokensWithTheFallThroughFirst) {
    for (unsigned threads = 2; threads <= kLanes; ++threads) {
        EXPECT_EQ(depth_of_loop(threads, TokenStackOrder::kFallthroughFirst), 2U);
    }
}

TEST(TokenDepth, ALoopClosedByBranchesNeedsATokenPerThreadWithTheTakenFirst) {
    for (unsigned threads = 2; threads <= kLanes; ++threads) {
        EXPECT_EQ(depth_of_loop(threads, TokenStackOrder::kTakenFirst), threads);
    }
}

TEST(TokenDepth, ASwitchNeedsATokenPerGroup) {
    for (unsigned groups = 2; groups <= kLanes; ++groups) {
        ControlState state = started(0x100, LaneMask::all());
        open_region(state, TokenKind::kSync, kBehind, kProgramBytes, {});
        Targets targets;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            targets[lane] = 0x200 + std::int64_t{0x10} * (lane % groups);
        }
        EXPECT_FALSE(branch(state, LaneMask::all(), targets, kProgramBytes, {}).violation);
        EXPECT_EQ(state.stack.size(), groups) << "SSY and one DIV less than groups";
    }
}

TEST(TokenDepth, ALoopLeftByBrkNeedsNoMoreHoweverThreadsLeaveIt) {
    ControlState state = started(0x100, LaneMask::all());
    open_region(state, TokenKind::kBrk, kBehind, kProgramBytes, {});
    for (unsigned round = 0; round < kLanes; ++round) {
        open_region(state, TokenKind::kCont, 0x100, kProgramBytes, {});
        EXPECT_EQ(state.stack.size(), 2U);
        EXPECT_FALSE(leave_region(state, TokenKind::kBrk, LaneMask::lane(round)).violation);
        if (state.active.any() && round + 1 < kLanes) {
            EXPECT_FALSE(leave_region(state, TokenKind::kCont, state.active).violation);
            EXPECT_EQ(state.stack.size(), 1U);
        }
    }
    EXPECT_EQ(state.pc, kBehind);
    EXPECT_EQ(state.active, LaneMask::all());
}

} // namespace
} // namespace smsim::bru::token_stack::test

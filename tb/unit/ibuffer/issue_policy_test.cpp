// Issue policies as plain objects.
#include <gtest/gtest.h>

#include <vector>

#include "ibuffer/issue_policy.h"

namespace smsim::ibuffer {
namespace {

const std::vector<std::uint64_t> kAges = {7, 3, 9, 1, 5, 6, 8, 2};

unsigned select(IssuePolicy &policy, WarpSet ready, unsigned last, bool yields = false, WarpSet long_stalled = 0) {
    return policy.select({ready, long_stalled, last, yields, kAges});
}

std::unique_ptr<IssuePolicy> policy(IssuePolicyKind kind) {
    IBufferConfig config;
    config.policy = kind;
    config.two_level_active = 2;
    return make_issue_policy(config, 8);
}

TEST(IssuePolicy, GreedyThenYoungestStaysThenTakesTheYoungest) {
    const auto gty = policy(IssuePolicyKind::kGreedyThenYoungest);
    EXPECT_EQ(select(*gty, 0b1111, 1), 1U);
    EXPECT_EQ(select(*gty, 0b1101, 1), 2U);
    EXPECT_EQ(select(*gty, 0b1111, kNoWarp), 2U);
}

TEST(IssuePolicy, GreedyThenOldestStaysThenTakesTheOldest) {
    const auto gto = policy(IssuePolicyKind::kGreedyThenOldest);
    EXPECT_EQ(select(*gto, 0b1111, 0), 0U);
    EXPECT_EQ(select(*gto, 0b0110, 0), 1U);
    EXPECT_EQ(select(*gto, 0b1111, kNoWarp), 3U);
}

TEST(IssuePolicy, GreedyThenLeastRecentTakesTheOneWhoseLastIssueIsLongestAgo) {
    const auto glr = policy(IssuePolicyKind::kGreedyThenLeastRecent);
    EXPECT_EQ(select(*glr, 0b1110, kNoWarp), 1U) << "of those that have never issued the lowest";
    EXPECT_EQ(select(*glr, 0b1110, 1), 1U);
    EXPECT_EQ(select(*glr, 0b1100, 1), 2U);
    EXPECT_EQ(select(*glr, 0b1010, 2), 3U);
    EXPECT_EQ(select(*glr, 0b0110, 3), 1U) << "warp 1 issued before warp 2";
    // Another warp begins in slot 2: it has not issued.
    std::vector<std::uint64_t> ages = kAges;
    ages[2] = 99;
    EXPECT_EQ(glr->select({0b0110, 0, 3, false, ages}), 2U);
}

TEST(IssuePolicy, LooseRoundRobinGoesAroundAndSkips) {
    const auto lrr = policy(IssuePolicyKind::kLooseRoundRobin);
    EXPECT_EQ(select(*lrr, 0b1011, 0), 1U);
    EXPECT_EQ(select(*lrr, 0b1011, 1), 3U);
    EXPECT_EQ(select(*lrr, 0b1011, 3), 0U);
}

TEST(IssuePolicy, YieldHintMakesTheLastWarpTheLastChoice) {
    for (const IssuePolicyKind kind :
         {IssuePolicyKind::kGreedyThenYoungest, IssuePolicyKind::kGreedyThenOldest,
          IssuePolicyKind::kGreedyThenLeastRecent, IssuePolicyKind::kLooseRoundRobin, IssuePolicyKind::kTwoLevel}) {
        const auto any = policy(kind);
        EXPECT_NE(select(*any, 0b1111, 2, true), 2U);
        EXPECT_EQ(select(*any, 0b0100, 2, true), 2U);
    }
}

TEST(IssuePolicy, TwoLevelServesItsActiveSetAndRefillsItFromTheOldest) {
    const auto two = policy(IssuePolicyKind::kTwoLevel);
    // The two oldest ready warps (3 and 7) become active.
    const unsigned first = select(*two, 0xff, kNoWarp);
    const unsigned second = select(*two, 0xff, first);
    EXPECT_EQ((WarpSet{1} << first) | (WarpSet{1} << second), 0b10001000U);
    // Warp 3 begins a long wait: the next oldest (1) takes its place.
    const unsigned third = select(*two, 0xff & ~0b1000U, 7, false, 0b1000);
    EXPECT_EQ(third, 1U);
}

TEST(IssuePolicy, TwoLevelExchangesWhenItsActiveSetIsNotReady) {
    const auto two = policy(IssuePolicyKind::kTwoLevel);
    select(*two, 0b10001000, kNoWarp);
    EXPECT_EQ(select(*two, 0b00010000, 3), 4U);
}

} // namespace
} // namespace smsim::ibuffer

// Stack sizes weighted by time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bru/level_account.h"

namespace smsim::bru {
namespace {

WarpStart start_of(std::uint32_t slot, std::uint64_t cta, std::uint32_t warp) {
    WarpStart start;
    start.warp = WarpSlot(slot);
    start.cta_number = cta;
    start.warp_in_cta = warp;
    return start;
}

TEST(LevelAccount, ChargesEachSizeWithTheTimeUntilTheNextOne) {
    LevelAccount account(LevelName{"stack_depth", "entries"}, 4);
    account.start(start_of(2, 7, 1), 10);
    account.changed(WarpSlot(2), 3, 15);
    account.changed(WarpSlot(2), 100, 18);
    account.changed(WarpSlot(2), 0, 20);
    account.end(WarpSlot(2), 30);
    const LevelStats stats = account.stats(50);
    EXPECT_EQ(stats.what.name, "stack_depth");
    EXPECT_EQ(stats.warp_cycles[0], 15U);
    EXPECT_EQ(stats.warp_cycles[3], 3U);
    EXPECT_EQ(stats.warp_cycles[64], 2U) << "the last one represents all above";
    ASSERT_EQ(stats.warps.size(), 1U);
    EXPECT_EQ(stats.warps[0].cta_number, 7U);
    EXPECT_EQ(stats.warps[0].warp_in_cta, 1U);
    EXPECT_EQ(stats.warps[0].most, 100U);
    EXPECT_EQ(stats.warps[0].cycles, 20U);
    EXPECT_EQ(stats.warps[0].level_cycles, 209U);
}

TEST(LevelAccount, CountsWarpsThatHaveNotEndedUpToThePresent) {
    LevelAccount account(LevelName{"stack_depth", "entries"}, 4);
    account.start(start_of(1, 2, 0), 0);
    account.start(start_of(3, 1, 5), 0);
    account.changed(WarpSlot(1), 2, 4);
    const LevelStats early = account.stats(6);
    ASSERT_EQ(early.warps.size(), 2U);
    EXPECT_EQ(early.warps[0].cta_number, 1U) << "in order of CTA";
    EXPECT_EQ(early.warps[1].level_cycles, 4U);
    EXPECT_EQ(account.stats(8).warps[1].level_cycles, 8U) << "looking changes nothing";
    account.end(WarpSlot(1), 8);
    account.end(WarpSlot(3), 8);
    account.clear();
    EXPECT_TRUE(account.stats(9).warps.empty());
    EXPECT_EQ(account.stats(9).warp_cycles, LevelStats{}.warp_cycles);
}

TEST(LevelAccount, MeasuresNothingWhereTheEngineHasNothing) {
    LevelAccount account(std::nullopt, 4);
    account.start(start_of(1, 2, 0), 0);
    account.changed(WarpSlot(1), 2, 4);
    account.end(WarpSlot(1), 8);
    EXPECT_EQ(account.stats(9).what.name, "");
    EXPECT_TRUE(account.stats(9).warps.empty());
}

} // namespace
} // namespace smsim::bru

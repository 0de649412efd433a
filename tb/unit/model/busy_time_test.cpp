// Time that units are busy: which interval a stretch belongs to, that nothing is lost when intervals widen, and that
// only the part before the end of a launch counts.
#include <gtest/gtest.h>

#include "model/stats/busy_time.h"
#include "model/stats/utilisation.h"

namespace smsim {
namespace {

TEST(UseSeries, AStretchIsDividedBetweenItsIntervals) {
    UseSeries series;
    series.widen_to(4);
    series.put(3, 9, 2);
    EXPECT_EQ(series.intervals()[0], 2U);
    EXPECT_EQ(series.intervals()[1], 8U);
    EXPECT_EQ(series.intervals()[2], 2U);
    EXPECT_EQ(series.total(), 12U);
}

TEST(UseSeries, TimePastTheLastIntervalDoublesTheWidth) {
    UseSeries series;
    series.put(7, 8, 1);
    series.put(250, 1030, 1);
    EXPECT_EQ(series.width(), 8U);
    EXPECT_EQ(series.intervals()[0], 1U);
    EXPECT_EQ(series.intervals()[31], 6U);
    EXPECT_EQ(series.intervals()[128], 6U);
    EXPECT_EQ(series.total(), 781U);
}

TEST(UseSeries, NoTimeIsNoUse) {
    UseSeries series;
    series.put(9, 9);
    series.put(1000, 1000);
    EXPECT_EQ(series.total(), 0U);
    EXPECT_EQ(series.width(), 1U);
}

TEST(BusyTime, CountsFromTheFirstCycleOfTheLaunchToItsEnd) {
    BusyTime time(100);
    time.add(100, 90, 103);
    time.add(101, 150, 160);
    EXPECT_EQ(time.until(155).total(), 3U + 5);
    EXPECT_EQ(time.until(155).intervals()[50], 1U);
    EXPECT_EQ(time.until(150).total(), 3U);
    time.clear(200);
    EXPECT_EQ(time.until(300).total(), 0U);
}

TEST(BusyTime, UseReportedAheadOrOutOfOrderCountsAtItsTime) {
    BusyTime time;
    for (Cycle now = 0; now < 1000; ++now) { // many are open at a time
        time.add(now, now + 300, now + 301, 2);
        time.add(now, now + 10, now + 11);
    }
    EXPECT_EQ(time.until(1100).total(), 2U * 800 + 1000);
    EXPECT_EQ(time.until(5000).total(), 3000U);
}

TEST(TakenTime, OnlyTheLastStretchCanReachBeyondTheEnd) {
    TakenTime time(10);
    time.take(12, 16);
    time.take(16, 20);
    EXPECT_EQ(time.until(30).total(), 4U + 4);
    EXPECT_EQ(time.until(17).total(), 4U + 1);
    EXPECT_EQ(time.until(17).intervals()[7], 0U);
}

TEST(LevelTime, CountsWhatIsInUseInEachCycle) {
    LevelTime level(100);
    level.set(105, 3);
    level.set(105, 4);
    level.set(110, 1);
    EXPECT_EQ(level.until(120).total(), 4U * 5 + 10);
    EXPECT_EQ(level.until(120).intervals()[9], 4U);
    EXPECT_EQ(level.until(120).intervals()[19], 1U);
    level.clear(200);
    EXPECT_EQ(level.until(210).total(), 10U) << "what is in use stays";
}

TEST(UnitUses, InstancesAreGroupedInUnitOrderWithOneIntervalWidth) {
    UseSeries first;
    first.put(0, 3, 1);
    UseSeries second;
    second.put(300, 301, 1);
    UnitUses uses;
    add_use(uses, UsedUnit::kMshrs, 8, first);
    add_use(uses, UsedUnit::kIssue, 1, first);
    add_use(uses, UsedUnit::kIssue, 1, second);
    settle_uses(uses, 1);
    ASSERT_EQ(uses.size(), 2U);
    EXPECT_EQ(uses[0].unit, UsedUnit::kIssue);
    EXPECT_EQ(uses[0].busy(), 4U);
    EXPECT_EQ(uses[0].possible(400), 800U);
    EXPECT_EQ(uses[0].over_time()[150], 1U);
    EXPECT_EQ(uses[1].instances.front().width(), 2U);
    EXPECT_EQ(uses[1].possible(400), 3200U);
}

TEST(UnitUses, ThePeakIsThatOfTheBusiestInterval) {
    UseSeries series;
    series.widen_to(4);
    series.put(4, 7, 1);
    series.put(8, 9, 1);
    const UnitUse use{UsedUnit::kLoadStore, 1, {series}};
    EXPECT_DOUBLE_EQ(use.peak(100), 0.75);
    EXPECT_DOUBLE_EQ(use.peak(9), 1.0) << "of an interval counts what the launch has of it";
}

TEST(UsedUnits, EachHasItsRow) {
    for (unsigned i = 0; i < kUsedUnits; ++i) {
        const UsedUnitSpec &row = used_unit_spec(static_cast<UsedUnit>(i));
        EXPECT_EQ(static_cast<unsigned>(row.unit), i);
        EXPECT_FALSE(row.name.empty() || row.meaning.empty() || row.keys.empty()) << i;
    }
}

} // namespace
} // namespace smsim

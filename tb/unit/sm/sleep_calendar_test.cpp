// The calendar of the sleep timers: which expiry holds (bru.md NANOSLEEP).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/timer/sleep_calendar.h"

namespace smsim::sm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WarpSlot kA{2};
constexpr WarpSlot kB{5};

TEST(SleepCalendar, TheEarlierExpiryHolds) {
    SleepCalendar calendar(8, 1);
    EXPECT_EQ(calendar.request(kA, 10, 100), 110U);
    EXPECT_EQ(calendar.request(kA, 20, 200), 110U); // later: the current one stays
    EXPECT_EQ(calendar.next(), 110U);
    EXPECT_EQ(calendar.request(kA, 30, 5), 35U); // earlier: replaces it
    EXPECT_EQ(calendar.next(), 35U);
    EXPECT_THAT(calendar.take(1000), ElementsAre(kA));
    EXPECT_EQ(calendar.next(), kNever);
}

TEST(SleepCalendar, WarpsHaveTimersOfTheirOwn) {
    SleepCalendar calendar(8, 1);
    calendar.request(kB, 0, 10);
    calendar.request(kA, 0, 20);
    EXPECT_THAT(calendar.take(9), IsEmpty());
    EXPECT_THAT(calendar.take(10), ElementsAre(kB));
    EXPECT_EQ(calendar.next(), 20U);
}

TEST(SleepCalendar, ExpiriesOfOneCycleComeInWarpOrder) {
    SleepCalendar calendar(8, 1);
    calendar.request(WarpSlot(7), 0, 10);
    calendar.request(WarpSlot(0), 4, 6);
    calendar.request(WarpSlot(3), 5, 5);
    EXPECT_THAT(calendar.take(10), ElementsAre(WarpSlot(0), WarpSlot(3), WarpSlot(7)));
}

TEST(SleepCalendar, ExpiriesAreRoundedUpToTheGranularity) {
    SleepCalendar calendar(8, 16);
    EXPECT_EQ(calendar.request(kA, 10, 7), 32U);
    EXPECT_EQ(calendar.request(kB, 10, 6), 16U);
}

TEST(SleepCalendar, RoundingComesBeforeTheComparison) {
    SleepCalendar calendar(8, 16);
    calendar.request(kA, 0, 20);
    EXPECT_EQ(calendar.request(kA, 1, 30), 32U);
    EXPECT_THAT(calendar.take(32), ElementsAre(kA)); // one expiry, not two
    EXPECT_EQ(calendar.next(), kNever);
}

TEST(SleepCalendar, GranularityZeroAndZeroCyclesCountAsOne) {
    SleepCalendar calendar(8, 0);
    EXPECT_EQ(calendar.request(kA, 10, 0), 11U);
}

TEST(SleepCalendar, ATakenTimerRunsUntilItsExpiry) {
    SleepCalendar calendar(8, 1);
    calendar.request(kA, 0, 10);
    calendar.take(10); // announced at 9
    EXPECT_EQ(calendar.request(kA, 9, 50), 10U);
    EXPECT_EQ(calendar.next(), kNever);
    EXPECT_EQ(calendar.request(kA, 10, 50), 60U); // the expiry comes first
    EXPECT_EQ(calendar.next(), 60U);
}

TEST(SleepCalendar, ARequestKnownAheadLeavesTheExpiryBeforeIt) {
    SleepCalendar calendar(8, 1);
    calendar.request(kA, 0, 10);
    EXPECT_EQ(calendar.request(kA, 12, 8), 20U);
    EXPECT_THAT(calendar.take(10), ElementsAre(kA));
    EXPECT_THAT(calendar.take(20), ElementsAre(kA));
}

TEST(SleepCalendar, StopWithdrawsLaterExpiriesOnly) {
    SleepCalendar calendar(8, 1);
    calendar.request(kA, 0, 10);
    calendar.request(kB, 0, 10);
    calendar.stop(kA, 10); // expires at 10, ends at 10
    calendar.stop(kB, 9);
    EXPECT_THAT(calendar.take(100), ElementsAre(kA));
    EXPECT_EQ(calendar.request(kB, 9, 50), 59U); // the slot's next warp starts afresh
}

TEST(SleepCalendar, TimesBeyondTheRangeNeverExpire) {
    SleepCalendar calendar(8, 16);
    EXPECT_EQ(calendar.request(kA, 100, kNever - 1), kNever);
    EXPECT_EQ(calendar.request(kB, 0, kNever - 1), kNever);
    EXPECT_EQ(calendar.next(), kNever);
}

} // namespace
} // namespace smsim::sm

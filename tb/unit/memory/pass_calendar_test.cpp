// When passes occur: one path alone, several that share the array, phases.
#include <vector>

#include <gtest/gtest.h>

#include "memory/pass_calendar.h"

namespace smsim::memory {
namespace {

constexpr unsigned kRow = 1;

/// Begins an access of `passes` passes of one phase; returns the cycle of the first.
Cycle access(PassCalendar &calendar, unsigned port, Cycle arrival, unsigned passes) {
    const Cycle begin = calendar.begin(port, arrival, arrival, false);
    for (unsigned pass = 1; pass < passes; ++pass) {
        calendar.next(false);
    }
    return begin;
}

/// Begins an access with the given number of passes per phase.
Cycle phased(PassCalendar &calendar, unsigned port, Cycle arrival, const std::vector<unsigned> &phases) {
    const Cycle begin = calendar.begin(port, arrival, arrival, true);
    bool first = true;
    for (const unsigned passes : phases) {
        for (unsigned pass = 0; pass < passes; ++pass) {
            if (!first) {
                calendar.next(pass == 0);
            }
            first = false;
        }
    }
    return begin;
}

TEST(PassCalendar, AnAccessOfNWaysTakesItsPathForTwiceNCycles) {
    for (const unsigned ways : {1U, 2U, 8U, 32U}) {
        PassCalendar calendar(2);
        EXPECT_EQ(access(calendar, 0, 10, ways), 10U);
        EXPECT_EQ(calendar.taken(), 10U + 2 * (ways - 1));
        EXPECT_EQ(access(calendar, 0, 11, kRow), 10U + 2 * ways);
    }
}

TEST(PassCalendar, PathsShareTheCyclesOfTheArray) {
    PassCalendar calendar(2);
    EXPECT_EQ(access(calendar, 0, 10, 3), 10U); // 10, 12, 14
    EXPECT_EQ(access(calendar, 1, 10, 3), 11U); // 11, 13, 15
    EXPECT_EQ(calendar.taken(), 15U);
    EXPECT_EQ(access(calendar, 2, 10, 2), 16U) << "the array has no cycle left before";
    EXPECT_EQ(calendar.taken(), 18U);
    EXPECT_EQ(access(calendar, 3, 10, 2), 17U);
    EXPECT_EQ(calendar.taken(), 19U);
}

TEST(PassCalendar, FourPathsOfRowsHaveOnePerCycle) {
    PassCalendar calendar(2);
    std::vector<Cycle> begins;
    for (unsigned number = 0; number < 12; ++number) {
        begins.push_back(access(calendar, number % 4, 5, kRow));
    }
    EXPECT_EQ(begins, (std::vector<Cycle>{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
}

TEST(PassCalendar, CleanPhasesTakeOneCycleEachAndTwoTogetherAtLeast) {
    PassCalendar calendar(2);
    phased(calendar, 0, 10, {1, 1});
    EXPECT_EQ(calendar.taken(), 10U) << "as an access of 4 bytes";
    EXPECT_EQ(phased(calendar, 0, 10, {1, 1, 1, 1}), 12U);
    EXPECT_EQ(calendar.taken(), 12U + 2);
    EXPECT_EQ(phased(calendar, 0, 10, {1}), 16U) << "four cycles later";
    EXPECT_EQ(calendar.taken(), 16U);
    EXPECT_EQ(phased(calendar, 0, 10, {1}), 18U);
}

TEST(PassCalendar, AnAccessTakesItsPathForAllItsDataEvenIfThreadsShareIt) {
    PassCalendar calendar(2);
    calendar.begin(0, 10, 10, true, 4); // 16 bytes each, all threads the same: two phases of four
    calendar.next(true);
    EXPECT_EQ(calendar.taken(), 10U + 2) << "as if each thread had its own words";
    EXPECT_EQ(access(calendar, 1, 10, kRow), 12U) << "the array has the cycles that the sharing saves";
    EXPECT_EQ(access(calendar, 0, 10, kRow), 14U);
    calendar.begin(0, 20, 20, true, 4);
    for (unsigned pass = 0; pass < 4; ++pass) {
        calendar.next(false);
    }
    EXPECT_EQ(calendar.taken(), 20U + 7) << "1 + 4 * 2 of conflicts are more than 4";
}

TEST(PassCalendar, AConflictInAPhaseTakesTwoCyclesMore) {
    PassCalendar calendar(2);
    phased(calendar, 0, 10, {2, 1});
    EXPECT_EQ(calendar.taken(), 10U + 2);
    EXPECT_EQ(phased(calendar, 0, 10, {1, 3}), 14U);
    EXPECT_EQ(calendar.taken(), 14U + 4);
    EXPECT_EQ(access(calendar, 0, 10, kRow), 20U);
}

TEST(PassCalendar, PastCyclesAreDropped) {
    PassCalendar calendar(2);
    access(calendar, 0, 10, 8);
    EXPECT_EQ(access(calendar, 1, 100, 2), 100U);
    EXPECT_EQ(access(calendar, 2, 100, 2), 101U);
    EXPECT_EQ(calendar.taken(), 103U);
}

TEST(PassCalendar, AnAccessThatArrivesFarAheadLeavesTheCyclesBeforeIt) {
    PassCalendar calendar(2);
    EXPECT_EQ(access(calendar, 0, 1000, 2), 1000U);
    EXPECT_EQ(access(calendar, 1, 999, 3), 999U) << "and 1001, 1003: it has every other cycle";
    EXPECT_EQ(access(calendar, 2, 127, 1), 127U);
    EXPECT_EQ(access(calendar, 3, 127, 1), 128U) << "the next word of the calendar";
}

} // namespace
} // namespace smsim::memory

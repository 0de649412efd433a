// Counters by interval: which interval a cycle belongs to, that the width doubles instead of the memory, that nothing
// is lost.
#include <gtest/gtest.h>

#include "model/stats/interval_counters.h"

namespace smsim {
namespace {

/// The interval that `cycle` belongs to, as counting code gets it.
IntervalCounters::Interval &at(IntervalCounters &counters, Cycle cycle) {
    while (counters.boundary() <= cycle) {
        counters.advance();
    }
    return counters.present();
}

TEST(IntervalCounters, BeginsWithIntervalsOfOneCycle) {
    IntervalCounters counters;
    at(counters, 3).instructions = 5;
    at(counters, 255).thread_instructions = 7;
    EXPECT_EQ(counters.width(), 1U);
    EXPECT_EQ(counters.boundary(), 256U);
    EXPECT_EQ(counters.intervals()[2], IntervalCounters::Interval{});
    EXPECT_EQ(counters.intervals()[3].instructions, 5U);
    EXPECT_EQ(counters.intervals()[255].thread_instructions, 7U);
}

TEST(IntervalCounters, TimePastTheLastIntervalDoublesTheWidthAndMergesNeighbours) {
    IntervalCounters counters;
    at(counters, 6).instructions = 4;
    at(counters, 7).instructions = 5;
    at(counters, 255).stalls[2] = 1;
    at(counters, 256).instructions = 1;
    EXPECT_EQ(counters.width(), 2U);
    EXPECT_EQ(counters.boundary(), 258U);
    const std::vector<IntervalCounters::Interval> intervals = counters.intervals();
    EXPECT_EQ(intervals[3].instructions, 9U);
    EXPECT_EQ(intervals[127].stalls[2], 1U);
    EXPECT_EQ(intervals[128].instructions, 1U);
    EXPECT_EQ(intervals.size(), kCounterIntervals);
}

TEST(IntervalCounters, AVeryLongTimeCostsNoMoreMemory) {
    constexpr Cycle kLong = Cycle{1} << 50;
    IntervalCounters counters;
    at(counters, 1).instructions = 1;
    at(counters, kLong).instructions = 2;
    std::uint64_t sum = 0;
    for (const IntervalCounters::Interval &interval : counters.intervals()) {
        sum += interval.instructions;
    }
    EXPECT_EQ(sum, 3U);
    EXPECT_EQ(counters.width(), kLong / (kCounterIntervals / 2));
}

TEST(IntervalCounters, TheResultDoesNotDependOnWhenItWasWidened) {
    for (const Cycle last : {17U, 700U, 2999U}) {
        IntervalCounters late;
        IntervalCounters early;
        early.widen_to(16);
        for (IntervalCounters *counters : {&late, &early}) {
            for (Cycle cycle = 0; cycle <= last; cycle += 7) {
                ++at(*counters, cycle).instructions;
                at(*counters, cycle).stalls[4] += cycle;
            }
        }
        late.widen_to(16);
        EXPECT_EQ(late.width(), 16U);
        EXPECT_EQ(late.intervals(), early.intervals());
        EXPECT_EQ(late.boundary(), early.boundary());
    }
}

} // namespace
} // namespace smsim

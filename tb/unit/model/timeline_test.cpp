// The timeline: which interval a cycle belongs to, that the width doubles instead of the memory, that nothing is lost.
#include <gtest/gtest.h>

#include "model/stats/timeline.h"

namespace smsim {
namespace {

/// The interval that `cycle` belongs to, as whoever counts reaches it.
Timeline::Interval &at(Timeline &timeline, Cycle cycle) {
    while (timeline.boundary() <= cycle) {
        timeline.advance();
    }
    return timeline.present();
}

TEST(Timeline, BeginsWithIntervalsOfOneCycle) {
    Timeline timeline;
    at(timeline, 3).instructions = 5;
    at(timeline, 255).thread_instructions = 7;
    EXPECT_EQ(timeline.width(), 1U);
    EXPECT_EQ(timeline.boundary(), 256U);
    EXPECT_EQ(timeline.intervals()[2], Timeline::Interval{});
    EXPECT_EQ(timeline.intervals()[3].instructions, 5U);
    EXPECT_EQ(timeline.intervals()[255].thread_instructions, 7U);
}

TEST(Timeline, TimePastTheLastIntervalDoublesTheWidthAndMergesNeighbours) {
    Timeline timeline;
    at(timeline, 6).instructions = 4;
    at(timeline, 7).instructions = 5;
    at(timeline, 255).stalls[2] = 1;
    at(timeline, 256).instructions = 1;
    EXPECT_EQ(timeline.width(), 2U);
    EXPECT_EQ(timeline.boundary(), 258U);
    const std::vector<Timeline::Interval> intervals = timeline.intervals();
    EXPECT_EQ(intervals[3].instructions, 9U);
    EXPECT_EQ(intervals[127].stalls[2], 1U);
    EXPECT_EQ(intervals[128].instructions, 1U);
    EXPECT_EQ(intervals.size(), kTimelineIntervals);
}

TEST(Timeline, AVeryLongTimeCostsNoMoreMemory) {
    constexpr Cycle kLong = Cycle{1} << 50;
    Timeline timeline;
    at(timeline, 1).instructions = 1;
    at(timeline, kLong).instructions = 2;
    std::uint64_t sum = 0;
    for (const Timeline::Interval &interval : timeline.intervals()) {
        sum += interval.instructions;
    }
    EXPECT_EQ(sum, 3U);
    EXPECT_EQ(timeline.width(), kLong / (kTimelineIntervals / 2));
}

TEST(Timeline, TheResultDoesNotDependOnWhenItWasWidened) {
    for (const Cycle last : {17U, 700U, 2999U}) {
        Timeline late;
        Timeline early;
        early.widen_to(16);
        for (Timeline *timeline : {&late, &early}) {
            for (Cycle cycle = 0; cycle <= last; cycle += 7) {
                ++at(*timeline, cycle).instructions;
                at(*timeline, cycle).stalls[4] += cycle;
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

// Nanoseconds and cycles of the configured clock, without the error of a rounded period or a binary fraction.
#include <gtest/gtest.h>

#include "model/config/clock_rate.h"

namespace smsim {
namespace {

TEST(ClockRate, SleepsAreRoundedUpToCyclesOfTheClockAsConfigured) {
    struct Case {
        double ghz;
        std::uint32_t ns;
        Cycle cycles;
    };
    for (const Case &one : {
             Case{1, 100, 100},
             Case{1.1, 10, 11}, // 1.1 as a binary fraction is larger than 1.1: it would give 12
             Case{1.1, 1, 2},
             Case{7, 1000, 7000}, // a period of 143 ps would give 6994
             Case{7, 0xffffffff, 30064771065},
             Case{1.5, 10, 15},
             Case{0.3, 10, 3},
             Case{0.3, 11, 4},
             Case{0.001, 1000, 1},
             Case{0.001, 1001, 2},
             Case{100, 0xffffffff, 429496729500},
             Case{1.4100000000000001, 100000, 141001},
             Case{0.0012345678901234567, 0xffffffff, 5302429},
             Case{2.5, 0, 0},
         }) {
        EXPECT_EQ(ClockRate(one.ghz).cycles_in(one.ns), one.cycles) << one.ghz << " GHz, " << one.ns << " ns";
    }
}

TEST(ClockRate, NanosecondsAreCompleteOnes) {
    EXPECT_EQ(ClockRate(1).nanoseconds_at(123), 123U);
    EXPECT_EQ(ClockRate(1.1).nanoseconds_at(11), 10U);
    EXPECT_EQ(ClockRate(1.1).nanoseconds_at(10), 9U);
    EXPECT_EQ(ClockRate(7).nanoseconds_at(7'000'000'000), 1'000'000'000U);
    EXPECT_EQ(ClockRate(7).nanoseconds_at(6'999'999'999), 999'999'999U);
    EXPECT_EQ(ClockRate(0.001).nanoseconds_at(5), 5000U);
    EXPECT_EQ(ClockRate(0.0012345678901234567).nanoseconds_at(100'000'000'000'000), 81000000729000012);
}

} // namespace
} // namespace smsim

// Which of several entries are due, and when the next one is.
#include <gtest/gtest.h>

#include <bit>

#include "model/due_times.h"

namespace smsim {
namespace {

TEST(DueTimes, NoneIsDueBeforeATimeIsSet) {
    const DueTimes times(5);
    EXPECT_EQ(times.at(DueTimes::kNot - 1).who, 0U);
    EXPECT_EQ(times.at(0).next, DueTimes::kNot);
}

TEST(DueTimes, ReachedTimesAreDueAndTheEarliestOtherIsNext) {
    DueTimes times(6);
    times.set(0, 30);
    times.set(1, 10);
    times.set(4, 20);
    times.set(5, 11);
    const DueTimes::Due due = times.at(11);
    EXPECT_EQ(due.who, 0b100010U);
    EXPECT_EQ(due.next, 20U);
    EXPECT_EQ(times.at(9).who, 0U);
    EXPECT_EQ(times.at(9).next, 10U);
    EXPECT_EQ(times.at(30).who, 0b110011U);
    EXPECT_EQ(times.at(30).next, DueTimes::kNot);
}

TEST(DueTimes, TimesAreOrderedAsNumbersWithoutSign) {
    constexpr DueTimes::Time kHigh = DueTimes::Time{1} << 63U;
    DueTimes times(3);
    times.set(0, kHigh);
    times.set(1, 1);
    times.set(2, kHigh + 2);
    EXPECT_EQ(times.at(kHigh - 1).who, 0b010U);
    EXPECT_EQ(times.at(kHigh - 1).next, kHigh);
    EXPECT_EQ(times.at(kHigh + 1).who, 0b011U);
    EXPECT_EQ(times.at(kHigh + 1).next, kHigh + 2);
}

TEST(DueTimes, EachOfSixtyFourHasABit) {
    DueTimes times(64);
    for (unsigned i = 0; i < 64; ++i) {
        times.set(i, 100 + i);
    }
    for (unsigned i = 0; i < 64; ++i) {
        const DueTimes::Due due = times.at(100 + i);
        EXPECT_EQ(std::countr_one(due.who), static_cast<int>(i + 1));
        EXPECT_EQ(due.next, i == 63 ? DueTimes::kNot : 101 + i);
    }
}

TEST(DueTimes, ATimeIsBroughtForwardAndNeverPutOff) {
    DueTimes times(2);
    times.bring_forward(1, 20);
    times.bring_forward(1, 30);
    EXPECT_EQ(times[1], 20U);
    times.bring_forward(1, 10);
    EXPECT_EQ(times[1], 10U);
    times.set(1, 40);
    EXPECT_EQ(times[1], 40U);
}

TEST(DueTimes, ALargerCountKeepsTheTimesThatAreSet) {
    DueTimes times(3);
    times.set(2, 7);
    times.resize(9);
    times.set(8, 9);
    EXPECT_EQ(times.at(9).who, 0b100000100U);
}

} // namespace
} // namespace smsim

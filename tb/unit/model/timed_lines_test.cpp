// Lines of a small cache, and since when they have been present.
#include <gtest/gtest.h>

#include "model/timing/timed_lines.h"

namespace smsim::timing {
namespace {

/// Two sets of two lines of 64 bytes, misses of 50 cycles.
class TimedLinesTest : public ::testing::Test {
  protected:
    Cycle look_up(std::uint64_t address, Cycle now) { return lines.look_up(address, now, 50); }
    TimedLines lines{256, 64, 2};
};

TEST_F(TimedLinesTest, AMissArrivesLaterAndThenHits) {
    EXPECT_EQ(look_up(0x10, 100), 150U);
    EXPECT_EQ(look_up(0x3c, 120), 150U) << "on its way";
    EXPECT_EQ(look_up(0x10, 200), 150U) << "there";
    EXPECT_EQ(look_up(0x40, 200), 250U) << "the next line";
}

TEST_F(TimedLinesTest, TheLeastRecentlyUsedLineOfItsSetIsEvicted) {
    look_up(0x000, 0);
    look_up(0x080, 100);
    look_up(0x000, 200);
    look_up(0x100, 300);
    EXPECT_EQ(look_up(0x000, 400), 50U);
    EXPECT_EQ(look_up(0x080, 400), 450U);
}

TEST_F(TimedLinesTest, NothingIsThereWhenCleared) {
    look_up(0, 0);
    lines.clear();
    EXPECT_EQ(look_up(0, 100), 150U);
}

TEST(TimedLines, ConstantBanksAreDifferentAddresses) {
    EXPECT_NE(constant_address(0, 4), constant_address(3, 4));
    EXPECT_EQ(constant_address(3, 0x10004), constant_address(3, 4)) << "an offset has 16 bits";
}

} // namespace
} // namespace smsim::timing

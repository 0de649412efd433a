// Wavefronts of accesses in the stages of an L1: tags by bank, data by bank and phase. The accesses and their figures
// are those that a profiler counted on an H100 (tb/silicon/measured/h100_pattern_counters.csv).
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "sm/load_store/wavefronts.h"

namespace smsim::sm {
namespace {

constexpr std::uint32_t kLine = 128;

/// Loads of all threads at the addresses that `place` says, `bytes` each.
class Access {
  public:
    Access(const std::function<std::uint64_t(unsigned)> &place, unsigned bytes) : bytes_(bytes) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            pieces_.push_back(
                {place(lane), static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(bytes), std::uint8_t{0}});
        }
    }
    Wavefronts wavefronts(std::uint32_t tag_banks = 4) {
        return wavefronts_of(coalescer_.merge(pieces_, kLine, 1), data_phases_of(bytes_), TagBanks(tag_banks, kLine));
    }

  private:
    unsigned bytes_;
    std::vector<Piece> pieces_;
    Coalescer coalescer_;
};

/// Threads `stride` elements of `bytes` bytes apart, from line 24 and the seven after it on: the mean of both counts.
struct Means {
    double tags = 0;
    double data = 0;
};
Means strided(unsigned stride, unsigned bytes) {
    Means means;
    for (unsigned line = 24; line < 32; ++line) {
        Access access([&](unsigned lane) { return std::uint64_t{line} * kLine + lane * stride * bytes; }, bytes);
        const Wavefronts counted = access.wavefronts();
        means.tags += counted.tags / 8.0;
        means.data += counted.data / 8.0;
    }
    return means;
}

TEST(Wavefronts, TagsOfStridesAreAsCountedOnSilicon) {
    EXPECT_DOUBLE_EQ(strided(1, 4).tags, 1);
    EXPECT_DOUBLE_EQ(strided(3, 4).tags, 1);
    EXPECT_DOUBLE_EQ(strided(4, 4).tags, 1.25);
    EXPECT_DOUBLE_EQ(strided(5, 4).tags, 2);
    EXPECT_DOUBLE_EQ(strided(8, 4).tags, 2.5);
    EXPECT_DOUBLE_EQ(strided(12, 4).tags, 3.375);
    EXPECT_DOUBLE_EQ(strided(15, 4).tags, 4.5);
    EXPECT_DOUBLE_EQ(strided(16, 4).tags, 4.75);
    EXPECT_DOUBLE_EQ(strided(24, 4).tags, 6.75);
    EXPECT_DOUBLE_EQ(strided(31, 4).tags, 8);
    EXPECT_DOUBLE_EQ(strided(33, 4).tags, 8.5);
    EXPECT_DOUBLE_EQ(strided(48, 4).tags, 10.75);
    EXPECT_DOUBLE_EQ(strided(63, 4).tags, 8.875);
    EXPECT_DOUBLE_EQ(strided(7, 8).tags, 4.25);
    EXPECT_DOUBLE_EQ(strided(15, 8).tags, 8);
}

TEST(Wavefronts, DataOfStridesIsAsCountedOnSilicon) {
    EXPECT_DOUBLE_EQ(strided(2, 4).data, 2);
    EXPECT_DOUBLE_EQ(strided(3, 4).data, 1);
    EXPECT_DOUBLE_EQ(strided(16, 4).data, 16);
    EXPECT_DOUBLE_EQ(strided(32, 4).data, 32);
    EXPECT_DOUBLE_EQ(strided(33, 4).data, 1);
    EXPECT_DOUBLE_EQ(strided(1, 8).data, 2);
    EXPECT_DOUBLE_EQ(strided(4, 8).data, 8);
    EXPECT_DOUBLE_EQ(strided(15, 8).data, 2);
    EXPECT_DOUBLE_EQ(strided(1, 16).data, 4);
    EXPECT_DOUBLE_EQ(strided(2, 16).data, 8);
    EXPECT_DOUBLE_EQ(strided(3, 16).data, 4);
}

TEST(Wavefronts, ThreadsThatShareAWordTakeItInOneWavefrontOfTheirPhase) {
    EXPECT_EQ(Access([](unsigned) { return 64; }, 4).wavefronts().data, 1U);
    EXPECT_EQ(Access([](unsigned) { return 64; }, 8).wavefronts().data, 2U);
    EXPECT_EQ(Access([](unsigned lane) { return 4 * (lane / 2) + (lane % 2) * 1024; }, 4).wavefronts().data, 2U);
}

TEST(Wavefronts, IdealOnesAreThePhasesWithAThread) {
    const Wavefronts counted = Access([](unsigned lane) { return std::uint64_t{lane} * 128; }, 16).wavefronts();
    EXPECT_EQ(counted.data, 32U);
    EXPECT_EQ(counted.ideal, 4U);
    EXPECT_EQ(counted.phases, 4U);
    const Wavefronts half = wavefronts_of_row(LaneMask(0xffff), 2);
    EXPECT_EQ(half.data, 1U);
    EXPECT_EQ(half.ideal, 1U);
    EXPECT_EQ(half.phases, 2U);
    EXPECT_EQ(half.tags, 1U);
}

TEST(Wavefronts, OneTagBankTakesACyclePerLineAndManyTakeOne) {
    Access access([](unsigned lane) { return std::uint64_t{lane} * 128; }, 4);
    EXPECT_EQ(access.wavefronts(1).tags, 32U);
    EXPECT_EQ(access.wavefronts(2).tags, 16U);
    EXPECT_EQ(access.wavefronts(3).tags, 11U);
    EXPECT_EQ(access.wavefronts(8).tags, 4U);
    EXPECT_EQ(access.wavefronts(32).tags, 1U);
}

} // namespace
} // namespace smsim::sm

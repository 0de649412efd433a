// Which lines and sectors the L1 holds: look-up, replacement, partial updates, invalidation; without simulation.
#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/l1/lines.h"
#include "memory/l1/seen_sectors.h"

namespace smsim::memory::l1 {
namespace {

constexpr std::uint32_t kLine = 16;
using LineData = std::array<std::uint8_t, kLine>;

/// Bytes `first`, `first + 1`, ...
LineData counting(std::uint8_t first) {
    LineData data{};
    std::iota(data.begin(), data.end(), first);
    return data;
}

/// Two sets of two lines; a line's set is its number modulo 2.
class LinesTest : public ::testing::Test {
  protected:
    void install(std::uint64_t line) { lines.install(line, 1, counting(0).data()); }
    Lines lines{64, LineSize(kLine), 2};
};

TEST_F(LinesTest, AreAbsentAtFirstAndPresentOnceInstalled) {
    EXPECT_EQ(lines.use(0).data, nullptr);
    lines.install(0x20, 1, counting(5).data());
    EXPECT_FALSE(lines.present(0));
    ASSERT_TRUE(lines.present(0x20));
    const std::uint8_t *data = lines.use(0x20).data;
    EXPECT_TRUE(std::equal(data, data + kLine, counting(5).begin()));
}

TEST_F(LinesTest, TheLeastRecentlyUsedOfItsSetIsEvicted) {
    install(0x00);
    install(0x20);
    install(0x10); // the other set
    lines.use(0x00);
    install(0x40);
    EXPECT_TRUE(lines.present(0x00));
    EXPECT_FALSE(lines.present(0x20));
    EXPECT_TRUE(lines.present(0x40));
    EXPECT_TRUE(lines.present(0x10));
}

TEST_F(LinesTest, LookupsAndWritesDoNotCountAsUses) {
    install(0x00);
    install(0x20);
    lines.present(0x00);
    lines.update(0x00, counting(0).data(), 4);
    install(0x40);
    EXPECT_FALSE(lines.present(0x00));
}

TEST_F(LinesTest, ADroppedLineIsReplacedFirst) {
    install(0x00);
    install(0x20);
    lines.drop(0x20, 1);
    install(0x40);
    EXPECT_TRUE(lines.present(0x00));
    EXPECT_TRUE(lines.present(0x40));
}

TEST_F(LinesTest, AnUpdateAcrossLinesReachesThoseThatArePresent) {
    install(0x00);
    install(0x20);
    const std::vector<std::uint8_t> bytes(34, 0xee); // from the last byte of line 0 to the first of line 0x20
    lines.update(0x0f, bytes.data(), 18);
    EXPECT_EQ(lines.use(0x00).data[14], 14);
    EXPECT_EQ(lines.use(0x00).data[15], 0xee);
    EXPECT_EQ(lines.use(0x20).data[0], 0xee);
    EXPECT_EQ(lines.use(0x20).data[1], 1);
    EXPECT_FALSE(lines.present(0x10));
}

TEST_F(LinesTest, DropTakesEachLineThatIsTouched) {
    for (const std::uint64_t line : {0x00, 0x10, 0x20, 0x30}) {
        install(line);
    }
    lines.drop(0x1f, 2);
    EXPECT_TRUE(lines.present(0x00));
    EXPECT_FALSE(lines.present(0x10));
    EXPECT_FALSE(lines.present(0x20));
    EXPECT_TRUE(lines.present(0x30));
    lines.drop(0x30, 0);
    EXPECT_TRUE(lines.present(0x30)) << "no byte, no line";
    lines.drop(0x08, 1ULL << 40);
    EXPECT_FALSE(lines.present(0x00)) << "a range longer than the cache";
    EXPECT_FALSE(lines.present(0x30));
}

TEST_F(LinesTest, DropAllLeavesNone) {
    install(0x00);
    install(0x10);
    lines.drop_all();
    EXPECT_FALSE(lines.present(0x00));
    EXPECT_FALSE(lines.present(0x10));
}

/// Two lines of four sectors in one set.
class SectorsTest : public ::testing::Test {
  protected:
    Lines lines{32, LineSize(kLine, 4), 2};
};

TEST_F(SectorsTest, AreInstalledOneByOne) {
    EXPECT_EQ(lines.use(0x10).present, 0U);
    lines.install(0x10, 0b0010, counting(0x10).data());
    lines.install(0x10, 0b1000, counting(0x20).data());
    const Lines::Line line = lines.use(0x10);
    EXPECT_EQ(line.present, 0b1010U);
    EXPECT_EQ(line.data[7], 0x17);
    EXPECT_EQ(line.data[15], 0x2f);
    lines.install(0x20, 0b0001, counting(0).data());
    EXPECT_EQ(lines.present(0x10), 0b1010U) << "both in one place: the other one is free";
}

TEST_F(SectorsTest, AreEvictedTogetherWithTheirLine) {
    lines.install(0x10, 0b0001, counting(0).data());
    lines.install(0x20, 0b0001, counting(0).data());
    lines.install(0x10, 0b0100, counting(0).data());
    lines.install(0x30, 0b0010, counting(0).data());
    EXPECT_EQ(lines.present(0x10), 0b0101U) << "the arrival of a sector is a use of its line";
    EXPECT_EQ(lines.present(0x20), 0U);
    lines.install(0x20, 0b1000, counting(0).data());
    EXPECT_EQ(lines.present(0x20), 0b1000U) << "what was there before has gone";
}

TEST_F(SectorsTest, InstallingNoneMakesNoRoom) {
    lines.install(0x10, 0b1111, counting(0).data());
    lines.install(0x20, 0b1111, counting(0).data());
    lines.install(0x30, 0, counting(0).data());
    EXPECT_EQ(lines.present(0x10), 0b1111U);
    EXPECT_EQ(lines.present(0x20), 0b1111U);
}

TEST_F(SectorsTest, AnUpdateReachesThoseThatArePresent) {
    lines.install(0x10, 0b1010, counting(0).data());
    const std::vector<std::uint8_t> bytes(9, 0xee); // from the last byte of sector 0 to the last of sector 2
    lines.update(0x13, bytes.data(), 9);
    lines.install(0x10, 0b0101, counting(0).data());
    const std::uint8_t *data = lines.use(0x10).data;
    EXPECT_EQ(data[3], 3) << "came later";
    EXPECT_EQ(data[4], 0xee);
    EXPECT_EQ(data[7], 0xee);
    EXPECT_EQ(data[8], 8);
    EXPECT_EQ(data[12], 12);
}

TEST_F(SectorsTest, DropTakesEachThatIsTouchedAndTheLineWithTheLast) {
    lines.install(0x10, 0b1111, counting(0).data());
    lines.install(0x20, 0b1111, counting(0).data());
    lines.drop(0x1f, 2);
    EXPECT_EQ(lines.present(0x10), 0b0111U);
    EXPECT_EQ(lines.present(0x20), 0b1110U);
    lines.drop(0x24, 12);
    EXPECT_EQ(lines.present(0x20), 0U);
    lines.install(0x30, 0b0001, counting(0).data());
    EXPECT_EQ(lines.present(0x10), 0b0111U) << "the place of the other line is free";
    lines.drop(0x14, 1ULL << 40);
    EXPECT_EQ(lines.present(0x10), 0b0001U) << "a range longer than the cache";
}

TEST(LineSize, ALineTouchesARangeThatHoldsSomeByteOfIt) {
    const LineSize size(kLine);
    EXPECT_TRUE(size.touches(0x20, 0x1f, 2));
    EXPECT_FALSE(size.touches(0x20, 0x1f, 1));
    EXPECT_TRUE(size.touches(0x20, 0x2f, 1));
    EXPECT_FALSE(size.touches(0x20, 0x30, 16));
    EXPECT_FALSE(size.touches(0x20, 0x28, 0));
    const std::uint64_t last = ~std::uint64_t{kLine - 1};
    EXPECT_TRUE(size.touches(last, last + 4, 12)) << "up to the end of the addresses";
    EXPECT_FALSE(size.touches(0, last, kLine));
}

TEST(Lines, AreFoundAfterAnyInstallsAndDrops) {
    constexpr std::uint64_t kWays = 3;
    constexpr std::uint64_t kSets = 5;
    Lines lines(kSets * kWays * kLine, LineSize(kLine), kWays);
    std::array<std::vector<std::uint64_t>, kSets> expected; // the lines of a set, the oldest first
    std::minstd_rand random(1);
    for (unsigned step = 0; step < 5000; ++step) {
        const std::uint64_t number = random() % 64;
        std::vector<std::uint64_t> &set = expected[number % kSets];
        if (const auto there = std::ranges::find(set, number); there != set.end()) {
            set.erase(there);
        }
        if (random() % 4 == 0) {
            lines.drop(number * kLine, kLine);
        } else {
            lines.install(number * kLine, 1, counting(0).data());
            set.push_back(number);
            if (set.size() > kWays) {
                set.erase(set.begin());
            }
        }
        for (std::uint64_t other = 0; other < 64; ++other) {
            const std::vector<std::uint64_t> &there = expected[other % kSets];
            ASSERT_EQ(lines.present(other * kLine) != 0, std::ranges::find(there, other) != there.end()) << step;
        }
    }
}

TEST(Lines, HashedSetsHoldNeighboursEvenlyAndLinesAPowerOfTwoApartTogether) {
    constexpr std::uint64_t kSets = 14;
    constexpr std::uint64_t kLines = kSets * 4;
    const auto survivors = [&](bool hash_sets, std::uint64_t distance) {
        Lines lines(kLines * kLine, LineSize(kLine), 4, nullptr, hash_sets);
        std::uint64_t present = 0;
        for (std::uint64_t i = 0; i < kLines; ++i) {
            lines.install(i * distance * kLine, 1, counting(0).data());
        }
        for (std::uint64_t i = 0; i < kLines; ++i) {
            present += lines.present(i * distance * kLine);
        }
        return present;
    };
    EXPECT_EQ(survivors(true, 1), kLines);
    EXPECT_EQ(survivors(false, kSets * 8), 4U) << "all in one set";
    EXPECT_EQ(survivors(true, kSets), kLines);
    EXPECT_GT(survivors(true, kSets * 8), kLines / 4);
}

TEST(Lines, ALimitLeavesWholeSetsAndAtLeastOne) {
    Lines lines(4 * 2 * kLine, LineSize(kLine), 2);
    const auto fitting = [&lines](std::uint64_t bytes) {
        lines.drop_all();
        lines.limit(bytes);
        std::uint64_t present = 0;
        for (std::uint64_t i = 0; i < 8; ++i) {
            lines.install(i * kLine, 1, counting(0).data());
        }
        for (std::uint64_t i = 0; i < 8; ++i) {
            present += lines.present(i * kLine);
        }
        return present;
    };
    EXPECT_EQ(fitting(8 * kLine - 1), 6U);
    EXPECT_EQ(fitting(0), 2U);
    EXPECT_EQ(fitting(100 * kLine), 8U);
}

TEST(LineSize, BytesLieInOneLineUpToItsEnd) {
    const LineSize size(kLine);
    EXPECT_TRUE(size.in_one_line(0x2c, 4));
    EXPECT_FALSE(size.in_one_line(0x2d, 4));
    EXPECT_FALSE(size.in_one_line(0x20, 17));
}

TEST(LineSize, SectorsOfALineThatARangeTouches) {
    const LineSize size(kLine, 4);
    EXPECT_EQ(size.touched(0x20, 0x24, 4), 0b0010U);
    EXPECT_EQ(size.touched(0x20, 0x27, 2), 0b0110U);
    EXPECT_EQ(size.touched(0x20, 0x1f, 2), 0b0001U);
    EXPECT_EQ(size.touched(0x20, 0x2c, 100), 0b1000U);
    EXPECT_EQ(size.touched(0x20, 0, 1000), 0b1111U);
    EXPECT_EQ(size.touched(0x20, 0x28, 0), 0U);
    EXPECT_EQ(size.touched(0x20, 0x30, 4), 0U);
    const std::uint64_t last = ~std::uint64_t{kLine - 1};
    EXPECT_EQ(size.touched(last, last + 8, 8), 0b1100U) << "up to the end of the addresses";
    EXPECT_EQ(LineSize(1024, 32).touched(0, 0, 1024), 0xffffffffU);
    EXPECT_EQ(LineSize(kLine).touched(0x20, 0x2f, 1), 1U) << "a line without sectors is one";
}

TEST(LineSize, PartsAreTheStretchesThatAdjacentSectorsHold) {
    const LineSize size(kLine, 4);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
    const auto note = [&](std::uint64_t address, std::uint64_t bytes) { parts.emplace_back(address, bytes); };
    size.for_each_part(0x20, 0b1011, 0x21, 14, note);
    EXPECT_THAT(parts, ::testing::ElementsAre(std::pair(0x21, 7), std::pair(0x2c, 3)));
    parts.clear();
    size.for_each_part(0x20, 0b1000, 0x20, 12, note);
    EXPECT_THAT(parts, ::testing::IsEmpty());
    LineSize(1024, 32).for_each_part(0x400, 0xffffffff, 0x400, 1024, note);
    EXPECT_THAT(parts, ::testing::ElementsAre(std::pair(0x400, 1024)));
}

TEST(SeenSectors, ContainsWhatWasAddedWithFewFalsePositives) {
    constexpr std::uint32_t kSector = 32;
    for (const std::uint64_t step : {1U, 4U, 64U, 99U}) { // sectors: side by side, lines of four, and far apart
        SeenSectors seen(kSector);
        const std::uint64_t base = step << 36;
        unsigned taken_for_known = 0;
        for (std::uint64_t i = 0; i < 1'000'000; ++i) {
            taken_for_known += seen.add(base + i * step * kSector) ? 1 : 0;
            if (i == 99'999) {
                EXPECT_LT(taken_for_known, 200U) << "step " << step;
            }
        }
        EXPECT_LT(taken_for_known, 80'000U) << "step " << step;
        for (std::uint64_t i = 0; i < 1'000'000; i += 997) {
            ASSERT_TRUE(seen.add(base + i * step * kSector + kSector - 1)) << "any byte represents its sector";
        }
        seen.clear();
        EXPECT_FALSE(seen.add(base));
    }
}

} // namespace
} // namespace smsim::memory::l1

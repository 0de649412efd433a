// Which lines the L1 holds: look-up, replacement, partial updates, invalidation; without simulation.
#include <array>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "memory/l1/lines.h"

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
    void install(std::uint64_t line) { lines.install(line, counting(0).data()); }
    Lines lines{64, LineSize(kLine), 2};
};

TEST_F(LinesTest, AreAbsentAtFirstAndPresentOnceInstalled) {
    EXPECT_EQ(lines.use(0), nullptr);
    lines.install(0x20, counting(5).data());
    EXPECT_FALSE(lines.holds(0));
    ASSERT_TRUE(lines.holds(0x20));
    const std::uint8_t *data = lines.use(0x20);
    EXPECT_TRUE(std::equal(data, data + kLine, counting(5).begin()));
}

TEST_F(LinesTest, TheLeastRecentlyUsedOfItsSetMakesRoom) {
    install(0x00);
    install(0x20);
    install(0x10); // the other set
    lines.use(0x00);
    install(0x40);
    EXPECT_TRUE(lines.holds(0x00));
    EXPECT_FALSE(lines.holds(0x20));
    EXPECT_TRUE(lines.holds(0x40));
    EXPECT_TRUE(lines.holds(0x10));
}

TEST_F(LinesTest, LookingWhetherALineIsThereAndWritingToItAreNoUses) {
    install(0x00);
    install(0x20);
    lines.holds(0x00);
    lines.update(0x00, counting(0).data(), 4);
    install(0x40);
    EXPECT_FALSE(lines.holds(0x00));
}

TEST_F(LinesTest, ADroppedLineMakesRoomBeforeAnyOther) {
    install(0x00);
    install(0x20);
    lines.drop(0x20, 1);
    install(0x40);
    EXPECT_TRUE(lines.holds(0x00));
    EXPECT_TRUE(lines.holds(0x40));
}

TEST_F(LinesTest, AnUpdateAcrossLinesReachesThoseThatArePresent) {
    install(0x00);
    install(0x20);
    const std::vector<std::uint8_t> bytes(34, 0xee); // from the last byte of line 0 to the first of line 0x20
    lines.update(0x0f, bytes.data(), 18);
    EXPECT_EQ(lines.use(0x00)[14], 14);
    EXPECT_EQ(lines.use(0x00)[15], 0xee);
    EXPECT_EQ(lines.use(0x20)[0], 0xee);
    EXPECT_EQ(lines.use(0x20)[1], 1);
    EXPECT_FALSE(lines.holds(0x10));
}

TEST_F(LinesTest, DropTakesEachLineThatIsTouched) {
    for (const std::uint64_t line : {0x00, 0x10, 0x20, 0x30}) {
        install(line);
    }
    lines.drop(0x1f, 2);
    EXPECT_TRUE(lines.holds(0x00));
    EXPECT_FALSE(lines.holds(0x10));
    EXPECT_FALSE(lines.holds(0x20));
    EXPECT_TRUE(lines.holds(0x30));
    lines.drop(0x30, 0);
    EXPECT_TRUE(lines.holds(0x30)) << "no byte, no line";
    lines.drop(0x08, 1ULL << 40);
    EXPECT_FALSE(lines.holds(0x00)) << "a range longer than the cache";
    EXPECT_FALSE(lines.holds(0x30));
}

TEST_F(LinesTest, DropAllLeavesNone) {
    install(0x00);
    install(0x10);
    lines.drop_all();
    EXPECT_FALSE(lines.holds(0x00));
    EXPECT_FALSE(lines.holds(0x10));
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

TEST(LineSize, BytesLieInOneLineUpToItsEnd) {
    const LineSize size(kLine);
    EXPECT_TRUE(size.in_one_line(0x2c, 4));
    EXPECT_FALSE(size.in_one_line(0x2d, 4));
    EXPECT_FALSE(size.in_one_line(0x20, 17));
}

} // namespace
} // namespace smsim::memory::l1

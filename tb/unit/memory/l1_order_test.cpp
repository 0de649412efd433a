// Who waits for which fill of the L1, and what writes and atomics do to lines and fills; without simulation.
#include <array>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/l1/line_order.h"

namespace smsim::memory::l1 {
namespace {

constexpr std::uint32_t kLine = 16;

constexpr int kNobody = -1;

/// A request is its number.
using Registers = Mshrs<const int>;
using Outcome = Registers::Outcome;

class MshrsTest : public ::testing::Test {
  protected:
    /// A read of 4 bytes at `address`.
    Registers::Place read(std::uint64_t address, const int &request = kNobody) {
        return mshrs.wait_for(address & ~std::uint64_t{kLine - 1}, {&request, address, 4, 0});
    }
    std::vector<int> waiting(Registers::Index index) const {
        std::vector<int> numbers;
        for (const Registers::Waiter &waiter : mshrs.waiters(index)) {
            numbers.push_back(*waiter.request);
        }
        return numbers;
    }
    Registers mshrs{2, LineSize(kLine)};
    const std::array<int, 4> requests{0, 1, 2, 3};
};

TEST_F(MshrsTest, AMissTakesARegisterAndLaterOnesOfItsLineJoinInOrder) {
    const Registers::Place first = read(0x20, requests[1]);
    EXPECT_EQ(first.outcome, Outcome::kNew);
    EXPECT_EQ(mshrs.line(first.index), 0x20U);
    EXPECT_EQ(read(0x40, requests[2]).outcome, Outcome::kNew);
    const Registers::Place joined = read(0x2c, requests[3]);
    EXPECT_EQ(joined.outcome, Outcome::kJoined);
    EXPECT_EQ(joined.index, first.index);
    EXPECT_THAT(waiting(first.index), ::testing::ElementsAre(1, 3));
}

TEST_F(MshrsTest, WithoutAFreeRegisterOnlyLinesUnderWayCanBeWaitedFor) {
    read(0x20);
    read(0x40);
    EXPECT_EQ(read(0x60).outcome, Outcome::kFull);
    EXPECT_EQ(read(0x44).outcome, Outcome::kJoined);
}

TEST_F(MshrsTest, AReleasedRegisterIsTakenAnewWithoutThoseWhoWaitedBefore) {
    const Registers::Index index = read(0x20, requests[1]).index;
    read(0x40);
    mshrs.release(index);
    const Registers::Place next = read(0x60, requests[2]);
    EXPECT_EQ(next.outcome, Outcome::kNew);
    EXPECT_EQ(next.index, index);
    EXPECT_THAT(waiting(index), ::testing::ElementsAre(2));
    EXPECT_TRUE(mshrs.is_open(index));
}

TEST_F(MshrsTest, NobodyJoinsADetachedFill) {
    const Registers::Index index = read(0x20, requests[1]).index;
    mshrs.detach(0x2f, 1);
    EXPECT_FALSE(mshrs.is_open(index));
    EXPECT_EQ(read(0x20, requests[2]).outcome, Outcome::kNew) << "a fill behind the change";
    EXPECT_THAT(waiting(index), ::testing::ElementsAre(1)) << "the older read is served by the old one";
}

TEST_F(MshrsTest, DetachLeavesTheFillsOfOtherLines) {
    const Registers::Index index = read(0x20).index;
    mshrs.detach(0x30, 16);
    mshrs.detach(0x10, 16);
    EXPECT_TRUE(mshrs.is_open(index));
    mshrs.detach_all();
    EXPECT_FALSE(mshrs.is_open(index));
}

TEST_F(MshrsTest, BytesAreAwaitedWhileTheirFillMayFail) {
    const Registers::Index index = read(0x24).index;
    EXPECT_TRUE(mshrs.awaits(0x26, 1));
    EXPECT_TRUE(mshrs.awaits(0x20, 5));
    EXPECT_FALSE(mshrs.awaits(0x28, 4)) << "of the same line, but not what is read";
    EXPECT_FALSE(mshrs.awaits(0x20, 4));
    mshrs.data_in_hand(index);
    EXPECT_FALSE(mshrs.awaits(0x24, 4));
    mshrs.release(index);
    read(0x44);
    EXPECT_TRUE(mshrs.awaits(0x44, 1)) << "the next fill in this register is not in hand";
}

class LineOrderTest : public MshrsTest {
  protected:
    LineOrderTest() { lines.install(0x20, std::array<std::uint8_t, kLine>{}.data()); }
    Lines lines{64, LineSize(kLine), 2};
    LineOrder<const int> order{lines, mshrs};
};

TEST_F(LineOrderTest, AChangeWaitsForOlderReadsOfItsBytesOnly) {
    read(0x44);
    EXPECT_TRUE(order.must_wait(0x40, 8));
    EXPECT_FALSE(order.must_wait(0x48, 4));
    EXPECT_FALSE(order.must_wait(0x20, 16));
}

TEST_F(LineOrderTest, AWriteDetachesFillsAndKeepsPresentLines) {
    const Registers::Index index = read(0x44).index;
    order.write(0x40, 1);
    EXPECT_FALSE(mshrs.is_open(index));
    order.write(0x20, 16);
    EXPECT_TRUE(lines.holds(0x20)) << "the owner writes to them";
    EXPECT_EQ(order.changes(), 2U);
}

TEST_F(LineOrderTest, AChangeThatIsNotSeenDetachesFillsAndDropsLines) {
    const Registers::Index index = read(0x34).index;
    order.change_unseen(0x2c, 8);
    EXPECT_FALSE(mshrs.is_open(index));
    EXPECT_FALSE(lines.holds(0x20));
}

TEST_F(LineOrderTest, AWriteThatComesBackIsKnownByTheAddressWithWhichItWentDownAndLeavesAllAsItIs) {
    const std::array<int, 2> writes{0, 1};
    order.sent(writes[0], 0x20);
    order.sent(writes[1], 0x60);
    const Registers::Index index = read(0x24).index;
    EXPECT_EQ(order.ended(writes[0]), 0x20U);
    EXPECT_EQ(order.ended(writes[1]), 0x60U);
    EXPECT_TRUE(lines.holds(0x20));
    EXPECT_TRUE(mshrs.is_open(index));
    EXPECT_EQ(order.changes(), 0U);
}

TEST_F(LineOrderTest, WhatHasNotBeenSentOrHasComeBackAlreadyIsNotKnown) {
    const std::array<int, 2> writes{0, 1};
    EXPECT_EQ(order.ended(writes[0]), std::nullopt);
    order.sent(writes[0], 0x20);
    EXPECT_EQ(order.ended(writes[1]), std::nullopt);
    EXPECT_EQ(order.ended(writes[0]), 0x20U);
    EXPECT_EQ(order.ended(writes[0]), std::nullopt);
}

TEST_F(LineOrderTest, AChangeOfEverythingLeavesNoLineAndNoOpenFill) {
    const Registers::Index index = read(0x44).index;
    order.change_all();
    EXPECT_FALSE(lines.holds(0x20));
    EXPECT_FALSE(mshrs.is_open(index));
    EXPECT_EQ(order.changes(), 1U);
}

} // namespace
} // namespace smsim::memory::l1

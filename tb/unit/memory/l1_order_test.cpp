// Which requests wait for which fill of the L1, and what writes and atomics do to lines and fills; without simulation.
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

/// A read of `missing` sectors of `line` arrives, and waits unless no MSHR is free.
Registers::Place wait_for(Registers &mshrs, std::uint64_t line, Sectors missing, const Registers::Waiter &waiter) {
    const Registers::Place place = mshrs.reserve(line, missing);
    if (place.outcome != Outcome::kFull) {
        mshrs.wait(line, missing, waiter);
    }
    return place;
}

class MshrsTest : public ::testing::Test {
  protected:
    /// A read of 4 bytes at `address`.
    Registers::Place read(std::uint64_t address, const int &request = kNobody) {
        return wait_for(mshrs, address & ~std::uint64_t{kLine - 1}, 1, {&request, address, 4, 0});
    }
    /// The fill of the line of MSHR `index` arrives; returns the requests that wait for it.
    std::vector<int> arrive(Registers::Index index) {
        std::vector<int> numbers;
        mshrs.arrived(index, 1, [&](const Registers::Waiter &waiter, Sectors sectors, bool last) {
            numbers.push_back(*waiter.request);
            EXPECT_EQ(sectors, 1U);
            EXPECT_TRUE(last);
        });
        return numbers;
    }
    Registers mshrs{2, LineSize(kLine)};
    const std::array<int, 4> requests{0, 1, 2, 3};
};

TEST_F(MshrsTest, AMissTakesAnMshrAndLaterOnesOfItsLineMergeInOrder) {
    const Registers::Place first = read(0x20, requests[1]);
    EXPECT_EQ(first.outcome, Outcome::kNew);
    EXPECT_EQ(mshrs.line(first.index), 0x20U);
    EXPECT_EQ(read(0x40, requests[2]).outcome, Outcome::kNew);
    EXPECT_EQ(read(0x2c, requests[3]).outcome, Outcome::kJoined);
    EXPECT_THAT(arrive(first.index), ::testing::ElementsAre(1, 3));
}

TEST_F(MshrsTest, WithoutAFreeMshrOnlyLinesUnderWayCanBeWaitedFor) {
    read(0x20);
    read(0x40);
    EXPECT_EQ(read(0x60).outcome, Outcome::kFull);
    EXPECT_EQ(read(0x44).outcome, Outcome::kJoined);
}

TEST_F(MshrsTest, AnMshrIsReusedAfterItsFillWithoutTheOldWaiters) {
    const Registers::Index index = read(0x20, requests[1]).index;
    read(0x40);
    arrive(index);
    const Registers::Place next = read(0x60, requests[2]);
    EXPECT_EQ(next.outcome, Outcome::kNew);
    EXPECT_EQ(next.index, index);
    EXPECT_TRUE(mshrs.open(index));
    EXPECT_THAT(arrive(index), ::testing::ElementsAre(2));
}

TEST_F(MshrsTest, ADetachedFillTakesNoMoreRequests) {
    const Registers::Index index = read(0x20, requests[1]).index;
    mshrs.detach(0x2f, 1);
    EXPECT_FALSE(mshrs.open(index));
    EXPECT_EQ(read(0x20, requests[2]).outcome, Outcome::kNew) << "a fill after the change";
    EXPECT_THAT(arrive(index), ::testing::ElementsAre(1)) << "the older read is served by the old one";
}

TEST_F(MshrsTest, DetachLeavesTheFillsOfOtherLines) {
    const Registers::Index index = read(0x20).index;
    mshrs.detach(0x30, 16);
    mshrs.detach(0x10, 16);
    EXPECT_TRUE(mshrs.open(index));
    mshrs.detach_all();
    EXPECT_FALSE(mshrs.open(index));
}

TEST_F(MshrsTest, BytesAreAwaitedWhileTheirFillMayFail) {
    const Registers::Index index = read(0x24).index;
    EXPECT_TRUE(mshrs.awaits(0x26, 1));
    EXPECT_TRUE(mshrs.awaits(0x20, 5));
    EXPECT_FALSE(mshrs.awaits(0x28, 4)) << "of the same line, but not what is read";
    EXPECT_FALSE(mshrs.awaits(0x20, 4));
    mshrs.data_in_hand(index, 1);
    EXPECT_FALSE(mshrs.awaits(0x24, 4));
    arrive(index);
    read(0x44);
    EXPECT_TRUE(mshrs.awaits(0x44, 1)) << "the next fill in this register is not in hand";
}

TEST_F(MshrsTest, AReadThatHasAllInHandNeedNotWait) {
    const Registers::Place place = mshrs.reserve(0x20, 1);
    mshrs.data_in_hand(place.index, place.sectors);
    EXPECT_EQ(mshrs.in_hand(place.index), 1U);
    EXPECT_EQ(mshrs.waiting(), 0U);
    read(0x24, requests[1]);
    EXPECT_EQ(mshrs.waiting(), 1U);
    EXPECT_EQ(mshrs.under_way(place.index), 1U);
    EXPECT_THAT(arrive(place.index), ::testing::ElementsAre(1));
    EXPECT_EQ(mshrs.waiting(), 0U);
    EXPECT_EQ(mshrs.in_use(), 0U);
}

/// Lines of four sectors.
class SectorMshrsTest : public ::testing::Test {
  protected:
    /// A read of the whole line 0x20, of which `missing` is absent.
    Registers::Place read(Sectors missing, const int &request = kNobody) {
        return wait_for(mshrs, 0x20, missing, {&request, 0x20, kLine, 0});
    }
    struct Served {
        int request;
        Sectors sectors;
        bool last;
        bool operator==(const Served &) const = default;
    };
    std::vector<Served> arrive(Registers::Index index, Sectors sectors) {
        std::vector<Served> served;
        mshrs.arrived(index, sectors, [&](const Registers::Waiter &waiter, Sectors part, bool last) {
            served.push_back({*waiter.request, part, last});
        });
        return served;
    }
    std::vector<int> refuse(Registers::Index index, Sectors sectors) {
        std::vector<int> numbers;
        mshrs.refused(index, sectors, [&](const Registers::Waiter &waiter) { numbers.push_back(*waiter.request); });
        return numbers;
    }
    Registers mshrs{2, LineSize(kLine, 4)};
    const std::array<int, 4> requests{0, 1, 2, 3};
};

TEST_F(SectorMshrsTest, AMissTakesOneMshrForAllItsFetches) {
    const Registers::Place place = read(0b1101, requests[1]);
    EXPECT_EQ(place.outcome, Outcome::kNew);
    EXPECT_EQ(place.sectors, 0b1101U);
    EXPECT_EQ(mshrs.open(place.index), 0b1101U);
    EXPECT_THAT(arrive(place.index, 0b0001), ::testing::ElementsAre(Served{1, 0b0001, false}));
    EXPECT_EQ(mshrs.open(place.index), 0b1100U);
    EXPECT_THAT(arrive(place.index, 0b1100), ::testing::ElementsAre(Served{1, 0b1100, true}));
    EXPECT_EQ(read(0b0001).index, place.index) << "the register is free";
}

TEST_F(SectorMshrsTest, AMissWaitsForSectorsUnderWayAndFetchesTheRest) {
    const Registers::Index first = read(0b0011, requests[1]).index;
    const Registers::Place second = read(0b0110, requests[2]);
    EXPECT_EQ(second.outcome, Outcome::kNew);
    EXPECT_EQ(second.sectors, 0b0100U);
    EXPECT_EQ(read(0b0111, requests[3]).outcome, Outcome::kJoined) << "waits in both";
    EXPECT_EQ(read(0b1111).outcome, Outcome::kFull);
    EXPECT_THAT(arrive(second.index, 0b0100),
                ::testing::ElementsAre(Served{2, 0b0100, false}, Served{3, 0b0100, false}));
    EXPECT_THAT(arrive(first, 0b0011),
                ::testing::ElementsAre(Served{1, 0b0011, true}, Served{2, 0b0010, true}, Served{3, 0b0011, true}));
}

TEST_F(SectorMshrsTest, AChangeClosesOnlyTheSectorsItTouches) {
    const Registers::Index first = read(0b0111, requests[1]).index;
    mshrs.detach(0x24, 4);
    EXPECT_EQ(mshrs.open(first), 0b0101U);
    const Registers::Place second = read(0b0111, requests[2]);
    EXPECT_EQ(second.sectors, 0b0010U) << "a fill after the change";
    EXPECT_THAT(arrive(first, 0b0111), ::testing::ElementsAre(Served{1, 0b0111, true}, Served{2, 0b0101, false}));
    EXPECT_THAT(arrive(second.index, 0b0010), ::testing::ElementsAre(Served{2, 0b0010, true}));
}

TEST_F(SectorMshrsTest, ARequestWithARefusedFillWaitsForNothingElse) {
    const Registers::Index first = read(0b0011, requests[1]).index;
    const Registers::Index second = read(0b1110, requests[2]).index;
    EXPECT_THAT(refuse(second, 0b1100), ::testing::ElementsAre(2));
    EXPECT_THAT(arrive(first, 0b0011), ::testing::ElementsAre(Served{1, 0b0011, true}));
    EXPECT_EQ(read(0b0001).outcome, Outcome::kNew);
    EXPECT_EQ(read(0b0010).outcome, Outcome::kNew) << "both registers are free";
}

TEST_F(SectorMshrsTest, AfterARefusedFillAnMshrIsHeldByItsOtherFills) {
    const Registers::Index index = read(0b1001, requests[1]).index;
    EXPECT_THAT(refuse(index, 0b0001), ::testing::ElementsAre(1));
    EXPECT_EQ(read(0b1000, requests[2]).outcome, Outcome::kJoined);
    EXPECT_THAT(arrive(index, 0b1000), ::testing::ElementsAre(Served{2, 0b1000, true}));
}

TEST_F(SectorMshrsTest, AllBytesOfAReadAreAwaitedWhileOneOfItsFillsMayFail) {
    const Registers::Index index = read(0b1001).index; // the others are present
    EXPECT_TRUE(mshrs.awaits(0x24, 4));
    mshrs.data_in_hand(index, 0b0001);
    EXPECT_TRUE(mshrs.awaits(0x20, 4));
    EXPECT_TRUE(mshrs.awaits(0x24, 4));
    mshrs.data_in_hand(index, 0b1000);
    EXPECT_FALSE(mshrs.awaits(0x20, kLine));
}

class LineOrderTest : public MshrsTest {
  protected:
    LineOrderTest() { lines.install(0x20, 1, std::array<std::uint8_t, kLine>{}.data()); }
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
    EXPECT_FALSE(mshrs.open(index));
    order.write(0x20, 16);
    EXPECT_TRUE(lines.present(0x20)) << "the owner writes to them";
    EXPECT_EQ(order.changes(), 2U);
}

TEST_F(LineOrderTest, AChangeThatIsNotSeenDetachesFillsAndDropsLines) {
    const Registers::Index index = read(0x34).index;
    order.change_unseen(0x2c, 8);
    EXPECT_FALSE(mshrs.open(index));
    EXPECT_FALSE(lines.present(0x20));
}

TEST(LineOrder, AChangeIsOfItsSectorsOnly) {
    Registers mshrs(1, LineSize(kLine, 4));
    Lines lines(64, LineSize(kLine, 4), 2);
    LineOrder<const int> order(lines, mshrs);
    lines.install(0x20, 0b0011, std::array<std::uint8_t, kLine>{}.data());
    const Registers::Index index = wait_for(mshrs, 0x20, 0b1100, {&kNobody, 0x28, 8, 0}).index;
    order.change_unseen(0x26, 4);
    EXPECT_EQ(lines.present(0x20), 0b0001U);
    EXPECT_EQ(mshrs.open(index), 0b1000U);
}

TEST_F(LineOrderTest, AWriteThatComesBackIsKnownByTheAddressWithWhichItWentDownAndLeavesAllAsItIs) {
    const std::array<int, 2> writes{0, 1};
    order.sent(writes[0], 0x20);
    order.sent(writes[1], 0x60);
    const Registers::Index index = read(0x24).index;
    EXPECT_EQ(order.ended(writes[0]), 0x20U);
    EXPECT_EQ(order.ended(writes[1]), 0x60U);
    EXPECT_TRUE(lines.present(0x20));
    EXPECT_TRUE(mshrs.open(index));
    EXPECT_EQ(order.changes(), 0U);
}

TEST_F(LineOrderTest, WritesThatAreNotUnderWayAreUnknown) {
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
    EXPECT_FALSE(lines.present(0x20));
    EXPECT_FALSE(mshrs.open(index));
    EXPECT_EQ(order.changes(), 1U);
}

} // namespace
} // namespace smsim::memory::l1

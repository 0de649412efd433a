// Byte stores, the bandwidth calendar and the L0 tags: the plain cores of the memories.
#include <array>

#include <gtest/gtest.h>

#include "memory/address_ranges.h"
#include "memory/bandwidth.h"
#include "memory/byte_store.h"
#include "memory/l0_cache.h"

namespace smsim::memory {
namespace {

TEST(ByteStore, ContainsDoesNotOverflow) {
    const ByteStore store(16);
    EXPECT_TRUE(store.contains(0, 16));
    EXPECT_TRUE(store.contains(15, 1));
    EXPECT_FALSE(store.contains(15, 2));
    EXPECT_FALSE(store.contains(~0ULL, 2));
    EXPECT_FALSE(store.contains(1, ~0ULL));
}

TEST(AddressRanges, HoldAccessesThatLieInOneOfThem) {
    AddressRanges ranges;
    EXPECT_FALSE(ranges.holds(0, 1));
    ranges.add(0x200, 0x2ff);
    ranges.add(0x100, 0x1ff);
    ranges.add(~std::uint64_t{0} - 15, ~std::uint64_t{0});
    EXPECT_TRUE(ranges.holds(0x100, 0x100));
    EXPECT_TRUE(ranges.holds(0x2ff, 1));
    EXPECT_FALSE(ranges.holds(0x1ff, 2)) << "neighbours stay apart";
    EXPECT_FALSE(ranges.holds(0xff, 1));
    EXPECT_FALSE(ranges.holds(0x300, 1));
    EXPECT_TRUE(ranges.holds(~std::uint64_t{0}, 1));
    EXPECT_FALSE(ranges.holds(~std::uint64_t{0}, 2));
}

TEST(AddressRanges, ThatShareAddressesBecomeOne) {
    AddressRanges ranges;
    ranges.add(0x100, 0x1ff);
    ranges.add(0x300, 0x3ff);
    ranges.add(0x500, 0x5ff);
    ranges.add(0x180, 0x300);
    EXPECT_TRUE(ranges.holds(0x100, 0x300));
    EXPECT_FALSE(ranges.holds(0x400, 1));
    EXPECT_TRUE(ranges.holds(0x500, 0x100));
}

TEST(PagedStore, ReadsZerosWithoutMakingPages) {
    const PagedStore store;
    std::array<std::uint8_t, 4> bytes{1, 2, 3, 4};
    store.read(0x123456789, bytes.data(), bytes.size());
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 4>{}));
    EXPECT_EQ(store.pages(), 0U);
}

TEST(PagedStore, FillingWithZerosMakesNoPages) {
    PagedStore store;
    std::vector<std::uint8_t> bytes(3 * PagedStore::kPageBytes);
    store.fill(100, bytes.data(), bytes.size());
    EXPECT_EQ(store.pages(), 0U);
    bytes[2 * PagedStore::kPageBytes] = 7;
    store.fill(0, bytes.data(), bytes.size());
    EXPECT_EQ(store.pages(), 1U);
    std::uint8_t found = 0;
    store.read(2 * PagedStore::kPageBytes, &found, 1);
    EXPECT_EQ(found, 7);
    bytes[2 * PagedStore::kPageBytes] = 0;
    store.fill(0, bytes.data(), bytes.size());
    store.read(2 * PagedStore::kPageBytes, &found, 1);
    EXPECT_EQ(found, 0) << "a page that is there is written";
}

TEST(PagedStore, AccessesCrossPages) {
    PagedStore store;
    const std::array<std::uint8_t, 4> bytes{1, 2, 3, 4};
    store.write(PagedStore::kPageBytes - 2, bytes.data(), bytes.size());
    std::array<std::uint8_t, 6> back{};
    store.read(PagedStore::kPageBytes - 3, back.data(), back.size());
    EXPECT_EQ(back, (std::array<std::uint8_t, 6>{0, 1, 2, 3, 4, 0}));
    EXPECT_EQ(store.pages(), 2U);
}

TEST(PagedStore, PagesThatShareALookAsideEntryKeepApart) {
    PagedStore store;
    for (std::uint8_t i = 0; i < 4; ++i) {
        store.write(std::uint64_t{i} * 16 * PagedStore::kPageBytes, &i, 1);
    }
    for (std::uint8_t i = 0; i < 4; ++i) {
        std::uint8_t back = 99;
        store.read(std::uint64_t{i} * 16 * PagedStore::kPageBytes, &back, 1);
        EXPECT_EQ(back, i);
    }
}

TEST(Bandwidth, ShortTransfersShareACycleAndLongOnesTakeSeveral) {
    Bandwidth path(64);
    EXPECT_EQ(path.reserve(0, 10, 32), 10U);
    EXPECT_EQ(path.reserve(0, 10, 32), 10U);
    EXPECT_EQ(path.reserve(0, 10, 128), 12U);
    EXPECT_EQ(path.busy_cycles(), 3U);
}

TEST(Bandwidth, AnEarlierArrivalDoesNotQueueAfterALaterOne) {
    Bandwidth path(64);
    EXPECT_EQ(path.reserve(0, 20, 64), 20U);
    EXPECT_EQ(path.reserve(0, 10, 64), 10U);
    EXPECT_EQ(path.reserve(0, 19, 128), 22U) << "does not fit into the one free cycle before";
    EXPECT_EQ(path.reserve(0, 19, 64), 19U);
    EXPECT_EQ(path.reserve(0, 19, 64), 23U);
}

TEST(L0Cache, AMissBringsTheStreamAndTheStreamGoesOn) {
    L0Cache cache({.capacity = 8, .prefetch = 2, .hit = 1, .miss = 39, .period = 1});
    cache.add_program(20);
    EXPECT_EQ(cache.fetch(0, 0).done, 39U);
    EXPECT_EQ(cache.fetch(0, 50).done, 51U);
    const L0Cache::Answer ahead = cache.fetch(1, 60);
    EXPECT_TRUE(ahead.is_hit);
    EXPECT_EQ(ahead.done, 61U);
    EXPECT_TRUE(cache.fetch(2, 61).is_hit);
    const L0Cache::Answer on_its_way = cache.fetch(3, 62); // requested at the first use of line 1, at 60
    EXPECT_FALSE(on_its_way.is_hit);
    EXPECT_EQ(on_its_way.done, 99U);
    EXPECT_FALSE(cache.fetch(10, 200).is_hit);
}

TEST(L0Cache, TheLeastRecentlyUsedLineGoes) {
    L0Cache cache({.capacity = 2, .prefetch = 0, .hit = 1, .miss = 10, .period = 1});
    cache.add_program(4);
    cache.fetch(0, 0);
    cache.fetch(1, 20);
    EXPECT_TRUE(cache.fetch(0, 40).is_hit);
    EXPECT_FALSE(cache.fetch(2, 60).is_hit); // line 1 leaves
    EXPECT_TRUE(cache.fetch(0, 80).is_hit);
    EXPECT_FALSE(cache.fetch(1, 100).is_hit);
}

TEST(L0Cache, AStreamEndsWithItsProgram) {
    L0Cache cache({.capacity = 8, .prefetch = 4, .hit = 1, .miss = 10, .period = 1});
    EXPECT_EQ(cache.add_program(2), 0U);
    EXPECT_EQ(cache.add_program(3), 2U);
    cache.fetch(1, 0);
    EXPECT_FALSE(cache.fetch(2, 100).is_hit) << "of the next program";
    EXPECT_TRUE(cache.fetch(3, 200).is_hit);
    EXPECT_TRUE(cache.fetch(4, 201).is_hit);
}

TEST(L0Cache, AStreamNeverPushesOutTheLineThatItFollows) {
    L0Cache cache({.capacity = 2, .prefetch = 8, .hit = 1, .miss = 10, .period = 1});
    cache.add_program(9);
    cache.fetch(0, 0);
    EXPECT_TRUE(cache.fetch(0, 20).is_hit);
    EXPECT_TRUE(cache.fetch(1, 30).is_hit);
}

} // namespace
} // namespace smsim::memory

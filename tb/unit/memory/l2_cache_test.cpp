// The L2: its contents, when the missing part arrives, and what is written back to DRAM.
#include <gtest/gtest.h>

#include "memory/l2_cache.h"
#include "memory/path_load.h"
#include "model/error.h"

namespace smsim::memory {
namespace {

/// Two sets of two lines of four sectors; a miss takes 100 more cycles, and a cycle of DRAM's path.
L2Config small() {
    L2Config config;
    config.bytes = 512;
    config.line_bytes = 128;
    config.sector_bytes = 32;
    config.ways = 2;
    config.miss_latency = 100;
    config.dram_bytes_per_cycle = 32;
    return config;
}

GlobalMemoryStats stats_of(const L2Cache &l2) {
    GlobalMemoryStats stats;
    l2.collect(stats);
    return stats;
}

TEST(L2Cache, AMissComesFromDramAndThenHits) {
    L2Cache l2(small());
    EXPECT_EQ(l2.read(0x40, 4, 10, 10), 110U);
    EXPECT_EQ(l2.read(0x44, 4, 200, 200), 200U);
    EXPECT_EQ(stats_of(l2).l2_hits, 1U);
    EXPECT_EQ(stats_of(l2).l2_misses, 1U);
}

TEST(L2Cache, AMissBringsItsSectorsOnly) {
    L2Cache l2(small());
    EXPECT_EQ(l2.read(0x10, 0x20, 10, 10), 111U) << "two sectors, one after the other";
    EXPECT_EQ(l2.read(0x00, 0x40, 500, 500), 500U);
    EXPECT_EQ(l2.read(0x40, 4, 600, 600), 700U) << "the same line";
    EXPECT_EQ(stats_of(l2).l2_misses, 3U);
    EXPECT_EQ(stats_of(l2).dram_busy_cycles, 3U);
}

TEST(L2Cache, SectorsUnderWayAreNotFetchedAgain) {
    L2Cache l2(small());
    l2.read(0, 4, 10, 10);
    EXPECT_EQ(l2.read(8, 4, 50, 50), 110U) << "when the first one arrives";
    EXPECT_EQ(l2.read(8, 4, 120, 120), 120U);
    EXPECT_EQ(stats_of(l2).l2_misses, 1U);
}

TEST(L2Cache, TheLeastRecentlyUsedLineIsEvicted) {
    L2Cache l2(small());
    l2.read(0x000, 4, 0, 0); // set 0
    l2.read(0x100, 4, 1000, 1000);
    l2.read(0x000, 4, 2000, 2000);
    l2.read(0x080, 4, 2500, 2500); // set 1
    l2.read(0x200, 4, 3000, 3000); // in place of 0x100
    EXPECT_EQ(l2.read(0x000, 4, 4000, 4000), 4000U);
    EXPECT_EQ(l2.read(0x080, 4, 4000, 4000), 4000U);
    EXPECT_EQ(l2.read(0x100, 4, 5000, 5000), 5100U);
}

TEST(L2Cache, AStoreFetchesNothingAndIsWrittenBackWhenItsLineGoes) {
    L2Cache l2(small());
    l2.write(0x00, 0x48, 0, 0); // three sectors
    EXPECT_EQ(l2.read(0x20, 4, 10, 10), 10U);
    EXPECT_EQ(stats_of(l2).l2_misses, 3U);
    EXPECT_EQ(stats_of(l2).dram_busy_cycles, 0U);
    l2.read(0x100, 4, 1000, 1000);
    EXPECT_EQ(stats_of(l2).l2_write_backs, 0U);
    l2.read(0x200, 4, 2000, 2000);
    EXPECT_EQ(stats_of(l2).l2_write_backs, 3U);
    EXPECT_EQ(stats_of(l2).dram_busy_cycles, 2U + 3);
    l2.read(0x300, 4, 3000, 3000); // that of 0x100 is unchanged from DRAM
    EXPECT_EQ(stats_of(l2).l2_write_backs, 3U);
}

TEST(L2Cache, DramHasOnePath) {
    L2Config config = small();
    config.dram_bytes_per_cycle = 8;
    L2Cache l2(config);
    EXPECT_EQ(l2.read(0x000, 4, 0, 0), 103U) << "four cycles for a sector";
    EXPECT_EQ(l2.read(0x080, 4, 0, 0), 107U);
    EXPECT_EQ(l2.read(0x100, 4, 0, 50), 153U);
}

TEST(L2Cache, DataWrittenByTheHostIsPresent) {
    L2Cache l2(small());
    l2.hold(0x000, 0x300);
    l2.hold(0, 0);
    EXPECT_EQ(l2.read(0x2fc, 4, 10, 10), 10U);
    EXPECT_EQ(l2.read(0x100, 128, 10, 10), 10U);
    EXPECT_EQ(l2.read(0x000, 4, 10, 10), 110U) << "more than it holds: the first lines have made room";
    EXPECT_EQ(stats_of(l2).l2_misses, 1U);
}

TEST(L2Cache, AMissWaitsLongerTheMoreOfDramIsUsed) {
    L2Config config = small();
    config.loaded_latency = 1024;
    config.dram_bytes_per_cycle = 1;
    L2Cache l2(config);
    EXPECT_EQ(l2.read(0x000, 4, 0, 0), 131U) << "nothing has been used";
    EXPECT_EQ(l2.read(0x100, 4, 500, 500), 500U + 131 + 32) << "32 of 1024 bytes";
    EXPECT_EQ(l2.read(0x200, 4, 1536, 1536), 1536U + 131 + 32) << "half of the previous window counts";
    EXPECT_EQ(l2.read(0x300, 4, 9000, 9000), 9131U) << "that is long ago";
}

TEST(PathLoad, CountsTheBytesOfTheLastWindow) {
    PathLoad load(2);
    load.add(100, 1024);
    EXPECT_EQ(load.share_of(100, 100), 50U);
    load.add(90, 4096);
    EXPECT_EQ(load.share_of(100, 90), 100U) << "not more than all";
    EXPECT_EQ(load.share_of(100, 3 * PathLoad::kWindow), 0U);
    load.add(3 * PathLoad::kWindow, 2048);
    EXPECT_EQ(load.share_of(100, 4 * PathLoad::kWindow), 100U);
    EXPECT_EQ(load.share_of(100, 4 * PathLoad::kWindow + 256), 75U);
}

/// Two partitions of two sets of two lines; line 0 has its home in the near one, line 1 in the far one.
L2Config halves() {
    L2Config config = small();
    config.bytes = 1024;
    config.partitions = 2;
    config.far_latency = 7;
    return config;
}

TEST(L2CachePartitions, ALineOfTheFarHalfComesThroughItAndHasACopyNear) {
    L2Cache l2(halves());
    EXPECT_EQ(l2.read(0x000, 4, 0, 0), 100U);
    EXPECT_EQ(l2.read(0x080, 4, 0, 200), 307U);
    EXPECT_EQ(l2.read(0x080, 4, 400, 400), 400U);
    EXPECT_EQ(stats_of(l2).l2_misses, 2U);
    EXPECT_EQ(stats_of(l2).l2_hits, 1U);
}

TEST(L2CachePartitions, WhatTheNearHalfHasLostComesFromTheFarHomeOrFromDram) {
    L2Cache l2(halves());
    for (const std::uint64_t line : {1, 7, 13, 0, 6, 10}) { // far homes, then near ones; sets 1, 1, 1 and 0, 0, 0
        l2.read(0x80 * line, 4, 0, 0);
    }
    EXPECT_EQ(l2.read(0x80 * 1, 4, 1000, 1000), 1100U + 7) << "the far set holds two of its three lines";
    EXPECT_EQ(l2.read(0x80 * 0, 4, 1000, 1000), 1101U) << "a second place for lines of the near half there is not";
    l2.read(0x80 * 3, 4, 2000, 2000); // its home is near: takes a place of the near set only
    l2.read(0x80 * 5, 4, 2000, 2000);
    EXPECT_EQ(l2.read(0x80 * 13, 4, 3000, 3000), 3007U) << "from the far half";
    EXPECT_EQ(l2.read(0x80 * 13, 4, 3100, 3100), 3100U);
}

TEST(L2CachePartitions, StoresGoToTheHome) {
    L2Cache l2(halves());
    l2.write(0x00, 4, 0, 0);
    l2.write(0x80, 4, 0, 0);
    EXPECT_EQ(l2.read(0x00, 4, 100, 100), 100U);
    EXPECT_EQ(l2.read(0x80, 4, 100, 100), 107U);
    EXPECT_EQ(stats_of(l2).l2_misses, 2U) << "of the stores";
}

TEST(L2Cache, ClearsItsCountersButKeepsItsLines) {
    L2Cache l2(small());
    l2.read(0, 4, 0, 0);
    l2.clear_statistics(0);
    EXPECT_EQ(stats_of(l2).l2_misses + stats_of(l2).dram_busy_cycles, 0U);
    EXPECT_EQ(l2.read(0, 4, 500, 500), 500U) << "what was there is there";
}

TEST(L2Cache, FiguresWithoutWholeSetsAreRefused) {
    for (const auto &spoil : {+[](L2Config &c) { c.bytes = 500; }, +[](L2Config &c) { c.sector_bytes = 48; },
                              +[](L2Config &c) { c.ways = 0; }, +[](L2Config &c) { c.dram_bytes_per_cycle = 0; },
                              +[](L2Config &c) {
                                  c.line_bytes = c.bytes = 8192;
                                  c.ways = 1;
                              }}) {
        L2Config config = small();
        spoil(config);
        EXPECT_THROW(L2Cache{config}, InputError);
    }
}

} // namespace
} // namespace smsim::memory

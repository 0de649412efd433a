// Merging of thread addresses into transactions: examples for each rule, and random accesses compared with a reference
// that marks single bytes.
#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/load_store/coalescer.h"

namespace smsim::sm {

static bool operator==(const Piece &a, const Piece &b) {
    return std::tie(a.address, a.lane, a.bytes, a.word) == std::tie(b.address, b.lane, b.bytes, b.word);
}

namespace {

using ::testing::ElementsAre;

Piece piece(std::uint64_t address, unsigned bytes, unsigned lane = 0, unsigned word = 0) {
    return {address, static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(bytes),
            static_cast<std::uint8_t>(word)};
}

/// A transaction with its own pieces.
struct Merged {
    explicit Merged(const Transaction &from)
        : address(from.address), bytes(from.bytes), dense(from.dense), pieces(from.pieces.begin(), from.pieces.end()) {}
    std::uint64_t address;
    std::uint32_t bytes;
    bool dense;
    std::vector<Piece> pieces;
};

std::vector<Merged> merged_by(Coalescer &coalescer, const std::vector<Piece> &pieces, std::uint32_t row = 128,
                              std::uint32_t granule = 1) {
    const std::span<const Transaction> transactions = coalescer.merge(pieces, row, granule);
    return {transactions.begin(), transactions.end()};
}

std::vector<Merged> merged(const std::vector<Piece> &pieces, std::uint32_t row = 128, std::uint32_t granule = 1) {
    Coalescer coalescer;
    return merged_by(coalescer, pieces, row, granule);
}

std::vector<unsigned> lanes_of(const Merged &transaction) {
    std::vector<unsigned> lanes;
    for (const Piece &p : transaction.pieces) {
        lanes.push_back(p.lane);
    }
    return lanes;
}

TEST(Coalescer, NoPieceGivesNoTransaction) {
    EXPECT_TRUE(merged({}).empty());
}

TEST(Coalescer, AWarpOfNeighbouringWordsIsOneTransaction) {
    std::vector<Piece> pieces;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        pieces.push_back(piece(0x1000 + 4 * lane, 4, lane));
    }
    const auto out = merged(pieces);
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].address, 0x1000U);
    EXPECT_EQ(out[0].bytes, 128U);
    EXPECT_TRUE(out[0].dense);
    EXPECT_EQ(out[0].pieces, pieces);
}

TEST(Coalescer, SplitsAtRows) {
    const auto out = merged({piece(124, 4, 0), piece(128, 4, 1), piece(132, 4, 2)});
    ASSERT_EQ(out.size(), 2U);
    EXPECT_EQ(out[0].address, 124U);
    EXPECT_EQ(out[0].bytes, 4U);
    EXPECT_EQ(out[1].address, 128U);
    EXPECT_EQ(out[1].bytes, 8U);
    EXPECT_THAT(lanes_of(out[1]), ElementsAre(1, 2));
}

TEST(Coalescer, TransactionsComeInTheOrderOfTheFirstPieceOfTheirRow) {
    const auto out = merged({piece(512, 4, 0), piece(0, 4, 1), piece(516, 4, 2), piece(256, 4, 3), piece(4, 4, 4)});
    ASSERT_EQ(out.size(), 3U);
    EXPECT_EQ(out[0].address, 512U);
    EXPECT_EQ(out[1].address, 0U);
    EXPECT_EQ(out[2].address, 256U);
    EXPECT_THAT(lanes_of(out[0]), ElementsAre(0, 2));
    EXPECT_THAT(lanes_of(out[1]), ElementsAre(1, 4));
}

TEST(Coalescer, RangeReachesFromTheLowestToTheHighestByteInAnyOrder) {
    const auto out = merged({piece(40, 4, 0), piece(8, 4, 1), piece(100, 4, 2)});
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].address, 8U);
    EXPECT_EQ(out[0].bytes, 96U);
}

TEST(Coalescer, AHoleOfOneByteMakesItSparse) {
    EXPECT_TRUE(merged({piece(0, 1), piece(1, 1), piece(2, 1)})[0].dense);
    EXPECT_FALSE(merged({piece(0, 1), piece(2, 1)})[0].dense);
}

TEST(Coalescer, LanesAtOneAddressShareItAndStayInOrder) {
    const auto out = merged({piece(64, 4, 3), piece(64, 4, 7), piece(64, 4, 9)});
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].bytes, 4U);
    EXPECT_TRUE(out[0].dense);
    EXPECT_THAT(lanes_of(out[0]), ElementsAre(3, 7, 9));
}

TEST(Coalescer, GranuleWidensBothEnds) {
    const auto out = merged({piece(36, 4), piece(68, 4)}, 128, 32);
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].address, 32U);
    EXPECT_EQ(out[0].bytes, 64U);
    EXPECT_FALSE(out[0].dense);
}

TEST(Coalescer, WidePiecesOfAWarpFillRowByRow) {
    for (const unsigned bytes : {8U, 16U}) {
        std::vector<Piece> pieces;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            pieces.push_back(piece(std::uint64_t{bytes} * lane, bytes, lane));
        }
        const auto out = merged(pieces);
        ASSERT_EQ(out.size(), bytes / 4);
        for (const Merged &transaction : out) {
            EXPECT_EQ(transaction.bytes, 128U);
            EXPECT_TRUE(transaction.dense);
            EXPECT_EQ(transaction.pieces.size(), 128 / bytes);
        }
    }
}

TEST(Coalescer, AWidePieceAfterANarrowOneIsCountedWhole) {
    // 16 bytes that start 60 bytes after the first byte of the transaction.
    std::vector<Piece> pieces;
    for (unsigned at = 4; at < 64; at += 4) {
        pieces.push_back(piece(at, 4));
    }
    pieces.push_back(piece(64, 16));
    EXPECT_TRUE(merged(pieces)[0].dense);
}

TEST(Coalescer, TheLastRowOfTheAddressSpaceDoesNotWrapRound) {
    const std::uint64_t last = ~std::uint64_t{0} - 15;
    const auto out = merged({piece(last - 64, 16, 0), piece(last, 16, 1)});
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].address, last - 64);
    EXPECT_EQ(out[0].bytes, 80U);
}

TEST(Coalescer, StorageIsReusedWithoutTracesOfTheAccessBefore) {
    Coalescer coalescer;
    ASSERT_EQ(merged_by(coalescer, {piece(0, 4, 0), piece(8, 4, 1), piece(128, 4, 2)}).size(), 2U);
    ASSERT_EQ(merged_by(coalescer, {piece(0, 4, 0), piece(128, 4, 1), piece(8, 4, 2)}).size(), 2U);
    const auto out = merged_by(coalescer, {piece(256, 4, 5)});
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].address, 256U);
    EXPECT_EQ(out[0].bytes, 4U);
    EXPECT_TRUE(out[0].dense);
    EXPECT_THAT(lanes_of(out[0]), ElementsAre(5));
}

/// The rows of the access with the bytes it touches, one by one.
void check_against_bytes(const std::vector<Piece> &pieces, std::uint32_t row_bytes, std::uint32_t granule) {
    std::map<std::uint64_t, std::vector<Piece>> rows;
    std::vector<std::uint64_t> order;
    for (const Piece &p : pieces) {
        auto &row = rows[p.address / row_bytes];
        if (row.empty()) {
            order.push_back(p.address / row_bytes);
        }
        row.push_back(p);
    }
    const auto out = merged(pieces, row_bytes, granule);
    ASSERT_EQ(out.size(), order.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::vector<Piece> &expected = rows[order[i]];
        std::map<std::uint64_t, bool> touched;
        for (const Piece &p : expected) {
            for (unsigned b = 0; b < p.bytes; ++b) {
                touched[p.address + b] = true;
            }
        }
        std::uint64_t first = touched.begin()->first;
        std::uint64_t end = touched.rbegin()->first + 1;
        first -= first % granule;
        end += (granule - end % granule) % granule;
        EXPECT_EQ(out[i].pieces, expected);
        EXPECT_EQ(out[i].address, first);
        EXPECT_EQ(out[i].bytes, end - first);
        EXPECT_EQ(out[i].dense, touched.size() == end - first);
    }
}

TEST(Coalescer, RandomAccessesAgreeWithMarkingSingleBytes) {
    std::mt19937_64 random(20240607);
    constexpr std::uint32_t kRows[] = {32, 64, 128, 256};
    constexpr std::uint32_t kGranules[] = {1, 4, 32};
    for (unsigned round = 0; round < 3000; ++round) {
        const unsigned bytes = 1U << (random() % 5);
        const std::uint64_t span = std::uint64_t{64} << (random() % 5);
        const std::uint64_t base = random() % 0x10000 / 16 * 16;
        std::vector<Piece> pieces;
        const unsigned count = 1 + static_cast<unsigned>(random() % kLanes);
        for (unsigned lane = 0; lane < count; ++lane) {
            const std::uint64_t address = base + random() % span / bytes * bytes;
            pieces.push_back(piece(address, bytes, lane, static_cast<unsigned>(random() % 4)));
        }
        const auto row = kRows[random() % 4];
        check_against_bytes(pieces, row, kGranules[random() % 3]);
        if (HasFailure()) {
            FAIL() << "round " << round;
        }
    }
}

/// The addresses of 32 lanes: `first + lane * step`.
std::array<std::uint64_t, kLanes> addresses(std::uint64_t first, std::uint64_t step) {
    std::array<std::uint64_t, kLanes> all{};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        all[lane] = first + lane * step;
    }
    return all;
}

AddressSpan span_of(const std::array<std::uint64_t, kLanes> &address, LaneMask lanes, std::uint32_t bytes) {
    AddressSpan span{.first = 1, .last = 2, .in_lane_order = true, .is_uniform = true, .is_aligned = true}; // stale
    span.cover(address, lanes, bytes);
    return span;
}

TEST(AddressSpan, NeighbouringWordsAreInLaneOrderAndBroadcastsAreNot) {
    const AddressSpan words = span_of(addresses(0x80, 4), LaneMask::all(), 4);
    EXPECT_EQ(words.first, 0x80U);
    EXPECT_EQ(words.bytes(), 128U);
    EXPECT_TRUE(words.in_lane_order);
    const AddressSpan broadcast = span_of(addresses(0x90, 0), LaneMask::all(), 16);
    EXPECT_EQ(broadcast.first, 0x90U);
    EXPECT_EQ(broadcast.bytes(), 16U);
    EXPECT_FALSE(broadcast.in_lane_order);
}

TEST(AddressSpan, OnlyActiveLanesCount) {
    auto some = addresses(0x80, 4);
    some[5] = 0xdead0001; // would be in another row
    const AddressSpan span = span_of(some, LaneMask(0x3c1c & ~0x20U), 4);
    EXPECT_EQ(span.first, 0x88U);
    EXPECT_EQ(span.bytes(), 48U);
    EXPECT_FALSE(span.in_lane_order); // lanes 2..4, then 10..13: with a gap
}

TEST(AddressSpan, OneThreadThatIsMisalignedMakesItSo) {
    EXPECT_TRUE(span_of(addresses(0x80, 8), LaneMask::all(), 8).is_aligned) << "in order";
    EXPECT_FALSE(span_of(addresses(0x84, 8), LaneMask::all(), 8).is_aligned);
    EXPECT_TRUE(span_of(addresses(0x88, 0), LaneMask::all(), 8).is_aligned) << "uniform";
    EXPECT_FALSE(span_of(addresses(0x81, 0), LaneMask::all(), 8).is_aligned);
    auto some = addresses(0x80, 64);
    EXPECT_TRUE(span_of(some, LaneMask::all(), 4).is_aligned);
    some[17] += 2;
    EXPECT_FALSE(span_of(some, LaneMask::all(), 4).is_aligned);
    EXPECT_TRUE(span_of(some, LaneMask(0xffff), 4).is_aligned) << "it does not take part";
    EXPECT_FALSE(span_of(some, LaneMask(0x30000), 4).is_aligned);
}

TEST(AddressSpan, LiesInOneRowOrNeedsAList) {
    EXPECT_TRUE(in_one_row(span_of(addresses(0x80, 4), LaneMask::all(), 4), 0x400, 128));
    EXPECT_FALSE(in_one_row(span_of(addresses(0xc0, 4), LaneMask::all(), 4), 0, 128)) << "two rows";
    EXPECT_FALSE(in_one_row(span_of(addresses(0x80, 4), LaneMask::all(), 4), 0x40, 128)) << "two rows by the offset";
}

} // namespace
} // namespace smsim::sm

// The maps of ldmatrix, stmatrix and movmatrix (tensor.md 1).
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "sm/datapath/compute/matrix/exchange.h"

namespace smsim::sm::compute::matrix::test {
namespace {

/// An 8x8 matrix in memory whose element in row r and column c is 256 * r + c.
ExchangeWords in_memory() {
    ExchangeWords words{};
    for (unsigned row = 0; row < 8; ++row) {
        for (unsigned word = 0; word < 4; ++word) {
            const unsigned first = 256 * row + 2 * word;
            words[row][word] = first | (first + 1) << 16;
        }
    }
    return words;
}

Row loaded(bool transposed) {
    Row row;
    std::memset(&row, 0xee, sizeof row);
    put_matrix(in_memory(), transposed, row);
    return row;
}

TEST(MatrixExchange, ALaneGetsTwoNeighboursOfARow) {
    const Row row = loaded(false);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        const unsigned first = 256 * (lane / 4) + 2 * (lane % 4);
        EXPECT_EQ(row.lane[lane], first | (first + 1) << 16);
    }
}

TEST(MatrixExchange, TransposedALaneGetsTwoNeighboursOfAColumn) {
    const Row row = loaded(true);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        const unsigned first = 256 * (2 * (lane % 4)) + lane / 4;
        EXPECT_EQ(row.lane[lane], first | (first + 256) << 16);
    }
}

TEST(MatrixExchange, StoringIsTheInverseOfLoading) {
    for (const bool transposed : {false, true}) {
        EXPECT_EQ(take_matrix(loaded(transposed), transposed), in_memory());
    }
}

TEST(MatrixExchange, MovmatrixTransposesAndMayWriteItsSource) {
    Row moved;
    transpose8x8(loaded(false), moved);
    const Row expected = loaded(true);
    EXPECT_EQ(std::memcmp(&moved, &expected, sizeof moved), 0);
    transpose8x8(moved, moved);
    const Row original = loaded(false);
    EXPECT_EQ(std::memcmp(&moved, &original, sizeof moved), 0);
}

TEST(MatrixExchange, RowAddressesComeFromEightLanesForEachMatrix) {
    EXPECT_EQ(address_lane(0, 0), 0U);
    EXPECT_EQ(address_lane(1, 7), 15U);
    EXPECT_EQ(address_lane(3, 2), 26U);
    EXPECT_EQ(place_of_element(3, 5, false), (RegisterHalf{14, 16}));
    EXPECT_EQ(place_of_element(3, 5, true), (RegisterHalf{21, 16}));
}

} // namespace
} // namespace smsim::sm::compute::matrix::test

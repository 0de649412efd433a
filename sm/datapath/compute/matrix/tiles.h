// The operands of one matrix product as rows and columns of registers' words, which the arithmetic works on, and the
// way there from the rows of lanes that registers are, and back.
//
// The elements within a word of A or B stay packed: they have to be unpacked anyway, and the order in which products
// are added does not matter within a block.
#pragma once

#include <cstdint>

#include "sm/datapath/compute/matrix/operation.h"
#include "sm/datapath/compute/registers.h"

namespace smsim::sm::compute::matrix {

inline constexpr unsigned kMaxRows = 16;
inline constexpr unsigned kColumns = 8;
/// Lanes of a group: those that hold neighbours of one row or column.
inline constexpr unsigned kGroup = 4;
/// The lower of two elements of 16 bits in a word.
inline constexpr std::uint32_t kHalf = 0xffff;
/// Most words of a row of A, and of a column of B (sparse operations).
inline constexpr unsigned kMaxWordsA = 8;
inline constexpr unsigned kMaxWordsB = 16;

/// One product of m x 8. Rows of A follow each other without gaps.
struct Tile {
    unsigned rows = 0;
    unsigned words_a = 0;                               ///< of a row of A
    unsigned words_b = 0;                               ///< of a column of B
    alignas(64) std::uint32_t a[kMaxRows * kMaxWordsA]; ///< [row][word]
    alignas(64) std::uint32_t b[kMaxWordsB * kColumns]; ///< [word][column]
    alignas(64) std::uint32_t c[kMaxRows * kColumns];   ///< [row][column], f16 in the lower half; later D
};

/// Takes A, B and C of product `product` from registers. Not for f64.
void gather(const MatrixOperation &op, unsigned product, const Row *const *a, const Row *const *b, const Row *const *c,
            Tile &tile);

/// Writes D, which is in tile.c, to registers.
void scatter(const MatrixOperation &op, unsigned product, const Tile &tile, Row *const *d);

} // namespace smsim::sm::compute::matrix

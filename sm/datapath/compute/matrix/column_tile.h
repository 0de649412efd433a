// The operands of a dense product with 16 rows of D, laid out for vectors of the rows of one column: words of A next to
// those of the other rows, words of B next to those of the same column. tiles.h has the layout for all other products.
#pragma once

#include <cstdint>

#include "sm/datapath/compute/matrix/operation.h"
#include "sm/datapath/compute/matrix/tiles.h"
#include "sm/datapath/compute/registers.h"

namespace smsim::sm::compute::matrix {

struct ColumnTile {
    unsigned words = 0;                                 ///< of a row of A and of a column of B
    alignas(64) std::uint32_t a[kMaxWordsA * kMaxRows]; ///< [word][row]
    alignas(64) std::uint32_t b[kColumns * kMaxWordsA]; ///< [column][word], without gaps
    alignas(64) std::uint32_t c[kColumns * kMaxRows];   ///< [column][row], f16 in the lower half; later D
};

/// True for products that have such a tile: dense, of block floats, with 16 rows.
constexpr bool has_column_tile(const MatrixOperation &op) {
    return op.m == kMaxRows && !op.sparse && is_block_float(op.a);
}

/// Takes A, B and C from registers.
void gather(const MatrixOperation &op, const Row *const *a, const Row *const *b, const Row *const *c, ColumnTile &tile);

/// Writes D, which is in tile.c, to registers.
void scatter(const MatrixOperation &op, const ColumnTile &tile, Row *const *d);

} // namespace smsim::sm::compute::matrix

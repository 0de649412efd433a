// Internal to sm/datapath/compute/matrix: the products of block floats and their sums.
#pragma once

#include "sm/datapath/compute/matrix/arithmetic.h"
#include "sm/datapath/compute/matrix/column_tile.h"
#include "sm/datapath/compute/matrix/planes.h"
#include "sm/datapath/compute/matrix/terms.h"
#include "sm/datapath/compute/matrix/tiles.h"

namespace smsim::sm::compute::matrix {

inline constexpr unsigned kMaxResults = kMaxRows * kColumns;

/// C, the accumulators and D as floats, in the order of the C of their tile; numbers of f16 are floats too.
struct Results {
    alignas(64) float of[kMaxResults];
};

/// A and B of a sum.
struct Factors {
    Planes a;
    Planes b;
};

/// Adds the products of block `block` to `results` by a rule (tensor.md 2), except for the infinities and NaNs of A and
/// B: where those count, results are wrong. `terms` is used if the operation is sparse.
void add_block(const MatrixOperation &op, const Tile &tile, const SumRule &rule, const Factors &factors,
               const Terms &terms, unsigned block, Results &results);

/// Whether the host has vectors of 64 bytes, which sums by columns need: others would do them number by number.
bool can_add_by_columns();

/// Adds the products of all blocks of a dense operation to `results`, which are [column][row] here. The same exception.
void add_blocks(const MatrixOperation &op, const ColumnTile &tile, const SumRule &rule, const Factors &factors,
                Results &results);

/// Rounds the exact sums of all products and `results` to nearest even, to f16 or f32. The same exception.
void add_exactly(const MatrixOperation &op, const Tile &tile, const Factors &factors, const Terms &terms,
                 Results &results);

} // namespace smsim::sm::compute::matrix

// Internal to sm/datapath/compute/matrix: the arithmetic of each kind of matrix instruction on tiles.
#pragma once

#include "sm/datapath/compute/matrix/arithmetic.h"
#include "sm/datapath/compute/matrix/column_tile.h"
#include "sm/datapath/compute/matrix/tiles.h"

namespace smsim::sm::compute::matrix {

/// Products of f16, bf16, tf32 or fp8: replaces C in the tile by D.
void multiply_floats(const MatrixOperation &op, Arithmetic arithmetic, bool zero_terms, const Row *metadata,
                     Tile &tile);
/// The same by columns, not for exact sums; false, and nothing has changed, if there are infinities or NaNs in A or
/// B.
bool multiply_floats(const MatrixOperation &op, Arithmetic arithmetic, bool zero_terms, ColumnTile &tile);
/// Products of s8, u8, s4 or u4.
void multiply_integers(const MatrixOperation &op, const Row *metadata, Tile &tile);
/// Products of single bits.
void multiply_bits(const MatrixOperation &op, Tile &tile);
/// Products of f64, from registers to registers.
void multiply_doubles(const MatrixOperation &op, const Row *const *a, const Row *const *b, const Row *const *c,
                      Row *const *d);

} // namespace smsim::sm::compute::matrix

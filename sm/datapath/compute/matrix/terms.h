// Internal to sm/datapath/compute/matrix: which elements of A and B are multiplied with each other, as offsets into
// planes.
#pragma once

#include <cstdint>

#include "sm/datapath/compute/matrix/planes.h"
#include "sm/datapath/compute/matrix/tiles.h"

namespace smsim::sm::compute::matrix {

inline constexpr unsigned kMaxTerms = 64; ///< products of an element of D

/// Where the factors of the products of an element of D are in the planes. `a` is to be added to the start of a row;
/// `b` gives column 0. The pairs are in an order in which the products of a block follow each other.
struct Terms {
    unsigned count = 0;
    std::uint16_t a[kMaxTerms];
    std::uint16_t b[kMaxTerms];                  ///< dense
    std::uint16_t b_of_row[kMaxRows][kMaxTerms]; ///< sparse: metadata decides for each row
};

/// How the products are ordered.
struct TermOrder {
    unsigned block;     ///< products of a block, at most as many as there are
    bool pairs = false; ///< products with k mod 4 in {0, 1} first, then the others
};

/// The terms of an operation whose elements have 32 / `parts` bits. `metadata` is used if the operation is sparse.
void list_terms(const MatrixOperation &op, const Tile &tile, TermOrder order, const Row *metadata, Terms &terms);

} // namespace smsim::sm::compute::matrix

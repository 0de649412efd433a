// Matrices of 8x8 elements of 16 bits in a register of a warp: the maps of ldmatrix, stmatrix and movmatrix (LDSM,
// STSM, MOVM; tensor.md 1).
//
// Such a matrix takes one register: lane t has elements 2 (t mod 4) and the next of row t / 4, the first in the lower
// half. With .trans the register has the transposed matrix. In memory a row is 16 bytes, little endian.
#pragma once

#include <array>
#include <cstdint>

#include "sm/datapath/compute/registers.h"

namespace smsim::sm::compute::matrix {

inline constexpr unsigned kExchangeRows = 8;

/// The lane whose address operand is that of row `row` (0..7) of matrix `matrix` (0..3) of an instruction. Addresses of
/// lanes that no row asks for are not looked at.
constexpr unsigned address_lane(unsigned matrix, unsigned row) {
    return kExchangeRows * matrix + row;
}

/// A half of a register: where element `element` (0..7) of row `row` (0..7) in memory is in the register.
struct RegisterHalf {
    unsigned lane;
    unsigned shift; ///< 0 or 16

    constexpr bool operator==(const RegisterHalf &) const = default;
};
constexpr RegisterHalf place_of_element(unsigned row, unsigned element, bool transposed) {
    const unsigned across = transposed ? element : row;
    const unsigned along = transposed ? row : element;
    return {4 * across + along / 2, 16 * (along % 2)};
}

/// The words of a matrix in memory, [row][word], two elements each.
using ExchangeWords = std::array<std::array<std::uint32_t, 4>, kExchangeRows>;

/// LDSM: a matrix in memory goes to a register.
void put_matrix(const ExchangeWords &words, bool transposed, Row &destination);

/// STSM: a matrix in a register goes to memory.
ExchangeWords take_matrix(const Row &source, bool transposed);

/// MOVM: the transposed matrix. `to` may be `from`.
void transpose8x8(const Row &from, Row &to);

} // namespace smsim::sm::compute::matrix

// Where the elements of matrices lie in the registers of a warp: the maps of mma, wmma, sparse metadata and the 8 x 8
// matrices of ldmatrix, as functions of the lane and of the element's number in the lane's registers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/isa/matrix/operation.h"
#include "ptx/matrix_form.h"

namespace smsim::ptx::interpreter {

/// What the lanes of a warp bring or get: of each lane the registers of an instruction, in the order of its operands.
using WarpRegisters = std::array<std::vector<std::uint64_t>, 32>;

/// What a matrix is to a product of mma: first source, second source, or accumulator and result.
enum class Role : std::uint8_t { kFirst, kSecond, kResult };

/// The place of an element. `product`: which of the four of m8n8k4; otherwise 0.
struct ElementPlace {
    unsigned product = 0;
    unsigned row = 0;
    unsigned column = 0;
    friend bool operator==(const ElementPlace &, const ElementPlace &) = default;
};

/// The place of element `index` of a lane in mma with n of 8. `m`: rows of the product; `width`: bits of an element. In
/// a sparse A a column is that of a stored element.
ElementPlace tile_place(Role role, unsigned m, unsigned width, unsigned lane, unsigned index);

/// The same in mma m8n8k4 of f16. `by_columns`: layout of A or B; `width`: of the result, 16 or 32 bits.
ElementPlace quad_pair_place(Role role, bool by_columns, unsigned width, unsigned lane, unsigned index);

/// The place of element `index` of a lane in a matrix of an mma.
ElementPlace mma_place(const isa::matrix::MatrixOperation &operation, MatrixName name, unsigned lane, unsigned index);

/// A matrix of wmma: which one, and the shape of the whole product.
struct WmmaMatrix {
    MatrixName name = MatrixName::kA;
    unsigned m = 16;
    unsigned n = 16;
    unsigned k = 16;
    unsigned width = 16; ///< bits of an element

    unsigned rows() const { return name == MatrixName::kB ? k : m; }
    unsigned columns() const { return name == MatrixName::kA ? k : n; }
    /// Elements of a lane before they repeat.
    unsigned elements() const { return rows() * columns() / 32; }
    /// The place of element `index` of a lane, for elements that repeat others, too.
    ElementPlace place(unsigned lane, unsigned index) const;
};

/// The column of A, with its zeros, of stored element `stored` of a row. `metadata`: the operand of each lane.
unsigned sparse_column(const isa::matrix::MatrixOperation &operation, unsigned selector,
                       std::span<const std::uint32_t, 32> metadata, unsigned row, unsigned stored);

/// Element `index` of registers of `register_bits` each, the first in the lowest bits.
std::uint64_t element_of(std::span<const std::uint64_t> registers, unsigned register_bits, unsigned width,
                         unsigned index);
/// Writes it; the bits that are written must be zero before.
void put_element(std::span<std::uint64_t> registers, unsigned register_bits, unsigned width, unsigned index,
                 std::uint64_t value);

} // namespace smsim::ptx::interpreter

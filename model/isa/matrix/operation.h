// One matrix instruction: the shape, the types and what else selects its meaning; which combinations exist; and how
// many registers its operands take (tensor.md 1).
#pragma once

#include <cstdint>

#include "model/isa/isa.h"
#include "model/isa/matrix/formats.h"

namespace smsim::isa::matrix {

/// Order of the elements of A or B in registers. Only mma m8n8k4 of f16 has a choice; everything else is A by rows
/// and B by columns.
enum class Layout : std::uint8_t { kRow, kColumn };

/// D = A * B + C with A of m x k, B of k x n, C and D of m x n; m8n8k4 of f16 is four such products, one for each quad
/// pair of the warp.
struct MatrixOperation {
    unsigned m = 16;
    unsigned n = 8;
    unsigned k = 16; ///< of a sparse operation: columns of A with its zeros, twice as many as are in registers
    Element a = Element::kF16;
    Element b = Element::kF16;
    Element c = Element::kF32;
    Element d = Element::kF32;
    Layout layout_a = Layout::kRow;
    Layout layout_b = Layout::kColumn;
    /// .satfinite: integers are clamped to s32; of f16 products (PTX up to 6.4) an infinity becomes the largest finite
    /// number and a NaN +0.
    bool saturate = false;
    bool and_not_xor = false;                    ///< b1: AND instead of XOR
    isa::Rounding rounding = isa::Rounding::kRn; ///< f64 only
    bool sparse = false;                         ///< mma.sp: half of A is zero, metadata says which half
    unsigned selector = 0;                       ///< sparse: which lanes of four hold metadata
};

/// True if PTX has the operation (tensor.md 1), with one addition: f16 products of m16n8 may have C and D of different
/// types, because wmma has them and is made of these. The selector of a sparse operation must be one that its shape
/// has: 0..3, 0..1 or 0.
bool is_valid(const MatrixOperation &op);

/// Columns of A that registers hold: k, or half of it in a sparse operation.
constexpr unsigned stored_k(const MatrixOperation &op) {
    return op.sparse ? op.k / 2 : op.k;
}
/// True for mma m8n8k4 of f16, whose four products and maps differ from all others.
constexpr bool is_quad_pair(const MatrixOperation &op) {
    return op.m == 8 && op.k == 4 && op.a == Element::kF16;
}
/// Products of m x n x k that the warp computes at once.
constexpr unsigned products(const MatrixOperation &op) {
    return is_quad_pair(op) ? 4 : 1;
}

/// 32-bit registers of each thread for A, B, C and D. Those of f64 are pairs, lower half first.
constexpr unsigned registers_of_a(const MatrixOperation &op) {
    return products(op) * op.m * stored_k(op) * width(op.a) / (32 * 32);
}
constexpr unsigned registers_of_b(const MatrixOperation &op) {
    return products(op) * op.n * op.k * width(op.b) / (32 * 32);
}
constexpr unsigned registers_of_c(const MatrixOperation &op) {
    return products(op) * op.m * op.n * width(op.c) / (32 * 32);
}
constexpr unsigned registers_of_d(const MatrixOperation &op) {
    return products(op) * op.m * op.n * width(op.d) / (32 * 32);
}

} // namespace smsim::isa::matrix

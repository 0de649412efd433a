// How the generations sum products of floating-point elements: the table of tensor.md 2.
#pragma once

#include <cstdint>

#include "model/config/sections/tensor.h"
#include "sm/datapath/compute/matrix/operation.h"

namespace smsim::sm::compute::matrix {

/// Whose sums (key `tensor.arithmetic`). kExact rounds the exact sum of all products and C once, to nearest even.
using Arithmetic = TensorArithmetic;

/// What becomes of the sum of a block.
enum class Out : std::uint8_t {
    kF32,  ///< truncated toward zero to f32
    kF16,  ///< rounded to nearest even to f16
    kE8m13 ///< truncated to 13 bits after the point of the significand, in the form of an f32
};

/// How a block of products is summed.
struct SumRule {
    unsigned block = 8; ///< products that are summed at once with the accumulator (L)
    int kept = 24;      ///< bits after the point of the largest exponent that are kept of each term (F)
    Out out = Out::kF32;
    int least = kNoLeast; ///< the largest exponent is at least this
    /// fp8 on 9.0: the terms are converted to f16; those with k mod 4 in {0, 1} are summed on 0, then the others on
    /// that, and C is added with one rounding to nearest even.
    bool by_f16 = false;

    static constexpr int kNoLeast = -300; ///< below the exponent of any product
};

/// The rule for a valid operation of block floats and an arithmetic other than kExact. With `zero_terms`, exponents of
/// terms that are zero give the largest exponent a least value (key `tensor.zero_terms`). An arithmetic of a
/// generation that lacks the types follows the first one that has them: 8.0 for bf16 and tf32, 8.9 for fp8.
SumRule sum_rule(const MatrixOperation &op, Arithmetic arithmetic, bool zero_terms);

} // namespace smsim::sm::compute::matrix

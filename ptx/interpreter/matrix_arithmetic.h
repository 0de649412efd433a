// Products of matrices, element by element: the bits of one element of D from a row of A, a column of B and an element
// of C (tensor.md 2). Sums are exact and rounded where the page says so; nothing here is made to be fast.
#pragma once

#include <cstdint>
#include <span>

#include "model/config/sections/tensor.h"
#include "model/isa/matrix/operation.h"

namespace smsim::ptx::interpreter {

/// Which generation's rounding of sums, and whether sums of zeros alone have a least exponent.
struct MatrixArithmetic {
    TensorArithmetic generation = TensorArithmetic::k8_0;
    bool zero_terms = true;
};

/// One element of D. `a` and `b` are the bits of the elements that are multiplied with each other, k ascending; of a
/// sparse operation those of the stored elements of A and of the elements of B that they meet. `c` is the element of C.
/// Precondition: as many of `a` as of `b`.
std::uint64_t matrix_element(const isa::matrix::MatrixOperation &operation, std::span<const std::uint64_t> a,
                             std::span<const std::uint64_t> b, std::uint64_t c, const MatrixArithmetic &arithmetic);

} // namespace smsim::ptx::interpreter

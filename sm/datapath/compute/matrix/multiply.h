// Executes matrix instructions on the registers of a warp (tensor.md 1, 2).
#pragma once

#include "sm/datapath/compute/matrix/arithmetic.h"
#include "sm/datapath/compute/matrix/operation.h"
#include "sm/datapath/compute/registers.h"

namespace smsim::sm::compute::matrix {

/// D = A * B + C for all 32 lanes. `op` is valid. Each operand is given as the rows of its registers, as many as
/// registers_of_a(op) and so on, in the maps of fragments.h; `metadata` is the register of a sparse operation, and null
/// of another. D may be any of the sources.
///
/// f16, bf16, tf32 and fp8 follow `arithmetic` and `zero_terms` (keys `tensor.arithmetic`, `tensor.zero_terms`;
/// tensor.md 2). Integers are exact and wrap at 32 bits, or are clamped once at the end; products of single bits are
/// counted; f64 is a chain of fused multiply-adds, k ascending, that begins with C.
///
/// In a sparse operation a block is one of products with stored elements of A. Metadata that PTX calls invalid selects
/// what its bits say: an element of B may be used twice.
void multiply(const MatrixOperation &op, Arithmetic arithmetic, bool zero_terms, const Row *const *a,
              const Row *const *b, const Row *const *c, const Row *metadata, Row *const *d);

} // namespace smsim::sm::compute::matrix

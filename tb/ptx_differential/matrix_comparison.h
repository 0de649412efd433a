// A matrix instruction of PTX on the model and on the interpreter, which multiplies matrices in its own way.
#pragma once

#include <string>
#include <vector>

#include "tb/ptx_differential/matrix_cases.h"

namespace smsim::ptx_differential {

/// The arithmetics that make a difference to a case: all, or one.
std::vector<TensorArithmetic> arithmetics_of(const MatrixCase &one);

/// Runs `sets` random sets of operands on both; empty if all results are equal, else the first difference.
std::string compare_matrix(const MatrixCase &one, TensorArithmetic arithmetic, unsigned sets, std::uint64_t seed);

} // namespace smsim::ptx_differential

// Every matrix instruction of PTX as a kernel: it loads operands of many sets, computes, and stores the results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/launch/launch.h"

namespace smsim::ptx_differential {

/// An instruction, or for wmma the sequence of loads, product and store.
struct MatrixCase {
    std::string name;         ///< of the instruction with modifiers; of wmma that of the product
    std::string form;         ///< shape and types: the name without layouts, selector, `.sync` and `.aligned`
    std::string text;         ///< module with the kernel `k`
    unsigned input_words = 0; ///< of 32 bits, of one set
    unsigned output_words = 0;
    bool blocks = false;         ///< its sums depend on `tensor.arithmetic`
    std::vector<unsigned> kinds; ///< how the words of each operand are chosen, one for each 32 (see matrix_cases.cpp)
};

/// All shapes, types, layouts and spellings; of sparse ones every selector.
std::vector<MatrixCase> matrix_cases();

/// A launch of one CTA of one warp with `sets` sets of operands: random ones, and special ones mixed into them.
launch::Launch matrix_launch(const MatrixCase &one, unsigned sets, std::uint64_t seed);

/// The default configuration with all products of matrices, rounded as `arithmetic` says.
Config matrix_config(TensorArithmetic arithmetic);

} // namespace smsim::ptx_differential

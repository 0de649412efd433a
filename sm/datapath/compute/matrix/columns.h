// Internal to sm/datapath/compute/matrix: the columns of a row of D, or the rows of a column, as a vector, in a form
// that compilers map to the vectors of the host, or to several of them.
#pragma once

#include <cstdint>
#include <cstring>

#include "sm/datapath/compute/matrix/tiles.h"
#include "sm/datapath/compute/operation.h"

namespace smsim::sm::compute::matrix {

/// The columns of one row.
struct OneRow {
    using Float = float __attribute__((vector_size(32)));
    using Int = std::int32_t __attribute__((vector_size(32)));
    using Uint = std::uint32_t __attribute__((vector_size(32)));
    using Pairs = std::int16_t __attribute__((vector_size(32))); ///< two numbers for each column
};
/// The rows of one column, of which there are 16.
struct OneColumn {
    using Float = float __attribute__((vector_size(64)));
    using Int = std::int32_t __attribute__((vector_size(64)));
    using Uint = std::uint32_t __attribute__((vector_size(64)));
    using Pairs = std::int16_t __attribute__((vector_size(64)));
};
static_assert(sizeof(OneRow::Float) == kColumns * sizeof(float) &&
              sizeof(OneColumn::Float) == kMaxRows * sizeof(float));

/// A vector from memory, or from the bits of another vector.
template <typename Vector, typename From> SMSIM_LANE_INLINE void load(Vector &to, const From *from) {
    std::memcpy(&to, from, sizeof to);
}
/// The exponents of a word, two in one number.
SMSIM_LANE_INLINE std::int32_t pair_at(const std::int16_t *exponents) {
    std::int32_t both;
    std::memcpy(&both, exponents, sizeof both);
    return both;
}
/// A vector to memory.
template <typename Vector, typename To> SMSIM_LANE_INLINE void store(To *to, const Vector &from) {
    std::memcpy(to, &from, sizeof from);
}

} // namespace smsim::sm::compute::matrix

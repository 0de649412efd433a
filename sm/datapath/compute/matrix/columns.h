// Internal to sm/datapath/compute/matrix: the columns of one or two rows of D as a vector, in a form that compilers map
// to the vectors of the host, or to several of them.
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
    static constexpr unsigned kRows = 1;
};
/// The columns of two rows, one after the other, for hosts with vectors of 64 bytes.
struct TwoRows {
    using Float = float __attribute__((vector_size(64)));
    using Int = std::int32_t __attribute__((vector_size(64)));
    using Uint = std::uint32_t __attribute__((vector_size(64)));
    using Pairs = std::int16_t __attribute__((vector_size(64)));
    static constexpr unsigned kRows = 2;
};
static_assert(sizeof(OneRow::Float) == kColumns * sizeof(float));

/// A vector from memory, or from the bits of another vector.
template <typename Vector, typename From> SMSIM_LANE_INLINE void load(Vector &to, const From *from) {
    std::memcpy(&to, from, sizeof to);
}
/// The columns of a row of B, for each row.
template <typename V, typename Vector, typename From> SMSIM_LANE_INLINE void load_b(Vector &to, const From *from) {
    if constexpr (V::kRows == 1) {
        load(to, from);
    } else {
        OneRow::Int half;
        load(half, from);
        const typename V::Int both =
            __builtin_shufflevector(half, half, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        load(to, &both);
    }
}
/// Elements of A in all columns of their rows.
template <typename Vector, typename Number> SMSIM_LANE_INLINE void spread_two(Vector &to, Number first, Number second) {
    constexpr TwoRows::Int kUpper = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    to = first - Vector{}; // a sum would lose the sign of -0
    to = kUpper != 0 ? second - Vector{} : to;
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

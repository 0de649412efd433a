// Internal to sm/datapath/compute/matrix: four words at a time, in a form that compilers map to a vector of the host.
#pragma once

#include <cstdint>
#include <cstring>

namespace smsim::sm::compute::matrix {

using Four = std::uint32_t __attribute__((vector_size(16)));

inline Four four_at(const std::uint32_t *from) {
    Four words;
    std::memcpy(&words, from, sizeof words);
    return words;
}
inline void put_four(std::uint32_t *to, const Four &words) {
    std::memcpy(to, &words, sizeof words);
}

/// Four rows of four words.
struct FourByFour {
    Four row[4];
};
inline FourByFour four_by_four_at(const std::uint32_t *from, unsigned distance) {
    return {{four_at(from), four_at(from + distance), four_at(from + 2 * distance), four_at(from + 3 * distance)}};
}
inline void put_four_by_four(std::uint32_t *to, unsigned distance, const FourByFour &words) {
    for (unsigned i = 0; i < 4; ++i) {
        put_four(to + i * distance, words.row[i]);
    }
}
inline FourByFour transposed(const FourByFour &words) {
    const Four low = __builtin_shufflevector(words.row[0], words.row[1], 0, 4, 1, 5);
    const Four high = __builtin_shufflevector(words.row[0], words.row[1], 2, 6, 3, 7);
    const Four low_after = __builtin_shufflevector(words.row[2], words.row[3], 0, 4, 1, 5);
    const Four high_after = __builtin_shufflevector(words.row[2], words.row[3], 2, 6, 3, 7);
    return {{__builtin_shufflevector(low, low_after, 0, 1, 4, 5), __builtin_shufflevector(low, low_after, 2, 3, 6, 7),
             __builtin_shufflevector(high, high_after, 0, 1, 4, 5),
             __builtin_shufflevector(high, high_after, 2, 3, 6, 7)}};
}

} // namespace smsim::sm::compute::matrix

// Internal to sm/datapath/compute/matrix: the elements of A and B unpacked into planes.
//
// Plane j has element j of every word of A or B, in the order of the words. Floating-point elements become a float and
// an exponent: the exponent decides how terms are aligned and is not that of the float, because significands are not
// normalised. Formats with the exponents of f32 would overflow as products; their floats are significands alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sm/datapath/compute/matrix/operation.h"

namespace smsim::sm::compute::matrix {

inline constexpr unsigned kMaxWords = 128; // of A or B: at most four registers of 32 lanes
inline constexpr unsigned kMaxParts = 8;   // elements of a word, except of single bits

/// Exponent of a zero: below that of every product, even in a sum with another exponent.
inline constexpr std::int16_t kNoExponent = -8192;

/// Values of the elements, [part][word].
struct Values {
    alignas(64) float all[kMaxParts * kMaxWords];

    float *of(unsigned part) { return all + std::size_t{part} * kMaxWords; }
    const float *of(unsigned part) const { return all + std::size_t{part} * kMaxWords; }
};
/// Exponents of floating-point elements, [pair of parts][word][part of the pair]: hosts add and compare exponents of 16
/// bits two at a time. The second part of a word with one element has kNoExponent.
struct Exponents {
    alignas(64) std::int16_t of[2][kMaxWords * 2];
};

/// A or B of block floats.
struct Planes {
    Values value;
    Exponents exponent;
    bool special = false; ///< there are infinities or NaNs, whose values and exponents mean nothing here
};

/// True for types of which a product may exceed a float: values are then significands in [0, 2).
constexpr bool is_wide(Element type) {
    return type == Element::kBf16 || type == Element::kTf32;
}

/// Unpacks `words` words (a multiple of 8) of block floats.
void unpack(Element type, const std::uint32_t *from, unsigned words, Planes &planes);

/// Replaces the exponents of e4m3 by those that the numbers have as f16.
void exponents_as_f16(unsigned words, Planes &planes);

/// What matters of each element for infinities and NaNs: these as they are, 0 for zeros, 1 or -1 for other numbers.
/// Sums of products of these are NaN or infinite exactly where those of the elements are.
void classify(Element type, const std::uint32_t *from, unsigned words, Values &classes);

/// Unpacks `words` words of s8, u8, s4 or u4.
void unpack_integers(Element type, const std::uint32_t *from, unsigned words, Values &values);

} // namespace smsim::sm::compute::matrix

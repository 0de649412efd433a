// The types of the elements of matrix instructions: their widths and, for floating point, their fields.
//
// A number is (-1)^sign * significand * 2^(exponent - fraction bits), where the exponent of a subnormal number is the
// least one of its format and its significand has no leading one. Matrix instructions align numbers by this exponent,
// so it matters even where the value alone would not show it (tensor.md 2).
#pragma once

#include <cstdint>

namespace smsim::isa::matrix {

/// Type of an element of A, B, C or D.
enum class Element : std::uint8_t { kF16, kBf16, kTf32, kE4m3, kE5m2, kS8, kU8, kS4, kU4, kB1, kF64, kF32, kS32 };

/// Bits that an element takes in registers; tf32 takes a whole register.
constexpr unsigned width(Element type) {
    switch (type) {
    case Element::kF16:
    case Element::kBf16:
        return 16;
    case Element::kE4m3:
    case Element::kE5m2:
    case Element::kS8:
    case Element::kU8:
        return 8;
    case Element::kS4:
    case Element::kU4:
        return 4;
    case Element::kB1:
        return 1;
    case Element::kF64:
        return 64;
    case Element::kTf32:
    case Element::kF32:
    case Element::kS32:
        break;
    }
    return 32;
}

/// True for the types whose products are summed in blocks (tensor.md 2): f16, bf16, tf32, e4m3, e5m2.
constexpr bool is_block_float(Element type) {
    return type <= Element::kE5m2;
}
/// True for the 8-bit floating-point types.
constexpr bool is_fp8(Element type) {
    return type == Element::kE4m3 || type == Element::kE5m2;
}
/// True for s8 and u8.
constexpr bool is_int8(Element type) {
    return type == Element::kS8 || type == Element::kU8;
}
/// True for s4 and u4.
constexpr bool is_int4(Element type) {
    return type == Element::kS4 || type == Element::kU4;
}
/// True for s8 and s4.
constexpr bool is_signed(Element type) {
    return type == Element::kS8 || type == Element::kS4;
}

/// Fields of a floating-point type: sign, `exponent` bits, `fraction` bits, and `ignored` bits below them, from the
/// highest bit of the element to the lowest.
struct FloatFields {
    int exponent;
    int fraction;
    int ignored;
    bool has_infinity; ///< if not: all ones is a NaN, and the highest exponent is one of ordinary numbers

    constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
    /// Exponent of subnormal numbers, and the least one of normal numbers.
    constexpr int least() const { return 1 - bias(); }
    constexpr std::uint32_t fraction_mask() const { return (std::uint32_t{1} << fraction) - 1; }
    /// The exponent field of infinities and NaNs.
    constexpr std::uint32_t exponent_mask() const { return (std::uint32_t{1} << exponent) - 1; }
    /// Sign bit of an element after the ignored bits have been shifted out.
    constexpr std::uint32_t sign_bit() const { return std::uint32_t{1} << (exponent + fraction); }
    /// The least magnitude, without ignored bits, that is an infinity or a NaN.
    constexpr std::uint32_t special() const { return has_infinity ? exponent_mask() << fraction : sign_bit() - 1; }
};

inline constexpr FloatFields kF16Fields{5, 10, 0, true};
inline constexpr FloatFields kBf16Fields{8, 7, 0, true};
inline constexpr FloatFields kTf32Fields{8, 10, 13, true};
inline constexpr FloatFields kE4m3Fields{4, 3, 0, false};
inline constexpr FloatFields kE5m2Fields{5, 2, 0, true};
inline constexpr FloatFields kF32Fields{8, 23, 0, true};

} // namespace smsim::isa::matrix

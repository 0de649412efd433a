// F2FP: conversions to and from the formats of products of matrices, 8-bit floats and TF32.
//
// All of them round the bits of a single-precision number as integers, without a branch: the code of a format counts
// its numbers in their order, so digits that are rounded up carry into the exponent.
#include <algorithm>
#include <bit>

#include "sm/datapath/compute/half_format.h"
#include "sm/datapath/compute/operation.h"
#include "sm/datapath/compute/rounding.h"

namespace smsim::sm::compute {
namespace {

using isa::TensorConversion;

constexpr std::uint32_t kSingleSign = 0x80000000U;
constexpr std::uint32_t kSingleInfinity = 0x7f800000U;
constexpr std::uint32_t kHidden = 1U << kSingleFraction;
constexpr std::uint32_t kNan8 = 0x7f; ///< the canonical one of both 8-bit formats

/// An 8-bit format; the codes are without sign.
struct Eight {
    unsigned fraction;     ///< bits
    std::uint32_t bias;    ///< of the exponent
    std::uint32_t largest; ///< finite number
    std::uint32_t beyond;  ///< infinity, or a NaN where there is none
};
constexpr Eight kE4m3{3, 7, 0x7e, 0x7f};
constexpr Eight kE5m2{2, 15, 0x7b, 0x7c};

/// The modifiers as masks, so that the loops have no branch.
struct Manner {
    std::uint32_t nearest; ///< all ones: to nearest even, 0: toward zero
    bool finite;
    std::uint32_t rectified; ///< the sign bit: a negative number becomes +0

    explicit Manner(const Operation &op)
        : nearest(op.insn.mod[1] != 0 ? 0U : ~0U), finite(op.insn.mod[2] != 0),
          rectified(op.insn.mod[3] != 0 ? kSingleSign : 0U) {}

    /// True for numbers of which one too large becomes the largest one: all, or those that are rounded toward zero.
    SMSIM_LANE_INLINE bool stops(std::uint32_t magnitude) const {
        return finite || (nearest == 0 && magnitude < kSingleInfinity);
    }
};

/// digits / 2^shift, rounded. Precondition: shift is 1 to 31, and digits plus 2^(shift - 1) has 32 bits.
SMSIM_LANE_INLINE std::uint32_t rounded(std::uint32_t digits, unsigned shift, const Manner &manner) {
    const std::uint32_t odd = digits >> shift & 1U;
    return (digits + (((1U << (shift - 1)) - 1 + odd) & manner.nearest)) >> shift;
}

/// A single-precision number as one of 8 bits.
SMSIM_LANE_INLINE std::uint32_t to_eight(const Eight &to, std::uint32_t bits, const Manner &manner) {
    const std::uint32_t magnitude = bits & ~kSingleSign;
    const std::uint32_t least = 128 - to.bias; // field of the smallest normal number; subnormal ones share its weights
    const std::uint32_t field = magnitude >> kSingleFraction;
    const std::uint32_t above = std::max(field, least) - least;
    // From 26 on nothing is left. Subnormal singles are far below, so that all may have the hidden bit.
    const std::uint32_t shift = std::min(kSingleFraction - to.fraction + (least - std::min(field, least)), 26U);
    const std::uint32_t digits = (magnitude & (kHidden - 1)) | kHidden;
    const std::uint32_t code = (above << to.fraction) + rounded(digits, shift, manner);
    const std::uint32_t bounded = code <= to.largest ? code : manner.stops(magnitude) ? to.largest : to.beyond;
    const std::uint32_t number = (bits & manner.rectified) != 0 ? 0 : bounded | (bits & kSingleSign) >> 24;
    return magnitude > kSingleInfinity ? kNan8 : number;
}

/// A single-precision number with ten bits of fraction, those below 0.
SMSIM_LANE_INLINE std::uint32_t to_tf32(std::uint32_t bits, const Manner &manner) {
    constexpr unsigned kCut = 13;
    const std::uint32_t magnitude = bits & ~kSingleSign;
    const std::uint32_t code = rounded(magnitude, kCut, manner) << kCut;
    const bool stopped = code >= kSingleInfinity && manner.stops(magnitude);
    const std::uint32_t bounded = stopped ? kSingleInfinity - (1U << kCut) : code;
    const std::uint32_t number = (bits & manner.rectified) != 0 ? 0 : bounded | (bits & kSingleSign);
    return magnitude > kSingleInfinity ? kCanonicalNan32 : number;
}

/// The F16 with the value of an 8-bit number; F16 has all of them.
template <bool kInfinities> SMSIM_LANE_INLINE std::uint32_t to_half(std::uint32_t eight, const Manner &manner) {
    const std::uint32_t magnitude = eight & 0x7fU;
    std::uint32_t code = 0;
    if constexpr (kInfinities) { // E5M2 is the upper half of an F16
        const std::uint32_t whole = magnitude << 8;
        code = whole == kInfinityOf<Binary16> && manner.finite ? whole - 1 : whole;
    } else {
        // Exponent and fraction in those of a single give a number that is 2^120 times too small.
        const auto value = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 20) * 0x1p120F);
        code = value == 0 ? 0 : (value >> Binary16::kShift) - (112U << 10);
    }
    const bool nan = kInfinities ? magnitude > kE5m2.beyond : magnitude == kE4m3.beyond;
    const std::uint32_t sign = eight << 24 & kSingleSign;
    const std::uint32_t number = (sign & manner.rectified) != 0 ? 0 : code | sign >> 16;
    return nan ? kCanonicalNan16 : number;
}

SMSIM_LANE_INLINE void from_singles(const Operation &op, const Eight &to) {
    const Manner manner(op);
    map_ab(op,
           [=](std::uint32_t a, std::uint32_t b) { return to_eight(to, a, manner) << 8 | to_eight(to, b, manner); });
}

SMSIM_LANE_INLINE void from_halves(const Operation &op, const Eight &to) {
    const Manner manner(op);
    map_b(op, [=](std::uint32_t b) {
        return to_eight(to, single_bits<Binary16>(b >> 16), manner) << 8 |
               to_eight(to, single_bits<Binary16>(b), manner);
    });
}

template <bool kInfinities> SMSIM_LANE_INLINE void to_halves(const Operation &op) {
    const Manner manner(op);
    map_b(op, [=](std::uint32_t b) {
        return to_half<kInfinities>(b >> 8, manner) << 16 | to_half<kInfinities>(b, manner);
    });
}

} // namespace

SMSIM_MULTIVERSION void execute_f2fp(const Operation &op) {
    switch (modifier<TensorConversion>(op, 0)) {
    case TensorConversion::kE4m3FromF32:
        return from_singles(op, kE4m3);
    case TensorConversion::kE5m2FromF32:
        return from_singles(op, kE5m2);
    case TensorConversion::kE4m3FromF16:
        return from_halves(op, kE4m3);
    case TensorConversion::kE5m2FromF16:
        return from_halves(op, kE5m2);
    case TensorConversion::kF16FromE4m3:
        return to_halves<false>(op);
    case TensorConversion::kF16FromE5m2:
        return to_halves<true>(op);
    case TensorConversion::kTf32FromF32: {
        const Manner manner(op);
        return map_b(op, [=](std::uint32_t b) { return to_tf32(b, manner); });
    }
    }
}

} // namespace smsim::sm::compute

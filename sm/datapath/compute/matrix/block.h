// Internal to sm/datapath/compute/matrix: what surrounds the products of a block: the largest exponent, the unit to
// which terms are cut, the accumulator, and the rounding of the sum (tensor.md 2). All for one row or one
// column of D: V is OneRow or OneColumn.
#pragma once

#include <bit>

#include "sm/datapath/compute/matrix/arithmetic.h"
#include "sm/datapath/compute/matrix/columns.h"
#include "sm/datapath/compute/matrix/planes.h"

namespace smsim::sm::compute::matrix {

/// f16 and fp8 have no products of this exponent or less: the sum of terms with such a largest exponent is the
/// accumulator.
constexpr std::int32_t kAlone = -61;

/// What the sums of a block need of its rule.
struct BlockRule {
    std::int32_t kept;                 ///< F
    std::int32_t least;                ///< of the largest exponent; for f16 and fp8 at least kAlone
    std::int32_t least_of_accumulator; ///< the exponent of its subnormal numbers
    Out out;
    bool by_host; ///< the host truncates sums when it converts them; its rounding is toward zero
};

constexpr std::int32_t kFloatMagnitude = 0x7fffffff;
constexpr std::int32_t kFloatInfinity = 0x7f800000;
constexpr std::int32_t kFloatBiasOf = 127;

/// The largest exponent before products are looked at: the least one, or that of an accumulator that is not zero.
template <typename V>
SMSIM_LANE_INLINE void start_top(typename V::Int &top, const float *accumulators, const BlockRule &rule) {
    typename V::Int bits;
    load(bits, accumulators);
    bits &= kFloatMagnitude;
    typename V::Int exponent = (bits >> 23) - kFloatBiasOf;
    exponent = exponent > rule.least_of_accumulator ? exponent : typename V::Int{} + rule.least_of_accumulator;
    exponent = bits != 0 ? exponent : typename V::Int{} + kNoExponent;
    top = exponent > rule.least ? exponent : typename V::Int{} + rule.least;
}

/// 2^(kept - below), limited so that it does not make a product of floats subnormal. A product is zero, or at least
/// 2^-48 and less than 2^34; where the limit acts it is cut off or zero. `below` is at least kAlone.
template <typename V>
SMSIM_LANE_INLINE void scale_of(typename V::Float &scale, const typename V::Int &below, std::int32_t kept) {
    typename V::Int exponent = kept - below;
    exponent = exponent > -60 ? exponent : typename V::Int{} - 60;
    exponent = (exponent + kFloatBiasOf) << 23;
    load(scale, &exponent);
}

/// The accumulators in units of 2^(top - kept), truncated, for any exponents.
template <typename V>
SMSIM_LANE_INLINE void cut_accumulator(typename V::Int &cut, const float *accumulators, const typename V::Int &top,
                                       std::int32_t kept) {
    typename V::Int bits;
    load(bits, accumulators);
    const typename V::Int magnitude = bits & kFloatMagnitude;
    typename V::Int field = magnitude >> 23;
    typename V::Int significand = magnitude - (field << 23);
    significand = field > 0 ? significand | 0x800000 : significand;
    field = field > 1 ? field : typename V::Int{} + 1;
    significand = kept >= 23 ? significand << (kept - 23) : significand >> (23 - kept);
    typename V::Int shift = top - (field - kFloatBiasOf);
    shift = shift < 31 ? shift : typename V::Int{} + 31;
    significand = significand >> shift;
    cut = bits < 0 ? -significand : significand;
}

/// The sum of products and accumulator as sign (all ones or none) and magnitude, which is less than 2^32.
template <typename V>
SMSIM_LANE_INLINE void add_terms(typename V::Int &sign, typename V::Uint &magnitude, const typename V::Int &products,
                                 const typename V::Int &accumulator) {
    typename V::Uint sum;
    load(sum, &products);
    typename V::Uint other;
    load(other, &accumulator);
    sum += other;
    typename V::Int wrapped;
    load(wrapped, &sum);
    const typename V::Int overflow = ~(products ^ accumulator) & (products ^ wrapped);
    sign = (overflow < 0 ? products : wrapped) >> 31;
    typename V::Uint ones;
    load(ones, &sign);
    magnitude = (sum ^ ones) - ones;
}

/// magnitude * 2^(top - kept) with 24 significant bits: truncated, or to odd, which sets the last bit of an inexact
/// one. Right for sums of f16 and fp8: with a product that is not zero the result is far from subnormal.
template <typename V>
SMSIM_LANE_INLINE void to_24_bits(typename V::Float &value, const typename V::Uint &magnitude,
                                  const typename V::Int &top, std::int32_t kept, bool odd) {
    typename V::Int upper;
    const typename V::Uint shifted = magnitude >> 8;
    load(upper, &shifted);
    const typename V::Float rough = __builtin_convertvector(upper, typename V::Float);
    typename V::Int length;
    load(length, &rough);
    typename V::Int drop = (length >> 23) - (kFloatBiasOf + 15); // bits beyond 24
    drop = drop > 0 ? drop : typename V::Int{};
    typename V::Uint by;
    load(by, &drop);
    typename V::Uint kept_bits = magnitude >> by;
    if (odd) {
        const auto lost = (kept_bits << by) != magnitude;
        typename V::Uint mask;
        load(mask, &lost);
        kept_bits |= mask & 1U;
    }
    load(upper, &kept_bits);
    const typename V::Int exponent = (top + drop + (kFloatBiasOf - kept)) << 23;
    typename V::Float scale;
    load(scale, &exponent);
    value = __builtin_convertvector(upper, typename V::Float) * scale;
}

/// The sum of products and accumulator, truncated to 24 bits, by a host that rounds toward zero.
template <typename V>
SMSIM_LANE_INLINE void truncated_by_host(typename V::Float &value, const typename V::Int &products,
                                         const typename V::Int &accumulator, const typename V::Int &top,
                                         std::int32_t kept) {
    const typename V::Int exponent = (top + (kFloatBiasOf - kept)) << 23;
    typename V::Float scale;
    load(scale, &exponent);
    const typename V::Int sum = products + accumulator;
    value = __builtin_convertvector(sum, typename V::Float) * scale;
}

/// Rounds numbers that are not negative to nearest even to f16; they stay floats.
template <typename V> SMSIM_LANE_INLINE void round_to_f16(typename V::Float &value) {
    typename V::Int bits;
    load(bits, &value);
    typename V::Int field = bits >> 23;
    constexpr std::int32_t kLeast = 127 - 14;
    field = field > kLeast ? field : typename V::Int{} + kLeast;
    // Adding this power of two drops all digits below those of f16.
    const typename V::Int power_bits = (field + (23 - 10)) << 23;
    typename V::Float power;
    load(power, &power_bits);
    value = (value + power) - power;
    load(bits, &value);
    bits = bits >= 0x47800000 ? typename V::Int{} + kFloatInfinity : bits; // 65536 and more
    load(value, &bits);
}

/// Finite accumulators in units of 2^(top - kept), truncated, where the sum is not the accumulator alone.
template <typename V>
SMSIM_LANE_INLINE void cut_narrow(typename V::Int &cut, const typename V::Int &accumulators, const typename V::Int &top,
                                  std::int32_t kept) {
    const typename V::Int exponent = (kept + kFloatBiasOf - top) << 23;
    typename V::Float scale;
    load(scale, &exponent);
    const typename V::Int counted =
        (accumulators & kFloatMagnitude) < kFloatInfinity ? accumulators : typename V::Int{};
    typename V::Float addend;
    load(addend, &counted);
    cut = __builtin_convertvector(addend * scale, typename V::Int);
}

/// Replaces the accumulators of a vector by the rounded sums of f16 or fp8; infinite ones, and NaNs, stay.
template <typename V>
SMSIM_LANE_INLINE void finish_vector(float *accumulators, const typename V::Int &products, const typename V::Int &top,
                                     const BlockRule &rule) {
    typename V::Int before;
    load(before, accumulators);
    const typename V::Int size = before & kFloatMagnitude;
    typename V::Int cut;
    cut_narrow<V>(cut, before, top, rule.kept);
    const bool to_f16 = rule.out == Out::kF16;
    typename V::Float value;
    typename V::Int bits;
    if (rule.by_host) {
        truncated_by_host<V>(value, products, cut, top, rule.kept);
        load(bits, &value);
    } else {
        typename V::Int sign;
        typename V::Uint magnitude;
        add_terms<V>(sign, magnitude, products, cut);
        to_24_bits<V>(value, magnitude, top, rule.kept, to_f16);
        if (to_f16) {
            round_to_f16<V>(value);
        }
        load(bits, &value);
        bits |= sign & ~kFloatMagnitude;
    }
    if (!to_f16) {
        const typename V::Int alone = size != 0 ? before : typename V::Int{};
        bits = top > kAlone ? bits : alone;
    }
    if (rule.out == Out::kE8m13) {
        bits &= ~0x3ff;
    }
    bits = size >= kFloatInfinity ? before : bits;
    store(accumulators, bits);
}

} // namespace smsim::sm::compute::matrix

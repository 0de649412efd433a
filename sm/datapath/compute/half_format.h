// Internal to sm/datapath/compute: the 16-bit formats as the lane loops use them, and their exact values.
#pragma once

#include <bit>
#include <cstdint>

#include "sm/datapath/compute/operation.h"
#include "sm/datapath/compute/rounding.h"

namespace smsim::sm::compute {

inline constexpr std::uint32_t kHalfSign = 0x8000U;
inline constexpr std::uint32_t kHalfMagnitude = 0x7fffU;
inline constexpr int kSingleFraction = 23;

/// Properties of a format that the loops use. A half shifted left by `shift` is a single-precision number with the same
/// exponent field, which is `scale` times too small.
struct Binary16 {
    static constexpr const BinaryFormat &kFormat = kBinary16;
    static constexpr unsigned kShift = 13;
    static constexpr float kScale = 0x1p112F;
    static constexpr float kUnscale = 0x1p-112F;
};
struct Bfloat16 {
    static constexpr const BinaryFormat &kFormat = kBfloat16;
    static constexpr unsigned kShift = 16;
    static constexpr float kScale = 1.0F;
    static constexpr float kUnscale = 1.0F;
};

template <typename F> constexpr std::uint32_t kInfinityOf = static_cast<std::uint32_t>(F::kFormat.infinity());

/// The number in the lower 16 bits, exactly, as the bits of a single-precision number; a NaN keeps its payload.
template <typename F> SMSIM_LANE_INLINE std::uint32_t single_bits(std::uint32_t half) {
    const std::uint32_t magnitude = half & kHalfMagnitude;
    const float finite = std::bit_cast<float>(magnitude << F::kShift) * F::kScale;
    const std::uint32_t special = magnitude >= kInfinityOf<F> ? 0xffU << kSingleFraction : 0U;
    const std::uint32_t sign = (half & kHalfSign) << 16;
    return std::bit_cast<std::uint32_t>(finite) | special | sign;
}

} // namespace smsim::sm::compute

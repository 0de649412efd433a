// Internal to sm/datapath/compute/matrix: roundings of doubles, written for loops that become vectors.
#pragma once

#include <bit>
#include <cstdint>

#include "sm/datapath/compute/operation.h"

namespace smsim::sm::compute::matrix {

/// Truncated toward zero to f32, subnormal numbers too; 2^128 and more is infinity. The host rounds to nearest; where
/// that went away from zero, the float before it is the answer.
SMSIM_LANE_INLINE float truncated_to_f32(double value) {
    constexpr std::int64_t kMagnitude = 0x7fffffffffffffff;
    constexpr std::int64_t kTooLarge = std::int64_t{1023 + 128} << 52;
    const auto nearest = static_cast<float>(value);
    const std::int64_t exact = std::bit_cast<std::int64_t>(value) & kMagnitude;
    const std::int64_t got = std::bit_cast<std::int64_t>(static_cast<double>(nearest)) & kMagnitude;
    // Comparisons as signs of differences: doubles of 64 bits and floats of 32 do not compare in one vector.
    const std::int64_t beyond = (exact - got) & (exact - kTooLarge);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest) + static_cast<std::uint32_t>(beyond >> 63));
}

/// Rounded to nearest even to f16, as a float; subnormal numbers too; 65520 and more is infinity.
SMSIM_LANE_INLINE float rounded_to_f16(double value) {
    constexpr std::int64_t kMagnitude = 0x7fffffffffffffff;
    constexpr std::int64_t kLeast = 1023 - 14;
    constexpr std::int64_t kUp = 52 - 10;
    const auto bits = std::bit_cast<std::int64_t>(value);
    const std::int64_t magnitude = bits & kMagnitude;
    // Adding this power of two drops all digits below those of f16, rounded to nearest even.
    const std::int64_t exponent = magnitude >> 52;
    const std::int64_t limited = exponent > kLeast ? exponent : kLeast;
    const double power = std::bit_cast<double>((limited + kUp) << 52);
    const auto rounded = static_cast<float>((std::bit_cast<double>(magnitude) + power) - power);
    const std::uint32_t size = std::bit_cast<std::uint32_t>(rounded);
    const std::uint32_t limit = size >= 0x47800000U ? 0x7f800000U : size; // 65536
    return std::bit_cast<float>(limit | (static_cast<std::uint32_t>(bits >> 32) & 0x80000000U));
}

} // namespace smsim::sm::compute::matrix

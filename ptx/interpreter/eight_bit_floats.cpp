#include "ptx/interpreter/eight_bit_floats.h"

#include <cmath>
#include <limits>

namespace smsim::ptx::interpreter {

namespace {

constexpr std::uint64_t kNan = 0x7f;
constexpr std::uint64_t kSign = 0x80;

std::uint64_t largest(EightBits format) {
    return format == EightBits::kE4m3 ? 0x7e : 0x7b;
}

/// The number of a code without sign, also of those past the largest one, as if they were finite.
long double magnitude(EightBits format, std::uint64_t code) {
    const int fraction_bits = format == EightBits::kE4m3 ? 3 : 2;
    const int bias = format == EightBits::kE4m3 ? 7 : 15;
    const auto field = static_cast<int>(code >> fraction_bits);
    const auto fraction = static_cast<int>(code & ((1U << fraction_bits) - 1));
    const int scale = 1 - bias - fraction_bits;
    return field == 0 ? std::ldexp(static_cast<long double>(fraction), scale)
                      : std::ldexp(static_cast<long double>((1 << fraction_bits) + fraction), field - 1 + scale);
}

} // namespace

std::optional<EightBits> eight_bits_of(ptx::Type type) {
    if (type.name == "e4m3x2") {
        return EightBits::kE4m3;
    }
    return type.name == "e5m2x2" ? std::optional(EightBits::kE5m2) : std::nullopt;
}

long double decode_eight(EightBits format, std::uint64_t code) {
    const std::uint64_t size = code & kNan;
    const bool infinite = format == EightBits::kE5m2 && size == largest(format) + 1;
    if (size > largest(format) && !infinite) {
        return std::numeric_limits<long double>::quiet_NaN();
    }
    const long double number = infinite ? HUGE_VALL : magnitude(format, size);
    return (code & kSign) != 0 ? -number : number;
}

std::uint64_t encode_eight(EightBits format, long double value) {
    if (std::isnan(value)) {
        return kNan;
    }
    const long double size = std::fabs(value);
    std::uint64_t nearest = 0;
    for (std::uint64_t code = 1; code <= largest(format); ++code) {
        const long double middle = (magnitude(format, code - 1) + magnitude(format, code)) / 2;
        const bool even = code % 2 == 0;
        nearest = size > middle || (size == middle && even) ? code : nearest;
    }
    return nearest | (std::signbit(value) ? kSign : 0);
}

} // namespace smsim::ptx::interpreter

// Floating-point arithmetic on bit patterns, in every format and rounding of PTX, using the host's arithmetic: single
// and double precision with the host's rounding mode, the 16-bit formats and all conversions in 64-bit extended
// precision.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/type.h"

namespace smsim::ptx::interpreter {

/// `kAway`: to nearest, ties away from zero; only of conversions.
enum class Rounding : std::uint8_t { kNearest, kZero, kDown, kUp, kAway };

/// A binary format of IEEE 754: one sign bit, then exponent, then fraction.
struct Format {
    unsigned exponent_bits = 8;
    unsigned fraction_bits = 23;
    friend bool operator==(const Format &, const Format &) = default;
    unsigned bits() const { return 1 + exponent_bits + fraction_bits; }
};
inline constexpr Format kHalf{5, 10};
inline constexpr Format kBfloat{8, 7};
inline constexpr Format kSingle{8, 23};
inline constexpr Format kDouble{11, 52};

/// The format of a floating-point type, of an element for packed ones (f16x2); nothing for other types.
std::optional<Format> format_of(ptx::Type type);

/// The canonical NaN: all bits but the sign (docs/records/compute-set.md).
std::uint64_t canonical_nan(Format format);
bool is_nan(Format format, std::uint64_t bits);
bool is_infinite(Format format, std::uint64_t bits);
bool is_subnormal(Format format, std::uint64_t bits);
bool is_negative(Format format, std::uint64_t bits);

/// The number that the bits stand for; exact.
long double decode(Format format, std::uint64_t bits);

/// The number rounded once to the format; overflow according to the rounding, NaN canonical, the sign of zero kept.
std::uint64_t encode(Format format, long double value, Rounding rounding);

/// A subnormal number becomes the zero of its sign; everything else is unchanged.
std::uint64_t flush(Format format, std::uint64_t bits);

/// Clamped to [+0, 1]; NaN and -0 become +0.
std::uint64_t saturate(Format format, std::uint64_t bits);

/// Rounded to an integral value of the same format; a negative number that becomes zero gives -0.
long double to_integral(long double value, Rounding rounding);

// Correctly rounded operations; NaN results are canonical.
std::uint64_t add(Format format, std::uint64_t a, std::uint64_t b, Rounding rounding);
std::uint64_t multiply(Format format, std::uint64_t a, std::uint64_t b, Rounding rounding);
std::uint64_t fused(Format format, std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding rounding);
std::uint64_t divide(Format format, std::uint64_t a, std::uint64_t b, Rounding rounding); ///< single and double only
std::uint64_t root(Format format, std::uint64_t a, Rounding rounding);                    ///< single and double only

/// The bits with the opposite sign.
std::uint64_t negate(Format format, std::uint64_t bits);

} // namespace smsim::ptx::interpreter

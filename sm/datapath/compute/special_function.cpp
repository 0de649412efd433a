// MUFU: reciprocal, roots, powers, logarithm and circular functions.
//
// The hardware's tables are not public, so each function is computed in double precision and rounded once to float:
// RCP and SQRT are correctly rounded, the others are within 0.51 ulp. The series are our own and use no library call
// and no fused operation, so every host gives the same bits, and the lane loops vectorise. (SIN and COS of more than
// 2^18 radians need a reduction with more bits than a double holds and go to the host's library.)
#include <bit>
#include <cmath>
#include <limits>

#include "sm/datapath/compute/operation.h"
#include "sm/datapath/compute/rounding.h"

namespace smsim::sm::compute {
namespace {

// Adding this rounds a double to an integer, which is then in the low bits of the sum.
constexpr double kRoundToInteger = 0x1.8p52;

SMSIM_LANE_INLINE double power_of_two(std::uint64_t integer_bits) {
    return std::bit_cast<double>((integer_bits + 1023) << 52);
}

/// 2^x = 2^n * e^(r ln 2), |r| <= 1/2.
SMSIM_LANE_INLINE double exp2_of(double x) {
    // Outside these bounds the result is 0 or infinity as a float, and n stays inside the exponent of a double.
    const double bounded = x < -200.0 ? -200.0 : x > 200.0 ? 200.0 : x;
    const double shifted = bounded + kRoundToInteger;
    const double t = (bounded - (shifted - kRoundToInteger)) * 0.693147180559945309417;
    double sum = 1.0 / 6227020800.0; // 1/13!
    constexpr double kTerms[] = {
        1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
    for (const double term : kTerms) {
        sum = sum * t + term;
    }
    const double result = sum * power_of_two(std::bit_cast<std::uint64_t>(shifted));
    return x != x ? x : result;
}

/// log2(m 2^e) = e + 2/ln 2 * artanh((m-1)/(m+1)), m in [sqrt(1/2), sqrt(2)].
SMSIM_LANE_INLINE double log2_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
    constexpr std::uint64_t kOne = std::uint64_t{1023} << 52;
    constexpr std::uint64_t kSqrtTwoFraction = 0x6a09e667f3bcd;
    const std::uint64_t halve = (bits & kFraction) > kSqrtTwoFraction ? 1 : 0;
    const double m = std::bit_cast<double>(((bits & kFraction) | kOne) - (halve << 52));
    // The exponent as a double, without a conversion from integer: placed in the low bits of 2^52.
    const double e = std::bit_cast<double>(((bits >> 52) + halve) | (std::uint64_t{1075} << 52)) - (0x1p52 + 1023.0);
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    double sum = 1.0 / 21;
    constexpr double kTerms[] = {1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
    for (const double term : kTerms) {
        sum = sum * z + term;
    }
    const double result = e + (2.0 / 0.693147180559945309417) * (s * sum);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double special = x == 0.0 ? -kInfinity : x > 0.0 ? x : std::numeric_limits<double>::quiet_NaN();
    return x > 0.0 && x < kInfinity ? result : special;
}

/// sin(x + quarters * pi/2) for |x| <= 2^18.
SMSIM_LANE_INLINE double sine_of(double x, std::uint64_t quarters) {
    // pi/2 in three pieces; a multiple of the first two below 2^20 is exact.
    constexpr double kHalfPi1 = 0x1.921fb544p0;
    constexpr double kHalfPi2 = 0x1.0b4611a4p-34;
    constexpr double kHalfPi3 = 0x1.13198a2e03707p-69;
    const double shifted = x * 0.636619772367581343076 + kRoundToInteger;
    const double k = shifted - kRoundToInteger;
    const double r = ((x - k * kHalfPi1) - k * kHalfPi2) - k * kHalfPi3;
    const double z = r * r;
    double sine = 1.0 / 355687428096000.0; // 1/17!
    constexpr double kSineTerms[] = {-1.0 / 1307674368000.0,
                                     1.0 / 6227020800.0,
                                     -1.0 / 39916800,
                                     1.0 / 362880,
                                     -1.0 / 5040,
                                     1.0 / 120,
                                     -1.0 / 6,
                                     1.0};
    for (const double term : kSineTerms) {
        sine = sine * z + term;
    }
    double cosine = -1.0 / 6402373705728000.0; // 1/18!
    constexpr double kCosineTerms[] = {1.0 / 20922789888000.0,
                                       -1.0 / 87178291200.0,
                                       1.0 / 479001600,
                                       -1.0 / 3628800,
                                       1.0 / 40320,
                                       -1.0 / 720,
                                       1.0 / 24,
                                       -0.5,
                                       1.0};
    for (const double term : kCosineTerms) {
        cosine = cosine * z + term;
    }
    const std::uint64_t quadrant = std::bit_cast<std::uint64_t>(shifted) + quarters;
    const double magnitude = (quadrant & 1U) != 0 ? cosine : r * sine;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) ^ ((quadrant & 2U) << 62));
}

/// `bits`, or a zero of its sign where its magnitude is below `least`.
SMSIM_LANE_INLINE std::uint32_t at_least(std::uint32_t least, std::uint32_t bits) {
    return (bits & 0x7fffffffU) < least ? bits & 0x80000000U : bits;
}

template <typename F> SMSIM_LANE_INLINE void each_lane(const Operation &op, F f) {
    const std::uint32_t keep = op.insn.abs_b ? 0x7fffffffU : ~0U;
    const std::uint32_t flip = op.insn.neg_b ? 0x80000000U : 0U;
    const std::uint32_t least = op.insn.mod[1] != 0 ? 0x00800000U : 0U; // .FTZ: the smallest normal number
    map_b(op, [=](std::uint32_t b) {
        const std::uint32_t source = at_least(least, (b & keep) ^ flip);
        const auto result = static_cast<float>(f(static_cast<double>(std::bit_cast<float>(source))));
        return result != result ? kCanonicalNan32 : at_least(least, std::bit_cast<std::uint32_t>(result));
    });
}

/// Circular function for lanes of any size: those beyond the range of the series are computed one by one.
double circular(double x, bool cosine) {
    if (std::abs(x) <= 0x1p18) {
        return sine_of(x, cosine ? 1 : 0);
    }
    return cosine ? std::cos(x) : std::sin(x);
}

SMSIM_LANE_INLINE void circular_lanes(const Operation &op, bool cosine) {
    Row buffer;
    const std::uint32_t *b = source_b(op, buffer);
    const LaneMask small = lanes_where([b](unsigned i) { return (b[i] & 0x7fffffffU) <= 0x48800000U; }); // 2^18
    if (small == LaneMask::all()) {
        const std::uint64_t quarters = cosine ? 1 : 0;
        each_lane(op, [quarters](double x) { return sine_of(x, quarters); });
    } else {
        each_lane(op, [cosine](double x) { return circular(x, cosine); });
    }
}

} // namespace

SMSIM_MULTIVERSION void execute_mufu(const Operation &op) {
    switch (modifier<isa::Mufu>(op, 0)) {
    case isa::Mufu::kRcp:
        each_lane(op, [](double x) { return 1.0 / x; });
        break;
    case isa::Mufu::kRsq:
        each_lane(op, [](double x) { return 1.0 / std::sqrt(x); });
        break;
    case isa::Mufu::kSqrt:
        each_lane(op, [](double x) { return std::sqrt(x); });
        break;
    case isa::Mufu::kEx2:
        each_lane(op, [](double x) { return exp2_of(x); });
        break;
    case isa::Mufu::kLg2:
        each_lane(op, [](double x) { return log2_of(x); });
        break;
    case isa::Mufu::kSin:
        circular_lanes(op, false);
        break;
    case isa::Mufu::kCos:
        circular_lanes(op, true);
        break;
    }
}

} // namespace smsim::sm::compute

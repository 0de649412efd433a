#include "ptx/interpreter/floating.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

namespace smsim::ptx::interpreter {

static_assert(std::numeric_limits<long double>::digits >= 64, "conversions need 64-bit integers to be exact");

namespace {

std::uint64_t fraction_of(Format format, std::uint64_t bits) {
    return bits & ((std::uint64_t{1} << format.fraction_bits) - 1);
}
std::uint64_t exponent_of(Format format, std::uint64_t bits) {
    return (bits >> format.fraction_bits) & ((std::uint64_t{1} << format.exponent_bits) - 1);
}
std::uint64_t largest_exponent(Format format) {
    return (std::uint64_t{1} << format.exponent_bits) - 1;
}
int bias_of(Format format) {
    return (1 << (format.exponent_bits - 1)) - 1;
}
std::uint64_t sign_bit(Format format) {
    return std::uint64_t{1} << (format.bits() - 1);
}
std::uint64_t infinity(Format format) {
    return largest_exponent(format) << format.fraction_bits;
}

/// Sets the host's rounding mode for the lifetime of the object.
class HostRounding {
  public:
    explicit HostRounding(Rounding rounding) : before_(std::fegetround()) {
        std::fesetround(rounding == Rounding::kNearest ? FE_TONEAREST
                        : rounding == Rounding::kZero  ? FE_TOWARDZERO
                        : rounding == Rounding::kDown  ? FE_DOWNWARD
                                                       : FE_UPWARD);
    }
    ~HostRounding() { std::fesetround(before_); }
    HostRounding(const HostRounding &) = delete;
    HostRounding &operator=(const HostRounding &) = delete;

  private:
    int before_;
};

std::uint64_t canonical(Format format, std::uint64_t bits) {
    return is_nan(format, bits) ? canonical_nan(format) : bits;
}

float single(std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
double dbl(std::uint64_t bits) {
    return std::bit_cast<double>(bits);
}

/// Runs `operation` on host floats or doubles under a rounding mode. The operands and the result are volatile: the
/// operation must happen between the changes of the mode.
template <typename Operation>
std::uint64_t on_host(Format format, std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding rounding,
                      Operation operation) {
    const HostRounding mode(rounding);
    if (format == kSingle) {
        const volatile float x = single(a);
        const volatile float y = single(b);
        const volatile float z = single(c);
        const volatile float result = operation(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
        return canonical(format, std::bit_cast<std::uint32_t>(static_cast<float>(result)));
    }
    const volatile double x = dbl(a);
    const volatile double y = dbl(b);
    const volatile double z = dbl(c);
    const volatile double result = operation(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
    return canonical(format, std::bit_cast<std::uint64_t>(static_cast<double>(result)));
}

bool host_format(Format format) {
    return format == kSingle || format == kDouble;
}

/// x + y rounded to odd: if the sum is not exact, its last bit is set, so that a second rounding to at most 62 bits
/// gives the same result as a single one.
long double odd_sum(long double x, long double y) {
    const long double sum = x + y;
    if (!std::isfinite(sum)) {
        return sum;
    }
    const long double part = sum - x;
    const long double error = (x - (sum - part)) + (y - part);
    int exponent = 0;
    const auto digits = static_cast<std::uint64_t>(std::ldexp(std::fabs(std::frexp(sum, &exponent)), 64));
    if (error == 0 || digits % 2 == 1) {
        return sum;
    }
    return std::nextafter(sum, error > 0 ? HUGE_VALL : -HUGE_VALL);
}

/// True when a number whose digits after the last kept one are `rest` must grow in magnitude.
bool grows(bool negative, bool odd, long double rest, Rounding rounding) {
    switch (rounding) {
    case Rounding::kNearest:
        return rest > 0.5L || (rest == 0.5L && odd);
    case Rounding::kAway:
        return rest >= 0.5L;
    case Rounding::kZero:
        return false;
    case Rounding::kDown:
        return negative && rest > 0;
    default:
        return !negative && rest > 0;
    }
}

} // namespace

std::optional<Format> format_of(ptx::Type type) {
    if (type.name == "f16" || type.name == "f16x2") {
        return kHalf;
    }
    if (type.name == "bf16" || type.name == "bf16x2") {
        return kBfloat;
    }
    if (type.name == "f32") {
        return kSingle;
    }
    return type.name == "f64" ? std::optional(kDouble) : std::nullopt;
}

std::uint64_t canonical_nan(Format format) {
    return sign_bit(format) - 1;
}
bool is_nan(Format format, std::uint64_t bits) {
    return exponent_of(format, bits) == largest_exponent(format) && fraction_of(format, bits) != 0;
}
bool is_infinite(Format format, std::uint64_t bits) {
    return exponent_of(format, bits) == largest_exponent(format) && fraction_of(format, bits) == 0;
}
bool is_subnormal(Format format, std::uint64_t bits) {
    return exponent_of(format, bits) == 0 && fraction_of(format, bits) != 0;
}
bool is_negative(Format format, std::uint64_t bits) {
    return (bits & sign_bit(format)) != 0;
}
std::uint64_t negate(Format format, std::uint64_t bits) {
    return bits ^ sign_bit(format);
}

long double decode(Format format, std::uint64_t bits) {
    if (is_nan(format, bits)) {
        return std::numeric_limits<long double>::quiet_NaN();
    }
    const auto exponent = static_cast<int>(exponent_of(format, bits));
    const std::uint64_t hidden = exponent != 0 ? std::uint64_t{1} << format.fraction_bits : 0;
    const auto digits = static_cast<long double>(fraction_of(format, bits) | hidden);
    const int scale = std::max(exponent, 1) - bias_of(format) - static_cast<int>(format.fraction_bits);
    const long double magnitude = is_infinite(format, bits) ? HUGE_VALL : std::ldexp(digits, scale);
    return is_negative(format, bits) ? -magnitude : magnitude;
}

std::uint64_t encode(Format format, long double value, Rounding rounding) {
    if (std::isnan(value)) {
        return canonical_nan(format);
    }
    const bool negative = std::signbit(value);
    const std::uint64_t sign = negative ? sign_bit(format) : 0;
    if (value == 0 || std::isinf(value)) {
        return sign | (value == 0 ? 0 : infinity(format));
    }
    const int lowest = 1 - bias_of(format);
    const int exponent = std::max(std::ilogb(value), lowest);
    const int fraction = static_cast<int>(format.fraction_bits);
    const long double scaled = std::ldexp(std::fabs(value), fraction - exponent);
    const long double whole = std::floor(scaled);
    auto digits = static_cast<std::uint64_t>(whole);
    digits += grows(negative, digits % 2 == 1, scaled - whole, rounding) ? 1 : 0;
    // Digits carry into the exponent automatically; subnormal numbers have no hidden bit and the exponent 0.
    const auto above = static_cast<std::uint64_t>(exponent - lowest);
    const std::uint64_t bits = (above << fraction) + digits;
    if (bits < infinity(format) && exponent <= bias_of(format)) {
        return sign | bits;
    }
    const bool largest = rounding == Rounding::kZero || rounding == (negative ? Rounding::kUp : Rounding::kDown);
    return sign | (infinity(format) - (largest ? 1 : 0));
}

std::uint64_t flush(Format format, std::uint64_t bits) {
    return is_subnormal(format, bits) ? bits & sign_bit(format) : bits;
}

std::uint64_t saturate(Format format, std::uint64_t bits) {
    if (is_nan(format, bits) || is_negative(format, bits)) {
        return 0;
    }
    return std::min(bits, static_cast<std::uint64_t>(bias_of(format)) << format.fraction_bits);
}

long double to_integral(long double value, Rounding rounding) {
    if (!std::isfinite(value)) {
        return value;
    }
    const long double magnitude = std::fabs(value);
    const long double whole = std::floor(magnitude);
    const bool odd = std::fmod(whole, 2.0L) == 1.0L;
    const long double rounded = whole + (grows(std::signbit(value), odd, magnitude - whole, rounding) ? 1.0L : 0.0L);
    return std::copysign(rounded, value);
}

std::uint64_t add(Format format, std::uint64_t a, std::uint64_t b, Rounding rounding) {
    if (host_format(format)) {
        return on_host(format, a, b, 0, rounding, [](auto x, auto y, auto) { return x + y; });
    }
    return encode(format, odd_sum(decode(format, a), decode(format, b)), rounding);
}

std::uint64_t multiply(Format format, std::uint64_t a, std::uint64_t b, Rounding rounding) {
    if (host_format(format)) {
        return on_host(format, a, b, 0, rounding, [](auto x, auto y, auto) { return x * y; });
    }
    return encode(format, decode(format, a) * decode(format, b), rounding);
}

std::uint64_t fused(Format format, std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding rounding) {
    if (host_format(format)) {
        return on_host(format, a, b, c, rounding, [](auto x, auto y, auto z) { return std::fma(x, y, z); });
    }
    return encode(format, odd_sum(decode(format, a) * decode(format, b), decode(format, c)), rounding);
}

std::uint64_t divide(Format format, std::uint64_t a, std::uint64_t b, Rounding rounding) {
    return on_host(format, a, b, 0, rounding, [](auto x, auto y, auto) { return x / y; });
}

std::uint64_t root(Format format, std::uint64_t a, Rounding rounding) {
    return on_host(format, a, 0, 0, rounding, [](auto x, auto, auto) { return std::sqrt(x); });
}

} // namespace smsim::ptx::interpreter

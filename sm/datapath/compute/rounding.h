// Internal to sm/datapath/compute: rounding modes, canonical NaNs and the format-independent rounding that conversions
// use.
#pragma once

#include <bit>
#include <cfenv>
#include <cstdint>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "model/isa/isa.h"

namespace smsim::sm::compute {

/// NaN results carry no payload: each operation that results in a NaN returns this one.
inline constexpr std::uint32_t kCanonicalNan32 = 0x7fffffffU;
inline constexpr std::uint64_t kCanonicalNan64 = 0x7fffffffffffffffULL;
inline constexpr std::uint16_t kCanonicalNan16 = 0x7fffU;

/// Sets the rounding mode of the host for one scope. Code that computes under it must be in a separate function that is
/// not inlined, or the compiler may move the arithmetic out of the scope.
class HostRounding {
  public:
    explicit HostRounding(isa::Rounding mode) : saved_(present()) {
        set(with(saved_, static_cast<unsigned>(mode) & 3U));
    }
    ~HostRounding() { set(saved_); }
    HostRounding(const HostRounding &) = delete;
    HostRounding &operator=(const HostRounding &) = delete;

  private:
#ifdef __SSE2__ // all that float and double need there, in fewer cycles than fesetround takes
    using State = unsigned;
    static State present() {
        return _mm_getcsr();
    }
    static void set(State state) {
        _mm_setcsr(state);
    }
    static State with(State state, unsigned mode) {
        return (state & ~_MM_ROUND_MASK) | mode << 13;
    }
#else
    using State = int;
    static State present() {
        return std::fegetround();
    }
    static void set(State state) {
        std::fesetround(state);
    }
    static State with(State, unsigned mode) {
        constexpr int kModes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
        return kModes[mode];
    }
#endif

    State saved_;
};

/// magnitude / 2^shift rounded to an integer; `negative` is the sign of the number, which decides RM and RP.
constexpr std::uint64_t shift_right_rounded(std::uint64_t magnitude, unsigned shift, bool negative,
                                            isa::Rounding mode) {
    if (shift == 0) {
        return magnitude;
    }
    const std::uint64_t quotient = shift > 63 ? 0 : magnitude >> shift;
    const bool inexact = shift > 63 ? magnitude != 0 : (magnitude << (64 - shift)) != 0;
    // Compares the rest with one half: the first dropped bit, and whether any bit below it is set.
    const bool half = shift <= 64 && ((magnitude >> (shift - 1)) & 1U) != 0;
    const bool beyond_half = half && shift > 1 && (magnitude << (65 - shift)) != 0;
    bool up = false;
    switch (mode) {
    case isa::Rounding::kRn:
        up = half && (beyond_half || (quotient & 1U) != 0);
        break;
    case isa::Rounding::kRm:
        up = inexact && negative;
        break;
    case isa::Rounding::kRp:
        up = inexact && !negative;
        break;
    case isa::Rounding::kRz:
        break;
    }
    return quotient + (up ? 1 : 0);
}

/// A binary interchange format of IEEE 754, or a similar one.
struct BinaryFormat {
    int precision; ///< significant bits, including the hidden one
    int bias;      ///< also the largest exponent
    int bits;
    std::uint64_t nan;

    constexpr int least_exponent() const { return 1 - bias; }
    constexpr int fraction_bits() const { return precision - 1; }
    constexpr std::uint64_t fraction_mask() const { return (std::uint64_t{1} << fraction_bits()) - 1; }
    constexpr std::uint64_t sign_bit() const { return std::uint64_t{1} << (bits - 1); }
    constexpr std::uint64_t infinity() const { return static_cast<std::uint64_t>(2 * bias + 1) << fraction_bits(); }
    constexpr std::uint64_t one() const { return static_cast<std::uint64_t>(bias) << fraction_bits(); }
};
inline constexpr BinaryFormat kBinary16{11, 15, 16, kCanonicalNan16};
inline constexpr BinaryFormat kBfloat16{8, 127, 16, kCanonicalNan16};
inline constexpr BinaryFormat kBinary32{24, 127, 32, kCanonicalNan32};
inline constexpr BinaryFormat kBinary64{53, 1023, 64, kCanonicalNan64};

constexpr const BinaryFormat &format_of(isa::FloatType type) {
    switch (type) {
    case isa::FloatType::kF64:
        return kBinary64;
    case isa::FloatType::kF16:
        return kBinary16;
    case isa::FloatType::kBf16:
        return kBfloat16;
    case isa::FloatType::kF32:
        break;
    }
    return kBinary32;
}

/// An unpacked number: (-1)^negative * magnitude * 2^exponent, or an infinity or NaN.
struct Unpacked {
    enum class Kind : std::uint8_t { kFinite, kInfinity, kNan };
    Kind kind = Kind::kFinite;
    bool negative = false;
    std::uint64_t magnitude = 0; ///< 0 is a zero with its sign
    int exponent = 0;
};

constexpr Unpacked unpack(const BinaryFormat &format, std::uint64_t bits) {
    Unpacked number;
    number.negative = (bits & format.sign_bit()) != 0;
    const std::uint64_t fraction = bits & format.fraction_mask();
    const auto field = static_cast<int>((bits & ~format.sign_bit()) >> format.fraction_bits());
    if (field == 2 * format.bias + 1) {
        number.kind = fraction == 0 ? Unpacked::Kind::kInfinity : Unpacked::Kind::kNan;
        return number;
    }
    number.magnitude = field == 0 ? fraction : fraction | (format.fraction_mask() + 1);
    number.exponent = (field == 0 ? 1 : field) - format.bias - format.fraction_bits();
    return number;
}

/// The number rounded to a format. Overflow gives infinity or the largest finite number, depending on the mode (IEEE
/// 754 clause 7.4); a NaN becomes the canonical one.
constexpr std::uint64_t pack(const BinaryFormat &format, const Unpacked &number, isa::Rounding mode) {
    if (number.kind == Unpacked::Kind::kNan) {
        return format.nan;
    }
    const std::uint64_t sign = number.negative ? format.sign_bit() : 0;
    if (number.kind == Unpacked::Kind::kInfinity) {
        return sign | format.infinity();
    }
    if (number.magnitude == 0) {
        return sign;
    }
    const int leading = 63 - std::countl_zero(number.magnitude) + number.exponent;
    // Weight of the result's last bit: subnormal numbers share that of the smallest normal ones.
    int last = (leading > format.least_exponent() ? leading : format.least_exponent()) - format.fraction_bits();
    const int shift = last - number.exponent;
    std::uint64_t significand =
        shift <= 0 ? number.magnitude << -shift
                   : shift_right_rounded(number.magnitude, static_cast<unsigned>(shift), number.negative, mode);
    if (significand > 2 * format.fraction_mask() + 1) { // rounded up to the next power of two
        significand >>= 1;
        ++last;
    }
    if (significand <= format.fraction_mask()) {
        return sign | significand;
    }
    const int field = last + format.fraction_bits() + format.bias;
    if (field > 2 * format.bias) {
        const bool to_infinity = mode == isa::Rounding::kRn || (mode == isa::Rounding::kRp && !number.negative) ||
                                 (mode == isa::Rounding::kRm && number.negative);
        return sign | (to_infinity ? format.infinity() : format.infinity() - 1);
    }
    return sign | (static_cast<std::uint64_t>(field) << format.fraction_bits()) |
           (significand & format.fraction_mask());
}

/// The number rounded to an integral value; its sign is kept, so -0.3 becomes -0.
constexpr Unpacked round_to_integral(Unpacked number, isa::Rounding mode) {
    if (number.kind == Unpacked::Kind::kFinite && number.exponent < 0) {
        number.magnitude =
            shift_right_rounded(number.magnitude, static_cast<unsigned>(-number.exponent), number.negative, mode);
        number.exponent = 0;
    }
    return number;
}

} // namespace smsim::sm::compute

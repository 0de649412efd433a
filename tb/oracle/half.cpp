#include "tb/oracle/half.h"

#include <utility>

namespace smsim::oracle {
namespace {

using isa::Instruction;

constexpr std::uint32_t kHalfSign = 0x8000;
constexpr std::uint32_t kCanonicalHalf = 0x7fff;

/// How a format divides the 15 bits below the sign.
struct Layout {
    int digits; ///< of the stored fraction
    int bias;

    std::uint32_t infinity() const { return 0x7fff >> digits << digits; }
    std::uint32_t one() const { return static_cast<std::uint32_t>(bias) << digits; }
    std::uint32_t fraction() const { return (1U << digits) - 1; }
};

/// An integer times a power of two.
struct Number {
    __int128 digits;
    int exponent;
};

bool is_nan(Layout layout, std::uint32_t half) {
    return (half & ~kHalfSign) > layout.infinity();
}

bool is_infinite(Layout layout, std::uint32_t half) {
    return (half & ~kHalfSign) == layout.infinity();
}

Number number_of(Layout layout, std::uint32_t half) {
    const std::uint32_t field = (half & ~kHalfSign) >> layout.digits;
    const std::uint32_t hidden = field == 0 ? 0 : 1U << layout.digits;
    const auto digits = static_cast<int>((half & layout.fraction()) | hidden);
    return {(half & kHalfSign) != 0 ? -digits : digits,
            static_cast<int>(field == 0 ? 1 : field) - layout.bias - layout.digits};
}

/// The sum. Digits far below the first digit of the greater exponent only decide on which side of a result the sum is:
/// they become one unit.
Number sum(Number x, Number y) {
    if (x.exponent < y.exponent) {
        std::swap(x, y);
    }
    if (x.digits == 0 || y.digits == 0) {
        return x.digits == 0 ? y : x;
    }
    constexpr int kFar = 64;
    if (x.exponent - y.exponent <= kFar) {
        return {(x.digits << (x.exponent - y.exponent)) + y.digits, y.exponent};
    }
    return {(x.digits << kFar) + (y.digits < 0 ? -1 : 1), x.exponent - kFar};
}

/// Rounds to nearest, a tie to the even neighbour; `zero` is the sign of a sum that is 0.
std::uint32_t rounded(Layout layout, Number number, std::uint32_t zero) {
    if (number.digits == 0) {
        return zero;
    }
    const std::uint32_t sign = number.digits < 0 ? kHalfSign : 0;
    auto rest = static_cast<unsigned __int128>(number.digits < 0 ? -number.digits : number.digits);
    int exponent = number.exponent;
    const int least = 1 - layout.bias - layout.digits;
    // One digit more than the format has, and whether any digit below it was set.
    bool below = false;
    while (rest >> (layout.digits + 2) != 0 || exponent < least - 1) {
        below = below || (rest & 1) != 0;
        rest >>= 1;
        ++exponent;
    }
    while (exponent > least - 1 && rest >> (layout.digits + 1) == 0) {
        rest <<= 1;
        --exponent;
    }
    const bool half = (rest & 1) != 0;
    auto digits = static_cast<std::uint32_t>(rest >> 1);
    ++exponent;
    digits += half && (below || (digits & 1) != 0) ? 1 : 0;
    if (digits >> (layout.digits + 1) != 0) {
        digits >>= 1;
        ++exponent;
    }
    if (digits >> layout.digits == 0) {
        return sign | digits; // subnormal
    }
    const int field = exponent + layout.digits + layout.bias;
    const std::uint32_t greatest = layout.infinity() >> layout.digits;
    if (field >= static_cast<int>(greatest)) {
        return sign | layout.infinity();
    }
    return sign | static_cast<std::uint32_t>(field) << layout.digits | (digits & layout.fraction());
}

std::uint32_t add(Layout layout, Number x, Number y, bool x_negative, bool y_negative) {
    // Opposite numbers give +0, as do zeros of different signs.
    return rounded(layout, sum(x, y), x_negative && y_negative ? kHalfSign : 0);
}

std::uint32_t fused(Layout layout, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t sign = (a ^ b) & kHalfSign;
    const bool infinite = is_infinite(layout, a) || is_infinite(layout, b);
    const bool zero = (a & ~kHalfSign) == 0 || (b & ~kHalfSign) == 0;
    const bool opposite = infinite && is_infinite(layout, c) && (c & kHalfSign) != sign;
    if (is_nan(layout, a) || is_nan(layout, b) || is_nan(layout, c) || (infinite && zero) || opposite) {
        return kCanonicalHalf;
    }
    if (infinite || is_infinite(layout, c)) {
        return infinite ? sign | layout.infinity() : c;
    }
    const Number x = number_of(layout, a);
    const Number y = number_of(layout, b);
    return add(layout, {x.digits * y.digits, x.exponent + y.exponent}, number_of(layout, c), sign != 0,
               (c & kHalfSign) != 0);
}

/// Half `upper` of a source with its modifiers applied.
std::uint32_t source(const Instruction &insn, Layout layout, std::uint32_t pair, bool upper, unsigned place,
                     bool absolute, bool negated) {
    const auto halves = static_cast<isa::HalfSource>(insn.mod[place]);
    const bool from_above = halves == isa::HalfSource::kOwn ? upper : halves == isa::HalfSource::kHigh;
    std::uint32_t half = from_above ? pair >> 16 : pair & 0xffff;
    half &= absolute ? ~kHalfSign : ~std::uint32_t{0};
    half ^= negated ? kHalfSign : 0;
    const bool flush = insn.mod[1] != 0;
    return flush && (half & layout.infinity()) == 0 ? half & kHalfSign : half;
}

std::uint32_t finished(const Instruction &insn, Layout layout, std::uint32_t half) {
    if (insn.mod[1] != 0 && (half & layout.infinity()) == 0) {
        half &= kHalfSign;
    }
    const auto limit = static_cast<isa::HalfLimit>(insn.mod[2]);
    if (limit == isa::HalfLimit::kNone) {
        return half;
    }
    if (is_nan(layout, half)) {
        return limit == isa::HalfLimit::kSat ? 0 : half;
    }
    if ((half & kHalfSign) != 0) {
        return 0;
    }
    return limit == isa::HalfLimit::kSat && half > layout.one() ? layout.one() : half;
}

} // namespace

void execute_half(const Step &step, std::uint32_t *row) {
    const Instruction &insn = *step.insn;
    const bool brain = static_cast<isa::HalfFormat>(insn.mod[0]) == isa::HalfFormat::kBf16;
    const Layout layout = brain ? Layout{.digits = 7, .bias = 127} : Layout{.digits = 10, .bias = 15};
    std::uint32_t result = 0;
    for (const bool upper : {false, true}) {
        const std::uint32_t a = source(insn, layout, step.a(row), upper, 3, insn.abs_a, insn.neg_a);
        const std::uint32_t b = source(insn, layout, step.b(row), upper, 4, insn.abs_b, insn.neg_b);
        std::uint32_t half = 0;
        if (step.op == isa::Op::kHadd2) {
            half = fused(layout, a, layout.one(), b);
        } else if (step.op == isa::Op::kHmul2) {
            half = fused(layout, a, b, (a ^ b) & kHalfSign); // adding a zero of the same sign changes no product
        } else {
            half = fused(layout, a, b, source(insn, layout, step.c(row), upper, 5, insn.abs_c, insn.neg_c));
        }
        result |= finished(insn, layout, half) << (upper ? 16 : 0);
    }
    row[step.rd] = result;
}

} // namespace smsim::oracle

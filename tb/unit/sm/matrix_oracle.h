// Support for the tests of matrix instructions: a slow second implementation of tensor.md 2 in whole numbers, one
// element of D at a time, which shares no code with the model. Numbers are integers times powers of two; nothing is a
// host float.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sm/datapath/compute/matrix/arithmetic.h"
#include "sm/datapath/compute/matrix/operation.h"

namespace smsim::sm::compute::matrix::test {

using Wide = unsigned __int128;

/// A floating-point format as the oracle knows it.
struct OracleFormat {
    int exponent_bits;
    int fraction_bits;
    int low; ///< ignored bits below
    bool infinity = true;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    int width() const { return 1 + exponent_bits + fraction_bits; }
};

inline OracleFormat oracle_format(Element type) {
    switch (type) {
    case Element::kF16:
        return {5, 10, 0};
    case Element::kBf16:
        return {8, 7, 0};
    case Element::kTf32:
        return {8, 10, 13};
    case Element::kE4m3:
        return {4, 3, 0, false};
    case Element::kE5m2:
        return {5, 2, 0};
    default:
        return {8, 23, 0};
    }
}

/// (-1)^negative * significand * 2^(exponent - fraction), an infinity or a NaN.
struct Number {
    enum class Kind : std::uint8_t { kFinite, kInfinity, kNan } kind = Kind::kFinite;
    bool negative = false;
    std::uint64_t significand = 0;
    int exponent = 0; ///< of the format: at least that of its subnormal numbers
    int fraction = 0;

    bool zero() const { return kind == Kind::kFinite && significand == 0; }
};

inline Number number_of(const OracleFormat &format, std::uint64_t bits) {
    Number number;
    bits >>= format.low;
    const auto field = static_cast<int>(bits >> format.fraction_bits & ((1U << format.exponent_bits) - 1));
    const std::uint64_t fraction = bits & ((1ULL << format.fraction_bits) - 1);
    const int highest = (1 << format.exponent_bits) - 1;
    number.negative = (bits >> (format.width() - 1) & 1U) != 0;
    number.fraction = format.fraction_bits;
    if (field == highest && format.infinity) {
        number.kind = fraction == 0 ? Number::Kind::kInfinity : Number::Kind::kNan;
    } else if (field == highest && fraction == (1ULL << format.fraction_bits) - 1) {
        number.kind = Number::Kind::kNan;
    }
    number.significand = field == 0 ? fraction : fraction | 1ULL << format.fraction_bits;
    number.exponent = std::max(field, 1) - format.bias();
    return number;
}

/// The same value with the exponent it has as an f16, to which fp8 is converted on 9.0.
inline Number as_f16(Number number) {
    while (number.kind == Number::Kind::kFinite && !number.zero() && number.exponent > -14 &&
           number.significand >> number.fraction == 0) {
        number.significand <<= 1;
        --number.exponent;
    }
    return number;
}

/// An integer of 1024 bits, for exact sums; bit 0 has the weight 2^-400.
class LongNumber {
  public:
    void add(bool negative, std::uint64_t significand, int exponent) {
        Words &to = negative ? minus_ : plus_;
        const auto at = static_cast<unsigned>(exponent + 400);
        for (unsigned bit = 0; bit < 64; ++bit) {
            if ((significand >> bit & 1U) != 0) {
                std::uint64_t carry = 1ULL << ((at + bit) % 32);
                for (unsigned word = (at + bit) / 32; carry != 0; ++word) {
                    carry += to[word];
                    to[word] = static_cast<std::uint32_t>(carry);
                    carry >>= 32;
                }
            }
        }
    }

    /// Sign, and the magnitude as an integer of up to 100 bits (of which the last also stands for all below) times
    /// 2^exponent.
    void result(bool &negative, Wide &magnitude, int &exponent) const {
        negative = std::lexicographical_compare(plus_.rbegin(), plus_.rend(), minus_.rbegin(), minus_.rend());
        const Words &more = negative ? minus_ : plus_;
        const Words &less = negative ? plus_ : minus_;
        Words difference{};
        std::int64_t borrow = 0;
        for (unsigned i = 0; i < kWords; ++i) {
            const std::int64_t word = std::int64_t{more[i]} - less[i] + borrow;
            difference[i] = static_cast<std::uint32_t>(word);
            borrow = word < 0 ? -1 : 0;
        }
        int top = static_cast<int>(kWords * 32) - 1;
        const auto bit = [&difference](int i) { return difference[static_cast<unsigned>(i) / 32] >> (i % 32) & 1U; };
        while (top >= 0 && bit(top) == 0) {
            --top;
        }
        const int last = std::max(top - 98, 0);
        magnitude = 0;
        for (int i = top; i >= last; --i) {
            magnitude = magnitude << 1 | bit(i);
        }
        bool rest = false;
        for (int i = 0; i < last; ++i) {
            rest = rest || bit(i) != 0;
        }
        magnitude = magnitude << 1 | (rest ? 1U : 0U);
        exponent = last - 1 - 400;
    }

  private:
    static constexpr unsigned kWords = 32;
    using Words = std::array<std::uint32_t, kWords>;
    Words plus_{};
    Words minus_{};
};

/// Bits of magnitude * 2^exponent in f32 or f16, truncated toward zero or rounded to nearest even. `digits`: bits
/// after the point that are kept, if fewer than the format has.
inline std::uint32_t rounded(const OracleFormat &format, bool negative, Wide magnitude, int exponent, bool nearest,
                             std::optional<int> digits = {}) {
    const std::uint32_t sign = negative ? 1U << (format.width() - 1) : 0;
    if (magnitude == 0) {
        return 0;
    }
    int length = 0;
    while (length < 128 && magnitude >> length != 0) {
        ++length;
    }
    const int fraction = digits.value_or(format.fraction_bits);
    const int leading = std::max(length - 1 + exponent, 1 - format.bias());
    const int shift = leading - fraction - exponent; // bits to drop
    Wide whole = shift <= 0 ? magnitude << -shift : shift > 127 ? 0 : magnitude >> shift;
    if (nearest && shift > 0 && shift <= 127) {
        const Wide half = Wide{1} << (shift - 1);
        const Wide rest = magnitude & ((half << 1) - 1);
        whole += rest > half || (rest == half && (whole & 1U) != 0) ? 1 : 0;
    }
    whole <<= format.fraction_bits - fraction;
    int field = leading + format.bias();
    if (whole >> (format.fraction_bits + 1) != 0) {
        whole >>= 1;
        ++field;
    }
    if (field >= (1 << format.exponent_bits) - 1) {
        return sign | ((1U << format.exponent_bits) - 1) << format.fraction_bits;
    }
    const auto low = static_cast<std::uint32_t>(whole);
    if (low >> format.fraction_bits == 0) {
        return sign | low;
    }
    return sign | static_cast<std::uint32_t>(field) << format.fraction_bits |
           (low & ((1U << format.fraction_bits) - 1));
}

/// A product, in order of k.
struct Factor {
    Number a;
    Number b;
};

/// How the sums of a generation go, stated again from tensor.md 2.
struct OracleRule {
    unsigned block;
    int kept;
    std::optional<int> least;
    std::optional<int> digits;
};

inline constexpr int kOut32 = 8; // exponent bits of f32

/// What infinities and NaNs make of a sum: its bits, if they decide.
inline std::optional<std::uint32_t> decided(const OracleFormat &out, const std::vector<Factor> &products,
                                            const Number &c) {
    bool nan = c.kind == Number::Kind::kNan;
    bool plus = c.kind == Number::Kind::kInfinity && !c.negative;
    bool minus = c.kind == Number::Kind::kInfinity && c.negative;
    for (const Factor &p : products) {
        const bool infinite = p.a.kind == Number::Kind::kInfinity || p.b.kind == Number::Kind::kInfinity;
        nan = nan || p.a.kind == Number::Kind::kNan || p.b.kind == Number::Kind::kNan ||
              (infinite && (p.a.zero() || p.b.zero()));
        plus = plus || (infinite && p.a.negative == p.b.negative);
        minus = minus || (infinite && p.a.negative != p.b.negative);
    }
    const std::uint32_t infinity = ((1U << out.exponent_bits) - 1) << out.fraction_bits;
    if (nan || (plus && minus)) {
        return (1U << (out.width() - 1)) - 1;
    }
    if (plus || minus) {
        return infinity | (minus ? 1U << (out.width() - 1) : 0);
    }
    return {};
}

/// One block.
inline std::uint32_t block_sum(const OracleFormat &out, const OracleRule &rule, const std::vector<Factor> &products,
                               std::uint32_t accumulator) {
    const Number c = number_of(out, accumulator);
    if (const auto special = decided(out, products, c)) {
        return *special;
    }
    std::vector<Number> terms{c};
    for (const Factor &p : products) {
        terms.push_back({Number::Kind::kFinite, p.a.negative != p.b.negative, p.a.significand * p.b.significand,
                         p.a.exponent + p.b.exponent, p.a.fraction + p.b.fraction});
    }
    int top = rule.least.value_or(-1000);
    for (const Number &term : terms) {
        top = term.zero() ? top : std::max(top, term.exponent);
    }
    std::int64_t sum = 0;
    for (const Number &term : terms) {
        const int left = rule.kept - term.fraction - (top - term.exponent);
        const std::uint64_t cut = term.zero()   ? 0
                                  : left >= 0   ? term.significand << left
                                  : left <= -64 ? 0
                                                : term.significand >> -left;
        sum += term.negative ? -static_cast<std::int64_t>(cut) : static_cast<std::int64_t>(cut);
    }
    const Wide magnitude = static_cast<Wide>(sum < 0 ? -sum : sum);
    return rounded(out, sum < 0, magnitude, top - rule.kept, out.exponent_bits != kOut32, rule.digits);
}

/// x + y, rounded to nearest even; a sum that is exactly zero is -0 only if both are.
inline std::uint32_t sum_of_two(const OracleFormat &out, std::uint32_t x, std::uint32_t y) {
    const Number a = number_of(out, x);
    const Number b = number_of(out, y);
    const Number one{Number::Kind::kFinite, false, 1, 0, 0};
    if (const auto special = decided(out, {{a, one}}, b)) {
        return *special;
    }
    LongNumber sum;
    sum.add(a.negative, a.significand, a.exponent - a.fraction);
    sum.add(b.negative, b.significand, b.exponent - b.fraction);
    bool negative = false;
    Wide magnitude = 0;
    int exponent = 0;
    sum.result(negative, magnitude, exponent);
    if (magnitude == 0) {
        return a.negative && b.negative ? 1U << (out.width() - 1) : 0;
    }
    return rounded(out, negative, magnitude, exponent, true);
}

/// The rule of a generation for products of a type.
inline OracleRule oracle_rule(Arithmetic arithmetic, Element a, bool out_is_f16, bool zero_terms) {
    const bool fp8 = a == Element::kE4m3 || a == Element::kE5m2;
    if (a != Element::kF16) { // what a generation lacks follows the first that has it
        arithmetic = std::max(arithmetic, fp8 ? Arithmetic::k8_9 : Arithmetic::k8_0);
    }
    OracleRule rule{};
    int least_f16 = 0;
    int least_f32 = 0;
    if (arithmetic == Arithmetic::k7_0) {
        rule = {4, 23, {}, {}};
        least_f16 = -19;
        least_f32 = -131;
    } else if (arithmetic == Arithmetic::k9_0) {
        rule = {16, 25, {}, {}};
        least_f16 = -21;
        least_f32 = -133;
    } else {
        rule = {8, 24, {}, {}};
        least_f16 = -20;
        least_f32 = -132;
    }
    if (a == Element::kTf32) {
        rule.block = arithmetic == Arithmetic::k9_0 ? 8 : 4;
    }
    if (fp8) {
        rule.block = 16;
        if (arithmetic == Arithmetic::k8_9) {
            rule.kept = 13;
            if (!out_is_f16) {
                rule.digits = 13;
            }
        }
    }
    if (zero_terms) {
        rule.least = out_is_f16 ? least_f16 : least_f32;
    }
    return rule;
}

/// An element of D of block floats: `a` and `b` are raw elements in order of k, of a sparse operation those that are
/// stored.
inline std::uint32_t oracle_dot(const MatrixOperation &op, Arithmetic arithmetic, bool zero_terms,
                                const std::vector<std::uint64_t> &a, const std::vector<std::uint64_t> &b,
                                std::uint32_t c) {
    const OracleFormat of_c = oracle_format(op.c);
    const OracleFormat out = oracle_format(op.d);
    std::vector<Factor> all;
    for (std::size_t i = 0; i < a.size(); ++i) {
        all.push_back({number_of(oracle_format(op.a), a[i]), number_of(oracle_format(op.b), b[i])});
    }
    const Number number = number_of(of_c, c);
    if (arithmetic == Arithmetic::kExact) {
        if (const auto special = decided(out, all, number)) {
            return *special;
        }
        LongNumber sum;
        sum.add(number.negative, number.significand, number.exponent - number.fraction);
        for (const Factor &p : all) {
            sum.add(p.a.negative != p.b.negative, p.a.significand * p.b.significand,
                    p.a.exponent + p.b.exponent - p.a.fraction - p.b.fraction);
        }
        bool negative = false;
        Wide magnitude = 0;
        int exponent = 0;
        sum.result(negative, magnitude, exponent);
        return rounded(out, negative, magnitude, exponent, true);
    }
    std::uint32_t accumulator = c;
    if (op.c != op.d) { // C as the type of D
        accumulator = decided(out, {}, number)
                          .value_or(number.zero() ? (number.negative ? 1U << (out.width() - 1) : 0)
                                                  : rounded(out, number.negative, number.significand,
                                                            number.exponent - number.fraction, true));
    }
    const OracleRule rule = oracle_rule(arithmetic, op.a, op.d == Element::kF16, zero_terms);
    const bool fp8 = op.a == Element::kE4m3 || op.a == Element::kE5m2;
    if (fp8 && arithmetic == Arithmetic::k9_0) {
        std::uint32_t sum = 0;
        for (std::size_t first = 0; first < 4; first += 2) {
            std::vector<Factor> half;
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (i % 4 / 2 == first / 2) {
                    half.push_back({as_f16(all[i].a), as_f16(all[i].b)});
                }
            }
            sum = block_sum(out, rule, half, sum);
        }
        return sum_of_two(out, sum, accumulator);
    }
    for (std::size_t at = 0; at < all.size(); at += rule.block) {
        const std::size_t end = std::min<std::size_t>(at + rule.block, all.size());
        accumulator = block_sum(
            out, rule, {all.begin() + static_cast<std::ptrdiff_t>(at), all.begin() + static_cast<std::ptrdiff_t>(end)},
            accumulator);
    }
    return accumulator;
}

} // namespace smsim::sm::compute::matrix::test

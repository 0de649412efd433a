#include "ptx/interpreter/matrix_arithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <vector>

#include "ptx/interpreter/floating.h"
#include "ptx/interpreter/operation.h"

namespace smsim::ptx::interpreter {

namespace {

using isa::matrix::Element;
using isa::matrix::MatrixOperation;
using Bits = std::uint64_t;

/// An element taken apart: significand * 2^(exponent - fraction) with a sign, or something that is no number. The
/// significand of a subnormal number has no leading one. Products of elements have this form, too.
struct Number {
    enum class Kind : std::uint8_t { kFinite, kInfinite, kNan };
    Kind kind = Kind::kFinite;
    bool negative = false;
    std::uint64_t significand = 0;
    int exponent = 0;
    int fraction = 0;

    bool is_zero() const { return kind == Kind::kFinite && significand == 0; }
    /// The exponent of the lowest bit of the significand.
    int lowest() const { return exponent - fraction; }
};

/// A floating-point type of elements: its format, how many bits of an element lie below it, and whether the highest
/// exponent is that of infinities and NaNs. If not, only all ones is a NaN.
struct ElementFormat {
    Format format;
    unsigned below = 0;
    bool has_infinity = true;
};

constexpr ElementFormat kTf32Format{{8, 10}, 13, true};
constexpr ElementFormat kE4m3Format{{4, 3}, 0, false};
constexpr ElementFormat kE5m2Format{{5, 2}, 0, true};

ElementFormat format_of_element(Element type) {
    switch (type) {
    case Element::kF16:
        return {kHalf};
    case Element::kBf16:
        return {kBfloat};
    case Element::kTf32:
        return kTf32Format;
    case Element::kE4m3:
        return kE4m3Format;
    case Element::kE5m2:
        return kE5m2Format;
    case Element::kF64:
        return {kDouble};
    default:
        return {kSingle};
    }
}

Number number_of(const ElementFormat &type, Bits bits) {
    const Format format = type.format;
    const Bits own = low_bits(bits >> type.below, format.bits());
    const Bits fraction = low_bits(own, format.fraction_bits);
    const Bits exponent = low_bits(own >> format.fraction_bits, format.exponent_bits);
    const Bits highest = low_bits(~Bits{0}, format.exponent_bits);
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    Number number;
    number.negative = (own >> (format.bits() - 1)) != 0;
    number.fraction = static_cast<int>(format.fraction_bits);
    number.exponent = static_cast<int>(std::max<Bits>(exponent, 1)) - bias;
    number.significand = fraction + (exponent != 0 ? Bits{1} << format.fraction_bits : 0);
    if (exponent == highest && type.has_infinity) {
        number.kind = fraction == 0 ? Number::Kind::kInfinite : Number::Kind::kNan;
    } else if (exponent == highest && fraction == low_bits(~Bits{0}, format.fraction_bits)) {
        number.kind = Number::Kind::kNan;
    }
    return number;
}

/// The product, exact and not normalised.
Number product(const Number &a, const Number &b) {
    Number result;
    result.negative = a.negative != b.negative;
    result.significand = a.significand * b.significand;
    result.exponent = a.exponent + b.exponent;
    result.fraction = a.fraction + b.fraction;
    const bool infinite = a.kind == Number::Kind::kInfinite || b.kind == Number::Kind::kInfinite;
    if (a.kind == Number::Kind::kNan || b.kind == Number::Kind::kNan || (infinite && (a.is_zero() || b.is_zero()))) {
        result.kind = Number::Kind::kNan;
    } else if (infinite) {
        result.kind = Number::Kind::kInfinite;
    }
    return result;
}

/// A sum of numbers without any rounding: one integer, in two's complement, of units of 2^-320. Products of all types
/// but f64 are multiples of 2^-272 and below 2^256.
class ExactSum {
  public:
    void add(bool negative, std::uint64_t significand, int lowest) {
        const auto position = static_cast<unsigned>(lowest - kUnit);
        const unsigned __int128 shifted = static_cast<unsigned __int128>(significand) << position % 64;
        const std::array<std::uint64_t, 2> parts = {static_cast<std::uint64_t>(shifted),
                                                    static_cast<std::uint64_t>(shifted >> 64)};
        std::uint64_t carry = negative ? 1 : 0; // minus a number is plus its complement and one
        for (unsigned i = 0; i < kWords; ++i) {
            const bool inside = i >= position / 64 && i - position / 64 < 2;
            const std::uint64_t part = inside ? parts.at(i - position / 64) : 0;
            const unsigned __int128 sum =
                static_cast<unsigned __int128>(words_.at(i)) + (negative ? ~part : part) + carry;
            words_.at(i) = static_cast<std::uint64_t>(sum);
            carry = static_cast<std::uint64_t>(sum >> 64);
        }
    }

    /// The sum in a format. An exact zero is +0, too large a number an infinity in either rounding, to nearest or
    /// toward zero.
    Bits rounded(Format format, Rounding rounding) const {
        const bool negative = words_.back() >> 63 != 0;
        const ExactSum size = negative ? opposite() : *this;
        const int highest = size.highest_bit();
        if (highest < 0) {
            return 0;
        }
        const int least = 2 - (1 << (format.exponent_bits - 1));
        const int exponent = std::max(highest + kUnit, least);
        const int kept_from = exponent - static_cast<int>(format.fraction_bits) - kUnit;
        Bits digits = 0;
        for (int i = highest; i >= kept_from; --i) {
            digits = 2 * digits + (size.bit(i) ? 1 : 0);
        }
        const bool half = size.bit(kept_from - 1);
        bool more = false;
        for (int i = 0; i < kept_from - 1; ++i) {
            more = more || size.bit(i);
        }
        if (rounding == Rounding::kNearest && half && (more || digits % 2 == 1)) {
            ++digits;
        }
        // A leading one adds one to the exponent field, and so does the carry of rounding.
        const Bits magnitude = (static_cast<Bits>(exponent - least) << format.fraction_bits) + digits;
        const Bits infinity = low_bits(~Bits{0}, format.exponent_bits) << format.fraction_bits;
        return std::min(magnitude, infinity) | (negative ? Bits{1} << (format.bits() - 1) : 0);
    }

  private:
    static constexpr int kUnit = -320;
    static constexpr unsigned kWords = 10;

    bool bit(int at) const { return at >= 0 && (words_.at(static_cast<unsigned>(at) / 64) >> at % 64 & 1) != 0; }

    int highest_bit() const {
        int at = static_cast<int>(64 * kWords) - 1;
        while (at >= 0 && !bit(at)) {
            --at;
        }
        return at;
    }

    ExactSum opposite() const {
        ExactSum result;
        std::uint64_t carry = 1;
        for (unsigned i = 0; i < kWords; ++i) {
            result.words_.at(i) = ~words_.at(i) + carry;
            carry = carry != 0 && words_.at(i) == 0 ? 1 : 0;
        }
        return result;
    }

    std::array<std::uint64_t, kWords> words_{};
};

/// How a generation sums one type of products.
struct Rule {
    unsigned block = 0;       ///< products that are summed at once
    int kept = 0;             ///< bits after the point of the largest term that take part
    std::optional<int> least; ///< exponent that the largest term has at least
    Format result;            ///< of the accumulator; a shorter fraction than D has is filled with zeros
    Rounding rounding = Rounding::kNearest;
    bool as_f16 = false; ///< fp8 by way of f16
};

/// The first generation that has the type, but not before the one that is asked for.
TensorArithmetic generation_for(Element type, TensorArithmetic asked) {
    const TensorArithmetic first = type == Element::kF16       ? TensorArithmetic::k7_0
                                   : isa::matrix::is_fp8(type) ? TensorArithmetic::k8_9
                                                               : TensorArithmetic::k8_0;
    return std::max(asked, first);
}

/// Products in a block of f16, bf16 and fp8; half as many tf32 have the same width.
unsigned block_of(Element type, TensorArithmetic generation) {
    if (isa::matrix::is_fp8(type)) {
        return 16;
    }
    const unsigned f16 = generation == TensorArithmetic::k7_0 ? 4 : generation == TensorArithmetic::k9_0 ? 16 : 8;
    return type == Element::kTf32 ? f16 / 2 : f16;
}

/// The exponent of terms that are zero.
std::optional<int> least_exponent(TensorArithmetic generation, bool to_f16) {
    switch (generation) {
    case TensorArithmetic::k7_0:
        return to_f16 ? std::optional(-19) : std::nullopt;
    case TensorArithmetic::k9_0:
        return to_f16 ? -21 : -133;
    default:
        return to_f16 ? -20 : -132;
    }
}

/// Precondition: a floating-point type, and not exact.
Rule rule_for(const MatrixOperation &operation, const MatrixArithmetic &arithmetic) {
    const TensorArithmetic generation = generation_for(operation.a, arithmetic.generation);
    const bool to_f16 = operation.d == Element::kF16;
    const bool fp8 = isa::matrix::is_fp8(operation.a);
    Rule rule;
    rule.block = block_of(operation.a, generation);
    rule.least = arithmetic.zero_terms ? least_exponent(generation, to_f16) : std::nullopt;
    rule.result = to_f16 ? kHalf : kSingle;
    rule.rounding = to_f16 ? Rounding::kNearest : Rounding::kZero;
    rule.kept = generation == TensorArithmetic::k7_0 ? 23 : generation == TensorArithmetic::k9_0 ? 25 : 24;
    if (fp8 && generation == TensorArithmetic::k8_9) {
        rule.kept = 13;
        rule.result = to_f16 ? kHalf : Format{8, 13};
    }
    rule.as_f16 = fp8 && generation == TensorArithmetic::k9_0;
    return rule;
}

/// What the terms give if not all of them are finite.
std::optional<Number> special_sum(std::span<const Number> terms) {
    std::optional<Number> result;
    for (const Number &term : terms) {
        const bool opposed = result && term.kind == Number::Kind::kInfinite && result->negative != term.negative;
        if (term.kind == Number::Kind::kNan || opposed) {
            Number nan;
            nan.kind = Number::Kind::kNan;
            return nan;
        }
        if (term.kind == Number::Kind::kInfinite) {
            result = term;
        }
    }
    return result;
}

/// The bits of an infinity or NaN.
Bits special_bits(const Number &number, Format format) {
    if (number.kind == Number::Kind::kNan) {
        return canonical_nan(format);
    }
    const Bits infinity = low_bits(~Bits{0}, format.exponent_bits) << format.fraction_bits;
    return infinity | (number.negative ? Bits{1} << (format.bits() - 1) : 0);
}

/// The bits of a term without those below 2^lowest.
std::uint64_t cut(const Number &term, int lowest) {
    const int away = lowest - term.lowest();
    return away <= 0 ? term.significand : away >= 64 ? 0 : term.significand >> away;
}

/// One block: terms, of which the accumulator is one, to the new accumulator in the format of D.
Bits sum_block(const Rule &rule, Format d, std::span<const Number> terms) {
    if (const auto special = special_sum(terms)) {
        return special_bits(*special, d);
    }
    std::optional<int> largest;
    for (const Number &term : terms) {
        if (!term.is_zero()) {
            largest = std::max(largest.value_or(term.exponent), term.exponent);
        }
    }
    if (!largest) {
        return 0;
    }
    const int lowest = std::max(*largest, rule.least.value_or(*largest)) - rule.kept;
    ExactSum sum;
    for (const Number &term : terms) {
        sum.add(term.negative, cut(term, lowest), std::max(term.lowest(), lowest));
    }
    return sum.rounded(rule.result, rule.rounding) << (d.bits() - rule.result.bits());
}

Format result_format(Element d) {
    return d == Element::kF16 ? kHalf : kSingle;
}

/// Products in blocks, one after the other, on `accumulator`.
Bits sum_in_blocks(const Rule &rule, Format d, std::span<const Number> products, Bits accumulator) {
    std::vector<Number> terms;
    for (std::size_t from = 0; from < products.size(); from += rule.block) {
        const auto block = products.subspan(from, std::min<std::size_t>(rule.block, products.size() - from));
        terms.assign(block.begin(), block.end());
        terms.push_back(number_of({d}, accumulator));
        accumulator = sum_block(rule, d, terms);
    }
    return accumulator;
}

/// C in the type of D.
Bits converted(Element c, Element d, Bits bits) {
    const Number number = number_of(format_of_element(c), bits);
    const Format format = result_format(d);
    if (c == d) {
        return bits;
    }
    if (number.kind != Number::Kind::kFinite) {
        return special_bits(number, format);
    }
    ExactSum sum;
    sum.add(number.negative, number.significand, number.lowest());
    return sum.rounded(format, Rounding::kNearest);
}

/// An e4m3 or e5m2 with the exponent that it has as an f16. All of them are f16 numbers, and those that are subnormal
/// in e4m3 are not in f16.
Number as_f16(Number number) {
    while (number.kind == Number::Kind::kFinite && number.significand != 0 && number.exponent > -14 &&
           number.significand >> number.fraction == 0) {
        number.significand *= 2;
        number.exponent -= 1;
    }
    return number;
}

/// fp8 by way of f16: half of the products on nothing, the other half on that, and then C.
Bits sum_as_f16(const Rule &rule, Format d, std::span<const Number> products, Bits c) {
    std::array<std::vector<Number>, 2> halves;
    for (std::size_t k = 0; k < products.size(); ++k) {
        halves.at(k % 4 / 2).push_back(products[k]);
    }
    Bits sum = 0;
    for (const std::vector<Number> &half : halves) {
        sum = sum_in_blocks(rule, d, half, sum);
    }
    return add(d, sum, c, Rounding::kNearest);
}

/// The exact sum, rounded once.
Bits sum_exactly(const MatrixOperation &operation, std::vector<Number> terms, Bits c) {
    terms.push_back(number_of(format_of_element(operation.c), c));
    const Format d = result_format(operation.d);
    if (const auto special = special_sum(terms)) {
        return special_bits(*special, d);
    }
    ExactSum sum;
    for (const Number &term : terms) {
        sum.add(term.negative, term.significand, term.lowest());
    }
    return sum.rounded(d, Rounding::kNearest);
}

/// .satfinite of floating-point results.
Bits finite(Format format, Bits bits) {
    if (is_nan(format, bits)) {
        return 0;
    }
    return is_infinite(format, bits) ? bits - 1 : bits;
}

Bits float_element(const MatrixOperation &operation, std::span<const Bits> a, std::span<const Bits> b, Bits c,
                   const MatrixArithmetic &arithmetic) {
    const bool exact = arithmetic.generation == TensorArithmetic::kExact;
    const Rule rule = exact ? Rule{} : rule_for(operation, arithmetic);
    std::vector<Number> products;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const Number x = number_of(format_of_element(operation.a), a[k]);
        const Number y = number_of(format_of_element(operation.b), b[k]);
        products.push_back(rule.as_f16 ? product(as_f16(x), as_f16(y)) : product(x, y));
    }
    const Format d = result_format(operation.d);
    Bits sum = 0;
    if (exact) {
        sum = sum_exactly(operation, std::move(products), c);
    } else {
        const Bits accumulator = converted(operation.c, operation.d, c);
        sum = rule.as_f16 ? sum_as_f16(rule, d, products, accumulator) : sum_in_blocks(rule, d, products, accumulator);
    }
    return operation.saturate ? finite(d, sum) : sum;
}

Rounding rounding_of(isa::Rounding rounding) {
    switch (rounding) {
    case isa::Rounding::kRz:
        return Rounding::kZero;
    case isa::Rounding::kRm:
        return Rounding::kDown;
    case isa::Rounding::kRp:
        return Rounding::kUp;
    default:
        return Rounding::kNearest;
    }
}

Bits double_element(const MatrixOperation &operation, std::span<const Bits> a, std::span<const Bits> b, Bits c) {
    for (std::size_t k = 0; k < a.size(); ++k) {
        c = fused(kDouble, a[k], b[k], c, rounding_of(operation.rounding));
    }
    return c;
}

std::int64_t integer_element_of(Element type, Bits bits) {
    const unsigned width = isa::matrix::width(type);
    return isa::matrix::is_signed(type) ? sign_extended(bits, width) : static_cast<std::int64_t>(low_bits(bits, width));
}

Bits integer_element(const MatrixOperation &operation, std::span<const Bits> a, std::span<const Bits> b, Bits c) {
    std::int64_t sum = sign_extended(c, 32);
    for (std::size_t k = 0; k < a.size(); ++k) {
        sum += integer_element_of(operation.a, a[k]) * integer_element_of(operation.b, b[k]);
    }
    if (operation.saturate) {
        sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                       std::numeric_limits<std::int32_t>::max());
    }
    return low_bits(static_cast<Bits>(sum), 32);
}

Bits bit_element(const MatrixOperation &operation, std::span<const Bits> a, std::span<const Bits> b, Bits c) {
    for (std::size_t k = 0; k < a.size(); ++k) {
        c += (operation.and_not_xor ? a[k] & b[k] : a[k] ^ b[k]) & 1;
    }
    return low_bits(c, 32);
}

} // namespace

std::uint64_t matrix_element(const MatrixOperation &operation, std::span<const std::uint64_t> a,
                             std::span<const std::uint64_t> b, std::uint64_t c, const MatrixArithmetic &arithmetic) {
    switch (operation.a) {
    case Element::kF64:
        return double_element(operation, a, b, c);
    case Element::kS8:
    case Element::kU8:
    case Element::kS4:
    case Element::kU4:
        return integer_element(operation, a, b, c);
    case Element::kB1:
        return bit_element(operation, a, b, c);
    default:
        return float_element(operation, a, b, c, arithmetic);
    }
}

} // namespace smsim::ptx::interpreter

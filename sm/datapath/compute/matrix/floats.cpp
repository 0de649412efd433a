// Matrix instructions of f16, bf16, tf32 and fp8: unpacks the operands, sums, and sees to infinities and NaNs.
#include <algorithm>
#include <bit>
#include <limits>

#include "sm/datapath/compute/matrix/columns.h"
#include "sm/datapath/compute/matrix/fragments.h"
#include "sm/datapath/compute/matrix/kinds.h"
#include "sm/datapath/compute/matrix/rounded.h"
#include "sm/datapath/compute/matrix/sums.h"
#include "sm/datapath/compute/rounding.h"

namespace smsim::sm::compute::matrix {
namespace {

constexpr std::uint32_t kMagnitude32 = 0x7fffffffU;
constexpr std::uint32_t kInfinity32 = 0x7f800000U;
constexpr std::uint32_t kLargest32 = 0x7f7fffffU;
constexpr std::uint32_t kInfinity16 = 0x7c00U;
constexpr std::uint32_t kLargest16 = 0x7bffU;

SMSIM_LANE_INLINE bool is_special(std::uint32_t bits) {
    return (bits & kMagnitude32) >= kInfinity32;
}

/// An f16 as a float.
SMSIM_LANE_INLINE float widened(std::uint32_t half) {
    const std::uint32_t field = half >> 10 & 31U;
    const std::uint32_t lead = field != 0 ? 0x400U : 0U;
    const auto significand = static_cast<float>(static_cast<std::int32_t>((half & 0x3ffU) | lead));
    const std::uint32_t exponent = (field != 0 ? field : 1U) + 127 - 15 - 10;
    const auto finite = std::bit_cast<std::uint32_t>(significand * std::bit_cast<float>(exponent << 23));
    const std::uint32_t magnitude = field == 31 ? kInfinity32 | (half & 0x3ffU) << 13 : finite;
    return std::bit_cast<float>(magnitude | (half & 0x8000U) << 16);
}

/// A number rounded to f16 unless it is an infinity or a NaN, which stay.
SMSIM_LANE_INLINE float to_f16(double value) {
    const auto whole = static_cast<float>(value);
    const bool finite = (std::bit_cast<std::uint64_t>(value) >> 52 & 0x7ffU) != 0x7ffU;
    return finite ? rounded_to_f16(value) : whole;
}

/// C as the type of D, or, for exact sums, as it is.
SMSIM_MULTIVERSION_LONG void take_c(const MatrixOperation &op, const std::uint32_t *c, unsigned count, bool exact,
                                    Results &results) {
    if (op.c == Element::kF16) {
        for (unsigned i = 0; i < count; ++i) {
            results.of[i] = widened(c[i]);
        }
        return;
    }
    std::memcpy(results.of, c, count * sizeof *c);
    if (op.d == Element::kF16 && !exact) {
        for (unsigned i = 0; i < count; ++i) {
            results.of[i] = to_f16(results.of[i]);
        }
    }
}

/// Bits of an f16 from a float that is one.
SMSIM_LANE_INLINE std::uint32_t narrowed(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t size = bits & kMagnitude32;
    const std::uint32_t normal = (size - (std::uint32_t{127 - 15} << 23)) >> 13;
    // Numbers below 2^-14, where the product below is an integer; for others it must not exceed one.
    const float bounded = std::bit_cast<float>(size < 0x38800000U ? size : 0U);
    const auto subnormal = static_cast<std::uint32_t>(static_cast<std::int32_t>(bounded * 0x1p24F));
    const std::uint32_t finite = size < 0x38800000U ? subnormal : normal;
    const std::uint32_t special = size > kInfinity32 ? kCanonicalNan16 : kInfinity16 | (bits >> 16 & 0x8000U);
    return size >= kInfinity32 ? special : finite | (bits >> 16 & 0x8000U);
}

/// .satfinite of f16 products: infinity becomes `largest`, a NaN +0. `magnitude_mask` is that of the type.
void saturate_floats(std::uint32_t *d, unsigned count, std::uint32_t magnitude_mask, std::uint32_t infinity,
                     std::uint32_t largest) {
    for (unsigned i = 0; i < count; ++i) {
        const std::uint32_t magnitude = d[i] & magnitude_mask;
        if (magnitude > infinity) {
            d[i] = 0;
        } else if (magnitude == infinity) {
            d[i] = (d[i] & ~magnitude_mask) | largest;
        }
    }
}

SMSIM_MULTIVERSION_LONG void round_to_d(const MatrixOperation &op, const Results &results, unsigned count,
                                        std::uint32_t *d) {
    if (op.d == Element::kF16) {
        for (unsigned i = 0; i < count; ++i) {
            d[i] = narrowed(results.of[i]);
        }
    } else {
        for (unsigned i = 0; i < count; ++i) {
            const auto bits = std::bit_cast<std::uint32_t>(results.of[i]);
            d[i] = (bits & kMagnitude32) > kInfinity32 ? kCanonicalNan32 : bits;
        }
    }
}

/// Classes of A and B (planes.h), of an operation that has infinities or NaNs there.
struct Classes {
    Values a;
    Values b;
};

/// Replaces results that infinities and NaNs of A and B decide. `before` is what the terms were added to.
void decide_special(const Terms &terms, const Classes &classes, const MatrixOperation &op, const Tile &tile,
                    unsigned first, unsigned last, const Results &before, Results &results) {
    for (unsigned i = 0; i < tile.rows * kColumns; ++i) {
        const unsigned row = i / kColumns;
        const std::uint16_t *of_b = op.sparse ? terms.b_of_row[row] : terms.b;
        const float *a = classes.a.all + row * tile.words_a;
        const float *b = classes.b.all + i % kColumns;
        float sum = is_special(std::bit_cast<std::uint32_t>(before.of[i])) ? before.of[i] : 0.0F;
        for (unsigned term = first; term < last; ++term) {
            sum += a[terms.a[term]] * b[of_b[term]];
        }
        if (is_special(std::bit_cast<std::uint32_t>(sum))) {
            results.of[i] = sum;
        }
    }
}

/// All sums, with what infinities and NaNs of A and B make of them.
void add_with_special(const MatrixOperation &op, const Tile &tile, const SumRule &rule, const Factors &factors,
                      const Terms &terms, bool exact, Results &results) {
    Classes classes;
    classify(op.a, tile.a, tile.rows * tile.words_a, classes.a);
    classify(op.b, tile.b, kColumns * tile.words_b, classes.b);
    for (unsigned block = 0; block * rule.block < terms.count; ++block) {
        const Results before = results;
        if (exact) {
            add_exactly(op, tile, factors, terms, results);
        } else {
            add_block(op, tile, rule, factors, terms, block, results);
        }
        decide_special(terms, classes, op, tile, block * rule.block, (block + 1) * rule.block, before, results);
    }
}

/// Adds the sums of fp8 on 9.0 to C, with one rounding.
SMSIM_MULTIVERSION void add_c(const MatrixOperation &op, const Results &sums, unsigned count, Results &results) {
    if (op.d == Element::kF16) {
        for (unsigned i = 0; i < count; ++i) {
            results.of[i] = to_f16(static_cast<double>(sums.of[i]) + static_cast<double>(results.of[i]));
        }
    } else {
        for (unsigned i = 0; i < count; ++i) {
            results.of[i] += sums.of[i];
        }
    }
}

/// Adds to C what `add` adds to results: to C itself, or to zeros that are then added to C.
template <typename Add>
void add_to_c(const MatrixOperation &op, const SumRule &rule, unsigned count, Results &c, const Add &add) {
    if (rule.by_f16) {
        Results sums{};
        add(sums);
        add_c(op, sums, count, c);
    } else {
        add(c);
    }
}

/// `count` results as bits of D.
void put_d(const MatrixOperation &op, const Results &results, unsigned count, std::uint32_t *d) {
    round_to_d(op, results, count, d);
    if (op.saturate) {
        const bool half = op.d == Element::kF16;
        saturate_floats(d, count, half ? 0x7fffU : kMagnitude32, half ? kInfinity16 : kInfinity32,
                        half ? kLargest16 : kLargest32);
    }
}

/// A and B, of so many words, unpacked.
void prepare(const MatrixOperation &op, bool by_f16, const std::uint32_t *a, unsigned words_a, const std::uint32_t *b,
             unsigned words_b, Factors &factors) {
    unpack(op.a, a, words_a, factors.a);
    unpack(op.b, b, words_b, factors.b);
    if (by_f16 && op.a == Element::kE4m3) {
        exponents_as_f16(words_a, factors.a);
    }
    if (by_f16 && op.b == Element::kE4m3) {
        exponents_as_f16(words_b, factors.b);
    }
}

/// Adds all products to `results`.
void add_products(const MatrixOperation &op, const Tile &tile, const SumRule &rule, const Row *metadata, bool exact,
                  Results &results) {
    Factors factors;
    prepare(op, rule.by_f16, tile.a, tile.rows * tile.words_a, tile.b, kColumns * tile.words_b, factors);
    const bool special = factors.a.special || factors.b.special;
    Terms terms;
    if (op.sparse || exact || special) {
        list_terms(op, tile, {rule.block, rule.by_f16}, metadata, terms);
    }
    if (special) {
        add_with_special(op, tile, rule, factors, terms, exact, results);
    } else if (exact) {
        add_exactly(op, tile, factors, terms, results);
    } else {
        const unsigned count = tile.words_a * per_register(op.a);
        for (unsigned block = 0; block * rule.block < count; ++block) {
            add_block(op, tile, rule, factors, terms, block, results);
        }
    }
}

} // namespace

void multiply_floats(const MatrixOperation &op, Arithmetic arithmetic, bool zero_terms, const Row *metadata,
                     Tile &tile) {
    const bool exact = arithmetic == Arithmetic::kExact;
    const unsigned terms = tile.words_a * per_register(op.a);
    const unsigned count = tile.rows * kColumns;
    SumRule rule = sum_rule(op, exact ? Arithmetic::k8_0 : arithmetic, zero_terms);
    rule.block = exact ? terms : std::min(rule.block, rule.by_f16 ? terms / 2 : terms);
    Results c;
    take_c(op, tile.c, count, exact, c);
    add_to_c(op, rule, count, c, [&](Results &results) { add_products(op, tile, rule, metadata, exact, results); });
    put_d(op, c, count, tile.c);
}

bool multiply_floats(const MatrixOperation &op, Arithmetic arithmetic, bool zero_terms, ColumnTile &tile) {
    SumRule rule = sum_rule(op, arithmetic, zero_terms);
    rule.block = std::min(rule.block, rule.by_f16 ? op.k / 2 : op.k);
    Factors factors;
    prepare(op, rule.by_f16, tile.a, kMaxRows * tile.words, tile.b, kColumns * tile.words, factors);
    if (factors.a.special || factors.b.special) {
        return false;
    }
    Results c;
    take_c(op, tile.c, kMaxResults, false, c);
    add_to_c(op, rule, kMaxResults, c, [&](Results &results) { add_blocks(op, tile, rule, factors, results); });
    put_d(op, c, kMaxResults, tile.c);
    return true;
}

} // namespace smsim::sm::compute::matrix

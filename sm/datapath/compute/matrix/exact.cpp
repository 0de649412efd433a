// Sums of all products with one rounding (key `tensor.arithmetic`: `exact`).
//
// A sum is kept as two doubles, of which the second collects what rounding takes from the first. As long as the second
// is not rounded itself, their sum is exact. In the rare other case the sum is done again with a long integer.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "sm/datapath/compute/matrix/columns.h"
#include "sm/datapath/compute/matrix/fragments.h"
#include "sm/datapath/compute/matrix/rounded.h"
#include "sm/datapath/compute/matrix/sums.h"

namespace smsim::sm::compute::matrix {
namespace {

constexpr std::int64_t kMagnitude64 = 0x7fffffffffffffff;

/// The values of A and B as doubles, [part][word].
struct DoubleValues {
    alignas(64) double all[4 * kMaxWords];
};

void widen_values(const MatrixOperation &op, const Planes &planes, unsigned words, DoubleValues &values) {
    const bool wide = is_wide(op.a);
    for (unsigned part = 0; part < per_register(op.a); ++part) {
        for (unsigned i = 0; i < words; ++i) {
            const std::int64_t exponent = std::max<int>(planes.exponent.of[part / 2][2 * i + part % 2], -1000);
            const double power = wide ? std::bit_cast<double>((exponent + 1023) << 52) : 1.0;
            values.all[part * kMaxWords + i] = static_cast<double>(planes.value.of(part)[i]) * power;
        }
    }
}

constexpr unsigned kHalves = 2; // of a row: vectors of doubles have half as many columns

/// Half the columns of a row as doubles.
using DoubleColumns = double __attribute__((vector_size(32)));
using BitColumns = std::int64_t __attribute__((vector_size(32)));

/// sum += y, rounded to nearest; `rest` is what that has removed.
SMSIM_LANE_INLINE void add_with_rest(DoubleColumns &sum, const DoubleColumns &y, DoubleColumns &rest) {
    const DoubleColumns x = sum;
    sum = x + y;
    const DoubleColumns part = sum - x;
    rest = (x - (sum - part)) + (y - part);
}

/// The one of the two doubles around `sum` + `rest` whose last bit is set; the sum itself if the rest is 0.
SMSIM_LANE_INLINE double to_odd(double sum, double rest) {
    const auto bits = std::bit_cast<std::int64_t>(sum);
    const auto left = std::bit_cast<std::int64_t>(rest);
    const std::int64_t moves = (-(left & kMagnitude64) >> 63) & ((bits & 1) - 1);
    const std::int64_t step = ((bits ^ left) >> 63) | 1;
    return std::bit_cast<double>(bits + (step & moves));
}

/// The sums of the columns of a row, rounded to odd; a column of `lost` is 0 if its sum is right.
SMSIM_MULTIVERSION void sum_exact_row(const double *a, const double *b, const Terms &terms, const std::uint16_t *of_b,
                                      const float *c, double *sums, std::int64_t *lost) {
    double start[kColumns];
    for (unsigned i = 0; i < kColumns; ++i) {
        start[i] = c[i];
    }
    DoubleColumns high[kHalves];
    DoubleColumns low[kHalves] = {};
    BitColumns removed[kHalves] = {};
    load(high, start);
    for (unsigned i = 0; i < terms.count; ++i) {
        const double factor = a[terms.a[i]];
        for (unsigned half = 0; half < kHalves; ++half) {
            DoubleColumns product;
            load(product, b + of_b[i] + half * kColumns / kHalves);
            product *= factor;
            DoubleColumns rest;
            add_with_rest(high[half], product, rest);
            DoubleColumns lower;
            add_with_rest(low[half], rest, lower);
            BitColumns bits;
            load(bits, &lower);
            removed[half] |= bits & kMagnitude64;
        }
    }
    for (unsigned half = 0; half < kHalves; ++half) {
        DoubleColumns rest;
        add_with_rest(high[half], low[half], rest);
        store(start + half * kColumns / kHalves, rest);
    }
    store(sums, high);
    store(lost, removed);
    for (unsigned i = 0; i < kColumns; ++i) {
        sums[i] = to_odd(sums[i] + 0.0, start[i]); // an exact zero is +0
    }
}

/// A sum in two's complement; bit 0 has the weight 2^kLowest.
class LongSum {
  public:
    /// Adds a double whose last bit is not below 2^kLowest, and which is below 2^260.
    void add(double value) {
        int exponent = 0;
        const auto significand = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
        const int trailing = significand == 0 ? 0 : std::countr_zero(static_cast<std::uint64_t>(significand));
        add(significand >> trailing, exponent - 53 + trailing);
    }

    /// The sum as a double, rounded to odd.
    double to_odd_double() const {
        std::array<std::uint64_t, kWords> magnitude = words_;
        const bool negative = (words_.back() >> 63) != 0;
        if (negative) {
            std::uint64_t carry = 1;
            for (std::uint64_t &word : magnitude) {
                word = ~word + carry;
                carry = carry != 0 && word == 0 ? 1 : 0;
            }
        }
        double value = 0;
        bool below = false;
        unsigned taken = 0;
        for (unsigned bit = kWords * 64; bit-- > 0;) {
            const bool set = (magnitude[bit / 64] >> (bit % 64) & 1U) != 0;
            if (taken == 53) {
                below = below || set;
            } else if (set || taken != 0) {
                value += set ? std::ldexp(1.0, static_cast<int>(bit) + kLowest) : 0.0;
                ++taken;
            }
        }
        const double odd = to_odd(value, below ? 1.0 : 0.0);
        return negative ? -odd : odd;
    }

  private:
    static constexpr unsigned kWords = 10;
    static constexpr int kLowest = -300;

    void add(std::int64_t significand, int exponent) {
        if (significand == 0) {
            return;
        }
        const auto position = static_cast<unsigned>(exponent - kLowest);
        const auto low = static_cast<std::uint64_t>(significand);
        const std::uint64_t sign = significand < 0 ? ~std::uint64_t{0} : 0;
        std::uint64_t below = 0; // the word before, from which bits move up
        std::uint64_t carry = 0;
        const unsigned shift = position % 64;
        for (unsigned i = position / 64; i < kWords; ++i) {
            const std::uint64_t word = i == position / 64 ? low : sign;
            const std::uint64_t part = shift == 0 ? word : word << shift | below >> (64 - shift);
            below = word;
            const std::uint64_t sum = words_[i] + part;
            const std::uint64_t both = sum + carry;
            carry = (sum < part ? 1U : 0U) | (both < carry ? 1U : 0U);
            words_[i] = both;
        }
    }

    std::array<std::uint64_t, kWords> words_{};
};

double sum_long(const double *a, const double *b, const Terms &terms, const std::uint16_t *of_b, float c) {
    LongSum sum;
    sum.add(c);
    for (unsigned i = 0; i < terms.count; ++i) {
        sum.add(a[terms.a[i]] * b[of_b[i]]);
    }
    return sum.to_odd_double();
}

} // namespace

void add_exactly(const MatrixOperation &op, const Tile &tile, const Factors &factors, const Terms &terms,
                 Results &results) {
    DoubleValues a;
    DoubleValues b;
    widen_values(op, factors.a, tile.rows * tile.words_a, a);
    widen_values(op, factors.b, kColumns * tile.words_b, b);
    for (unsigned row = 0; row < tile.rows; ++row) {
        const double *of_row = a.all + row * tile.words_a;
        const std::uint16_t *of_b = op.sparse ? terms.b_of_row[row] : terms.b;
        float *to = results.of + row * kColumns;
        double sums[kColumns];
        std::int64_t lost[kColumns];
        sum_exact_row(of_row, b.all, terms, of_b, to, sums, lost);
        for (unsigned j = 0; j < kColumns; ++j) {
            if ((std::bit_cast<std::uint32_t>(to[j]) & 0x7fffffffU) >= 0x7f800000U) {
                continue; // infinite, or a NaN
            }
            const double sum = lost[j] == 0 ? sums[j] : sum_long(of_row, b.all + j, terms, of_b, to[j]);
            to[j] = op.d == Element::kF16 ? rounded_to_f16(sum) : static_cast<float>(sum);
        }
    }
}

} // namespace smsim::sm::compute::matrix

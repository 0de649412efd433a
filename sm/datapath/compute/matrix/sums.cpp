// Sums of a block of products (tensor.md 2), for all elements of D at once.
//
// A product of significands has at most 22 bits, so it is an exact float, and so is it times a power of two. Conversion
// of that to an integer truncates toward zero, which is what the adder does with a term. The integers of 16 products,
// each less than 2^27, still fit in 32 bits.
#include "sm/datapath/compute/matrix/sums.h"

#include <algorithm>
#include <bit>

#include "sm/datapath/compute/matrix/block.h"
#include "sm/datapath/compute/matrix/fragments.h"
#include "sm/datapath/compute/matrix/rounded.h"
#include "sm/datapath/compute/rounding.h"

namespace smsim::sm::compute::matrix {
namespace {

constexpr unsigned kVectors = 4; // of rows that are summed side by side, and share what is read of B

/// The parts of a block before they are rounded, of types with the exponents of f32.
struct BlockSums {
    alignas(64) std::int32_t products[kMaxResults]; ///< in units of 2^(top - kept)
    alignas(64) std::int32_t accumulator[kMaxResults];
    alignas(64) std::int32_t top[kMaxResults]; ///< largest exponent of the terms that are not zero
};

/// The block of a dense operation: these parts of these words.
struct Range {
    unsigned first_part;
    unsigned last_part;
    unsigned first_word;
    unsigned last_word;
};

/// Sums and largest exponents of one or two rows.
template <typename V> struct RowSums {
    typename V::Int top;
    typename V::Int products;
};

/// Raises the largest exponents of rows to those of a block.
template <typename V>
SMSIM_LANE_INLINE void raise_tops(const Factors &factors, const Range &range, std::size_t words, unsigned row,
                                  RowSums<V> *rows) {
    typename V::Pairs largest[kVectors];
    for (typename V::Pairs &of_row : largest) {
        of_row = typename V::Pairs{} + static_cast<std::int16_t>(2 * kNoExponent);
    }
    for (unsigned pair = range.first_part / 2; 2 * pair < range.last_part; ++pair) {
        const std::int16_t *a = factors.a.exponent.of[pair] + 2 * row * words;
        const std::int16_t *b = factors.b.exponent.of[pair];
        for (std::size_t word = range.first_word; word < range.last_word; ++word) {
            typename V::Pairs of_b;
            load_b<V>(of_b, b + 2 * word * kColumns);
            for (unsigned i = 0; i < kVectors; ++i) {
                typename V::Int spread;
                const std::int16_t *of_a = a + 2 * (i * V::kRows * words + word);
                if constexpr (V::kRows == 1) {
                    spread = typename V::Int{} + pair_at(of_a);
                } else {
                    spread_two(spread, pair_at(of_a), pair_at(of_a + 2 * words));
                }
                typename V::Pairs sum;
                load(sum, &spread);
                sum += of_b;
                largest[i] = sum > largest[i] ? sum : largest[i];
            }
        }
    }
    for (unsigned i = 0; i < kVectors; ++i) {
        typename V::Int both;
        load(both, &largest[i]);
        const typename V::Int low = (both << 16) >> 16;
        const typename V::Int high = both >> 16;
        const typename V::Int larger = low > high ? low : high;
        rows[i].top = larger > rows[i].top ? larger : rows[i].top;
    }
}

/// The exponents of part `part` of words, from pairs.
template <typename V> SMSIM_LANE_INLINE void exponents_of(typename V::Int &exponents, unsigned part) {
    exponents = part % 2 == 0 ? (exponents << 16) >> 16 : exponents >> 16;
}

/// Adds the cut products of a block to the sums of rows.
template <typename V, bool wide>
SMSIM_LANE_INLINE void add_products(const Factors &factors, const Range &range, std::size_t words, unsigned row,
                                    std::int32_t kept, RowSums<V> *rows) {
    typename V::Float scale[kVectors];
    typename V::Int sums[kVectors];
    for (unsigned i = 0; i < kVectors; ++i) {
        sums[i] = typename V::Int{};
        scale_of<V>(scale[i], rows[i].top, kept);
    }
    for (unsigned part = range.first_part; part < range.last_part; ++part) {
        const float *a = factors.a.value.of(part) + row * words;
        const float *b = factors.b.value.of(part);
        const std::int16_t *exponent_a = factors.a.exponent.of[part / 2] + 2 * row * words;
        const std::int16_t *exponent_b = factors.b.exponent.of[part / 2];
        for (std::size_t word = range.first_word; word < range.last_word; ++word) {
            typename V::Float of_b;
            load_b<V>(of_b, b + word * kColumns);
            typename V::Int exponent{};
            if constexpr (wide) {
                load_b<V>(exponent, exponent_b + 2 * word * kColumns);
                exponents_of<V>(exponent, part);
            }
            for (unsigned i = 0; i < kVectors; ++i) {
                const std::size_t at = i * V::kRows * words + word;
                if constexpr (wide) {
                    typename V::Int own;
                    if constexpr (V::kRows == 1) {
                        own = typename V::Int{} + pair_at(exponent_a + 2 * at);
                    } else {
                        spread_two(own, pair_at(exponent_a + 2 * at), pair_at(exponent_a + 2 * (at + words)));
                    }
                    exponents_of<V>(own, part);
                    scale_of<V>(scale[i], rows[i].top - exponent - own, kept);
                }
                typename V::Float product;
                if constexpr (V::kRows == 1) {
                    product = of_b * a[at];
                } else {
                    spread_two(product, a[at], a[at + words]);
                    product *= of_b;
                }
                sums[i] += __builtin_convertvector(product * scale[i], typename V::Int);
            }
        }
    }
    for (unsigned i = 0; i < kVectors; ++i) {
        rows[i].products = sums[i];
    }
}

template <typename V, bool wide>
SMSIM_LANE_INLINE void keep_sums(const RowSums<V> &of_rows, unsigned row, const BlockRule &rule, Results &results,
                                 BlockSums &sums) {
    float *accumulators = results.of + row * kColumns;
    if constexpr (wide) {
        typename V::Int cut;
        cut_accumulator<V>(cut, accumulators, of_rows.top, rule.kept);
        store(sums.products + row * kColumns, of_rows.products);
        store(sums.accumulator + row * kColumns, cut);
        store(sums.top + row * kColumns, of_rows.top);
    } else {
        finish_rows<V>(accumulators, of_rows.products, of_rows.top, rule);
    }
}

template <typename V, bool wide>
SMSIM_LANE_INLINE void sum_dense(const Factors &factors, const Range &range, const Tile &tile, const BlockRule &rule,
                                 Results &results, BlockSums &sums) {
    for (unsigned row = 0; row < tile.rows; row += kVectors * V::kRows) {
        RowSums<V> rows[kVectors];
        for (unsigned i = 0; i < kVectors; ++i) {
            start_top<V>(rows[i].top, results.of + (row + i * V::kRows) * kColumns, rule);
        }
        raise_tops<V>(factors, range, tile.words_a, row, rows);
        add_products<V, wide>(factors, range, tile.words_a, row, rule.kept, rows);
        for (unsigned i = 0; i < kVectors; ++i) {
            keep_sums<V, wide>(rows[i], row + i * V::kRows, rule, results, sums);
        }
    }
}

/// The products of a sparse operation. Metadata says for each row which rows of B count.
template <bool wide>
SMSIM_LANE_INLINE void sum_sparse(const Factors &factors, const Terms &terms, unsigned first, unsigned last,
                                  const Tile &tile, const BlockRule &rule, Results &results, BlockSums &sums) {
    using V = OneRow;
    for (unsigned row = 0; row < tile.rows; ++row) {
        RowSums<V> of_row;
        start_top<V>(of_row.top, results.of + row * kColumns, rule);
        const std::uint16_t *of_b = terms.b_of_row[row];
        const auto exponents = [&](V::Int &own, unsigned i) {
            const unsigned part_a = terms.a[i] / kMaxWords;
            const unsigned word_a = terms.a[i] % kMaxWords + row * tile.words_a;
            const unsigned part_b = of_b[i] / kMaxWords;
            load(own, factors.b.exponent.of[part_b / 2] + 2 * (of_b[i] % kMaxWords));
            exponents_of<V>(own, part_b);
            own += factors.a.exponent.of[part_a / 2][2 * word_a + part_a % 2];
        };
        for (unsigned i = first; i < last; ++i) {
            V::Int own;
            exponents(own, i);
            of_row.top = own > of_row.top ? own : of_row.top;
        }
        V::Float scale;
        scale_of<V>(scale, of_row.top, rule.kept);
        of_row.products = V::Int{};
        for (unsigned i = first; i < last; ++i) {
            V::Float b;
            load(b, factors.b.value.all + of_b[i]);
            if constexpr (wide) {
                V::Int own;
                exponents(own, i);
                scale_of<V>(scale, of_row.top - own, rule.kept);
            }
            b *= factors.a.value.all[terms.a[i] + row * tile.words_a];
            of_row.products += __builtin_convertvector(b * scale, V::Int);
        }
        keep_sums<V, wide>(of_row, row, rule, results, sums);
    }
}

using SumDense = void (*)(const Factors &, const Range &, const Tile &, const BlockRule &, Results &, BlockSums &);

// A function for each width of vectors of hosts; separate ones, as HostRounding needs. The loader cannot choose here
// (model/multiversion.h), because the versions differ in their source.
#ifdef SMSIM_HAS_VERSIONS
#define SMSIM_FOR_64_BYTES __attribute__((noinline, target("arch=x86-64-v4")))
#define SMSIM_FOR_32_BYTES __attribute__((noinline, target("arch=x86-64-v3")))

SMSIM_FOR_64_BYTES void sum_64_narrow(const Factors &factors, const Range &range, const Tile &tile,
                                      const BlockRule &rule, Results &results, BlockSums &sums) {
    sum_dense<TwoRows, false>(factors, range, tile, rule, results, sums);
}
SMSIM_FOR_64_BYTES void sum_64_wide(const Factors &factors, const Range &range, const Tile &tile, const BlockRule &rule,
                                    Results &results, BlockSums &sums) {
    sum_dense<TwoRows, true>(factors, range, tile, rule, results, sums);
}
SMSIM_FOR_32_BYTES void sum_32_narrow(const Factors &factors, const Range &range, const Tile &tile,
                                      const BlockRule &rule, Results &results, BlockSums &sums) {
    sum_dense<OneRow, false>(factors, range, tile, rule, results, sums);
}
SMSIM_FOR_32_BYTES void sum_32_wide(const Factors &factors, const Range &range, const Tile &tile, const BlockRule &rule,
                                    Results &results, BlockSums &sums) {
    sum_dense<OneRow, true>(factors, range, tile, rule, results, sums);
}
#endif
[[gnu::noinline]] void sum_plain_narrow(const Factors &factors, const Range &range, const Tile &tile,
                                        const BlockRule &rule, Results &results, BlockSums &sums) {
    sum_dense<OneRow, false>(factors, range, tile, rule, results, sums);
}
[[gnu::noinline]] void sum_plain_wide(const Factors &factors, const Range &range, const Tile &tile,
                                      const BlockRule &rule, Results &results, BlockSums &sums) {
    sum_dense<OneRow, true>(factors, range, tile, rule, results, sums);
}

/// Functions for f16 and fp8, and for bf16 and tf32.
struct DenseFunctions {
    SumDense narrow;
    SumDense wide;
};

/// Those that suit this host best.
DenseFunctions dense_functions() {
#ifdef SMSIM_HAS_VERSIONS
    const bool has_32_bytes = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                              __builtin_cpu_supports("bmi2") != 0;
    const bool has_64_bytes = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                              __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                              __builtin_cpu_supports("avx512vl") != 0;
    if (has_32_bytes && has_64_bytes) {
        return {sum_64_narrow, sum_64_wide};
    }
    if (has_32_bytes) {
        return {sum_32_narrow, sum_32_wide};
    }
#endif
    return {sum_plain_narrow, sum_plain_wide};
}

SMSIM_MULTIVERSION void sum_sparse_narrow(const Factors &factors, const Terms &terms, unsigned first, unsigned last,
                                          const Tile &tile, const BlockRule &rule, Results &results, BlockSums &sums) {
    sum_sparse<false>(factors, terms, first, last, tile, rule, results, sums);
}
SMSIM_MULTIVERSION void sum_sparse_wide(const Factors &factors, const Terms &terms, unsigned first, unsigned last,
                                        const Tile &tile, const BlockRule &rule, Results &results, BlockSums &sums) {
    sum_sparse<true>(factors, terms, first, last, tile, rule, results, sums);
}

/// Rounds the sums of types with the exponents of f32, by way of doubles, in which they are exact.
SMSIM_MULTIVERSION void finish_wide(const BlockSums &sums, unsigned count, std::int32_t kept, Results &results) {
    for (unsigned i = 0; i < count; ++i) {
        const double sum = static_cast<double>(sums.products[i]) + static_cast<double>(sums.accumulator[i]);
        const std::int64_t exponent = std::int64_t{sums.top[i]} - kept + 1023;
        const float result = truncated_to_f32(sum * std::bit_cast<double>(exponent << 52));
        const auto before = std::bit_cast<std::int32_t>(results.of[i]);
        const bool stays = (before & kFloatMagnitude) >= kFloatInfinity; // an infinity or a NaN
        results.of[i] = std::bit_cast<float>(stays ? before : std::bit_cast<std::int32_t>(result));
    }
}

/// Whether the sum of a block, as a 32-bit integer, needs nothing but to be cut to 24 bits. Terms are less than 4 units
/// of the largest exponent, the accumulator less than 2.
bool can_host_truncate(const SumRule &rule) {
    return rule.out != Out::kF16 && 4 * rule.block + 2 < 1U << (31 - rule.kept);
}

/// The products of a block of a dense operation.
Range range_of(const MatrixOperation &op, const Tile &tile, const SumRule &rule, unsigned block) {
    const unsigned parts = per_register(op.a);
    if (rule.by_f16) {
        return {2 * block, 2 * block + 2, 0, tile.words_a};
    }
    const unsigned words = rule.block / parts;
    return {0, parts, block * words, (block + 1) * words};
}

} // namespace

void add_block(const MatrixOperation &op, const Tile &tile, const SumRule &rule, const Factors &factors,
               const Terms &terms, unsigned block, Results &results) {
    const bool wide = is_wide(op.a);
    const bool by_host = !wide && !op.sparse && can_host_truncate(rule);
    const BlockRule constants{rule.kept, wide ? rule.least : std::max(rule.least, kAlone),
                              rule.out == Out::kF16 ? kF16Fields.least() : kF32Fields.least(), rule.out, by_host};
    BlockSums sums;
    if (op.sparse) {
        const unsigned first = block * rule.block;
        (wide ? sum_sparse_wide : sum_sparse_narrow)(factors, terms, first, first + rule.block, tile, constants,
                                                     results, sums);
    } else {
        static const DenseFunctions functions = dense_functions();
        const HostRounding rounding(by_host ? isa::Rounding::kRz : isa::Rounding::kRn);
        (wide ? functions.wide : functions.narrow)(factors, range_of(op, tile, rule, block), tile, constants, results,
                                                   sums);
    }
    if (wide) {
        finish_wide(sums, tile.rows * kColumns, rule.kept, results);
    }
}

} // namespace smsim::sm::compute::matrix

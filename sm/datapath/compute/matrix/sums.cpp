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

/// What a dense operation sums: `count` vectors of D. One factor of each product is from a vector that all of them
/// share, the other is a number of its own for each. By rows the vectors are rows of B, and the numbers those of a row
/// of A; by columns the vectors are columns of A, and the numbers those of a column of B.
struct Sides {
    const Planes &vectors; ///< [word][lane]
    const Planes &numbers; ///< [vector of D][word]
    unsigned words;
    unsigned count;
};

/// Elements of a vector.
template <typename V> constexpr std::size_t kLanesOf = sizeof(typename V::Float) / sizeof(float);

/// Sums and largest exponents of a vector of D.
template <typename V> struct VectorSums {
    typename V::Int top;
    typename V::Int products;
};

/// Raises the largest exponents of `many` vectors, from number `first` on, to those of a block.
template <typename V, unsigned many>
SMSIM_LANE_INLINE void raise_tops(const Sides &sides, const Range &range, unsigned first, VectorSums<V> *sums) {
    const std::size_t words = sides.words;
    typename V::Pairs largest[many];
    for (typename V::Pairs &of_one : largest) {
        of_one = typename V::Pairs{} + static_cast<std::int16_t>(2 * kNoExponent);
    }
    for (unsigned pair = range.first_part / 2; 2 * pair < range.last_part; ++pair) {
        const std::int16_t *numbers = sides.numbers.exponent.of[pair] + 2 * first * words;
        const std::int16_t *vectors = sides.vectors.exponent.of[pair];
        for (std::size_t word = range.first_word; word < range.last_word; ++word) {
            typename V::Pairs shared;
            load(shared, vectors + 2 * word * kLanesOf<V>);
            for (unsigned i = 0; i < many; ++i) {
                const typename V::Int spread = typename V::Int{} + pair_at(numbers + 2 * (i * words + word));
                typename V::Pairs sum;
                load(sum, &spread);
                sum += shared;
                largest[i] = sum > largest[i] ? sum : largest[i];
            }
        }
    }
    for (unsigned i = 0; i < many; ++i) {
        typename V::Int both;
        load(both, &largest[i]);
        const typename V::Int low = (both << 16) >> 16;
        const typename V::Int high = both >> 16;
        const typename V::Int larger = low > high ? low : high;
        sums[i].top = larger > sums[i].top ? larger : sums[i].top;
    }
}

/// The exponents of part `part` of words, from pairs.
template <typename V> SMSIM_LANE_INLINE void exponents_of(typename V::Int &exponents, unsigned part) {
    exponents = part % 2 == 0 ? (exponents << 16) >> 16 : exponents >> 16;
}

/// Adds the cut products of a block to the sums of vectors.
template <typename V, bool wide, unsigned many>
SMSIM_LANE_INLINE void add_products(const Sides &sides, const Range &range, unsigned first, std::int32_t kept,
                                    VectorSums<V> *of_vectors) {
    const std::size_t words = sides.words;
    typename V::Float scale[many];
    typename V::Int sums[many];
    for (unsigned i = 0; i < many; ++i) {
        sums[i] = typename V::Int{};
        scale_of<V>(scale[i], of_vectors[i].top, kept);
    }
    for (unsigned part = range.first_part; part < range.last_part; ++part) {
        const float *numbers = sides.numbers.value.of(part) + first * words;
        const float *vectors = sides.vectors.value.of(part);
        const std::int16_t *exponents = sides.numbers.exponent.of[part / 2] + 2 * first * words;
        const std::int16_t *shared_exponents = sides.vectors.exponent.of[part / 2];
        for (std::size_t word = range.first_word; word < range.last_word; ++word) {
            typename V::Float shared;
            load(shared, vectors + word * kLanesOf<V>);
            typename V::Int exponent{};
            if constexpr (wide) {
                load(exponent, shared_exponents + 2 * word * kLanesOf<V>);
                exponents_of<V>(exponent, part);
            }
            for (unsigned i = 0; i < many; ++i) {
                const std::size_t at = i * words + word;
                if constexpr (wide) {
                    typename V::Int own = typename V::Int{} + pair_at(exponents + 2 * at);
                    exponents_of<V>(own, part);
                    scale_of<V>(scale[i], of_vectors[i].top - exponent - own, kept);
                }
                const typename V::Float product = shared * numbers[at];
                sums[i] += __builtin_convertvector(product * scale[i], typename V::Int);
            }
        }
    }
    for (unsigned i = 0; i < many; ++i) {
        of_vectors[i].products = sums[i];
    }
}

/// Rounds the sum of vector number `number`, or keeps its parts.
template <typename V, bool wide>
SMSIM_LANE_INLINE void keep_sums(const VectorSums<V> &of_vector, unsigned number, const BlockRule &rule,
                                 Results &results, BlockSums &sums) {
    const std::size_t at = number * kLanesOf<V>;
    float *accumulators = results.of + at;
    if constexpr (wide) {
        typename V::Int cut;
        cut_accumulator<V>(cut, accumulators, of_vector.top, rule.kept);
        store(sums.products + at, of_vector.products);
        store(sums.accumulator + at, cut);
        store(sums.top + at, of_vector.top);
    } else {
        finish_vector<V>(accumulators, of_vector.products, of_vector.top, rule);
    }
}

/// The first three are copies: the compiler must assume that stores of vectors change what a reference names.
template <typename V, bool wide, unsigned many>
SMSIM_LANE_INLINE void sum_dense(Sides sides, Range range, BlockRule rule, Results &results, BlockSums &sums) {
    for (unsigned first = 0; first < sides.count; first += many) {
        VectorSums<V> of_vectors[many];
        for (unsigned i = 0; i < many; ++i) {
            start_top<V>(of_vectors[i].top, results.of + (first + i) * kLanesOf<V>, rule);
        }
        raise_tops<V, many>(sides, range, first, of_vectors);
        add_products<V, wide, many>(sides, range, first, rule.kept, of_vectors);
        for (unsigned i = 0; i < many; ++i) {
            keep_sums<V, wide>(of_vectors[i], first + i, rule, results, sums);
        }
    }
}

/// The products of a sparse operation. Metadata says for each row which rows of B count.
template <bool wide>
SMSIM_LANE_INLINE void sum_sparse(const Factors &factors, const Terms &terms, unsigned first, unsigned last,
                                  const Tile &tile, const BlockRule &rule, Results &results, BlockSums &sums) {
    using V = OneRow;
    for (unsigned row = 0; row < tile.rows; ++row) {
        VectorSums<V> of_row;
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

// Separate functions, as HostRounding needs.
#ifdef SMSIM_HAS_VERSIONS
#define SMSIM_FOR_64_BYTES __attribute__((noinline, target("arch=x86-64-v4")))

SMSIM_FOR_64_BYTES void sum_columns_narrow(const Sides &sides, const Range &range, const BlockRule &rule,
                                           Results &results, BlockSums &sums) {
    sum_dense<OneColumn, false, 8>(sides, range, rule, results, sums);
}
SMSIM_FOR_64_BYTES void sum_columns_wide(const Sides &sides, const Range &range, const BlockRule &rule,
                                         Results &results, BlockSums &sums) {
    sum_dense<OneColumn, true, 8>(sides, range, rule, results, sums);
}
#endif
[[gnu::noinline]] SMSIM_MULTIVERSION void sum_rows_narrow(const Sides &sides, const Range &range, const BlockRule &rule,
                                                          Results &results, BlockSums &sums) {
    sum_dense<OneRow, false, 4>(sides, range, rule, results, sums);
}
[[gnu::noinline]] SMSIM_MULTIVERSION void sum_rows_wide(const Sides &sides, const Range &range, const BlockRule &rule,
                                                        Results &results, BlockSums &sums) {
    sum_dense<OneRow, true, 4>(sides, range, rule, results, sums);
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

/// The products of a block of a dense operation with `words` words of a row of A.
Range range_of(const MatrixOperation &op, unsigned words, const SumRule &rule, unsigned block) {
    const unsigned parts = per_register(op.a);
    if (rule.by_f16) {
        return {2 * block, 2 * block + 2, 0, words};
    }
    const unsigned of_block = rule.block / parts;
    return {0, parts, block * of_block, (block + 1) * of_block};
}

BlockRule block_rule(const MatrixOperation &op, const SumRule &rule) {
    return {rule.kept, is_wide(op.a) ? rule.least : std::max(rule.least, kAlone),
            rule.out == Out::kF16 ? kF16Fields.least() : kF32Fields.least(), rule.out,
            !is_wide(op.a) && !op.sparse && can_host_truncate(rule)};
}

/// How the host rounds while it sums.
isa::Rounding rounding_of(const BlockRule &rule) {
    return rule.by_host ? isa::Rounding::kRz : isa::Rounding::kRn;
}

} // namespace

void add_block(const MatrixOperation &op, const Tile &tile, const SumRule &rule, const Factors &factors,
               const Terms &terms, unsigned block, Results &results) {
    const bool wide = is_wide(op.a);
    const BlockRule constants = block_rule(op, rule);
    BlockSums sums;
    if (op.sparse) {
        const unsigned first = block * rule.block;
        (wide ? sum_sparse_wide : sum_sparse_narrow)(factors, terms, first, first + rule.block, tile, constants,
                                                     results, sums);
    } else {
        const HostRounding rounding(rounding_of(constants));
        (wide ? sum_rows_wide : sum_rows_narrow)({factors.b, factors.a, tile.words_a, tile.rows},
                                                 range_of(op, tile.words_a, rule, block), constants, results, sums);
    }
    if (wide) {
        finish_wide(sums, tile.rows * kColumns, rule.kept, results);
    }
}

bool can_add_by_columns() {
#ifdef SMSIM_HAS_VERSIONS
    static const bool can = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                            __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                            __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx2") != 0 &&
                            __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0;
    return can;
#else
    return false;
#endif
}

void add_blocks([[maybe_unused]] const MatrixOperation &op, [[maybe_unused]] const ColumnTile &tile,
                [[maybe_unused]] const SumRule &rule, [[maybe_unused]] const Factors &factors,
                [[maybe_unused]] Results &results) {
#ifdef SMSIM_HAS_VERSIONS
    const bool wide = is_wide(op.a);
    const BlockRule constants = block_rule(op, rule);
    const HostRounding rounding(rounding_of(constants));
    BlockSums sums;
    for (unsigned block = 0; block * rule.block < op.k; ++block) {
        (wide ? sum_columns_wide : sum_columns_narrow)({factors.a, factors.b, tile.words, kColumns},
                                                       range_of(op, tile.words, rule, block), constants, results, sums);
        if (wide) {
            finish_wide(sums, kMaxResults, rule.kept, results);
        }
    }
#endif
}

} // namespace smsim::sm::compute::matrix

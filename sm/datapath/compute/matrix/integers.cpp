// Matrix instructions of s8, u8, s4, u4 and of single bits.
//
// The products of up to 64 pairs of bytes sum to less than 2^24, so floats add them exactly; hosts multiply floats
// faster than 32-bit integers.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "sm/datapath/compute/matrix/columns.h"
#include "sm/datapath/compute/matrix/fragments.h"
#include "sm/datapath/compute/matrix/kinds.h"
#include "sm/datapath/compute/matrix/planes.h"
#include "sm/datapath/compute/matrix/terms.h"

namespace smsim::sm::compute::matrix {
namespace {

/// Sums without C, [row][column].
struct Dots {
    alignas(64) std::int32_t of[kMaxRows * kColumns];
};

SMSIM_MULTIVERSION void dot_integers(const Values &a, const Values &b, const Terms &terms, bool sparse, unsigned rows,
                                     unsigned words, Dots &dots) {
    for (unsigned row = 0; row < rows; ++row) {
        const float *of_row = a.all + row * words;
        const std::uint16_t *of_b = sparse ? terms.b_of_row[row] : terms.b;
        OneRow::Float even{};
        OneRow::Float odd{};
        for (unsigned i = 0; i < terms.count; i += 2) {
            OneRow::Float first;
            OneRow::Float second;
            load(first, b.all + of_b[i]);
            load(second, b.all + of_b[i + 1]);
            even += first * of_row[terms.a[i]];
            odd += second * of_row[terms.a[i + 1]];
        }
        const OneRow::Int sum = __builtin_convertvector(even + odd, OneRow::Int);
        std::memcpy(dots.of + row * kColumns, &sum, sizeof sum);
    }
}

/// Bits set in a word, without an instruction for it, so that a loop becomes vectors.
SMSIM_LANE_INLINE std::uint32_t count_bits(std::uint32_t word) {
    word -= word >> 1 & 0x55555555U;
    word = (word & 0x33333333U) + (word >> 2 & 0x33333333U);
    word = (word + (word >> 4)) & 0x0f0f0f0fU;
    return (word * 0x01010101U) >> 24;
}

SMSIM_MULTIVERSION void dot_bits(const Tile &tile, bool and_not_xor, Dots &dots) {
    for (unsigned row = 0; row < tile.rows; ++row) {
        std::uint32_t counts[kColumns] = {};
        for (unsigned i = 0; i < tile.words_a; ++i) {
            const std::uint32_t a = tile.a[row * tile.words_a + i];
            const std::uint32_t *b = tile.b + i * kColumns;
            for (unsigned j = 0; j < kColumns; ++j) {
                counts[j] += count_bits(and_not_xor ? a & b[j] : a ^ b[j]);
            }
        }
        for (unsigned j = 0; j < kColumns; ++j) {
            dots.of[row * kColumns + j] = static_cast<std::int32_t>(counts[j]);
        }
    }
}

/// C + dot, wrapped or clamped.
void add_to_c(const Dots &dots, bool saturate, Tile &tile) {
    for (unsigned i = 0; i < tile.rows * kColumns; ++i) {
        if (saturate) {
            const std::int64_t sum = std::int64_t{static_cast<std::int32_t>(tile.c[i])} + dots.of[i];
            constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
            constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
            tile.c[i] = static_cast<std::uint32_t>(std::clamp(sum, kLeast, kMost));
        } else {
            tile.c[i] += static_cast<std::uint32_t>(dots.of[i]);
        }
    }
}

} // namespace

void multiply_integers(const MatrixOperation &op, const Row *metadata, Tile &tile) {
    Values a;
    Values b;
    Terms terms;
    Dots dots;
    unpack_integers(op.a, tile.a, tile.rows * tile.words_a, a);
    unpack_integers(op.b, tile.b, kColumns * tile.words_b, b);
    list_terms(op, tile, {stored_k(op)}, metadata, terms);
    dot_integers(a, b, terms, op.sparse, tile.rows, tile.words_a, dots);
    add_to_c(dots, op.saturate, tile);
}

void multiply_bits(const MatrixOperation &op, Tile &tile) {
    Dots dots;
    dot_bits(tile, op.and_not_xor, dots);
    add_to_c(dots, false, tile);
}

} // namespace smsim::sm::compute::matrix

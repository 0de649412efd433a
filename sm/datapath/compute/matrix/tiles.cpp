// Moves operands between registers and tiles. In the usual shapes four neighbouring lanes hold four neighbouring words
// of a row, so whole groups are copied; m8n8k4 of f16 goes by the maps of its elements.
#include "sm/datapath/compute/matrix/tiles.h"

#include <cstring>

#include "sm/datapath/compute/matrix/four_words.h"
#include "sm/datapath/compute/matrix/fragments.h"

namespace smsim::sm::compute::matrix {
namespace {

/// Words of A: register i holds words 4 (i / halves).. of the rows of half i % halves.
void gather_a(unsigned halves, unsigned registers, const Row *const *a, Tile &tile) {
    for (unsigned i = 0; i < registers; ++i) {
        const std::uint32_t *from = a[i]->lane;
        std::uint32_t *to = tile.a + i % halves * kColumns * tile.words_a + i / halves * kGroup;
        for (unsigned g = 0; g < kColumns; ++g) {
            std::memcpy(to + g * tile.words_a, from + kGroup * g, kGroup * sizeof *to);
        }
    }
}

/// Words of B: register i holds words 4 i.. of all columns.
void gather_b(unsigned registers, const Row *const *b, Tile &tile) {
    for (unsigned i = 0; i < registers; ++i) {
        const std::uint32_t *from = b[i]->lane;
        std::uint32_t *to = tile.b + kGroup * i * kColumns;
        for (unsigned g = 0; g < kColumns; g += 4) {
            put_four_by_four(to + g, kColumns, transposed(four_by_four_at(from + kGroup * g, kGroup)));
        }
    }
}

void gather_c(const MatrixOperation &op, const Row *const *c, Tile &tile) {
    for (unsigned half = 0; half < op.m / 8; ++half) {
        std::uint32_t *to = tile.c + half * kLanes * 2;
        if (width(op.c) == 16) {
            const std::uint32_t *from = c[half]->lane;
            for (unsigned i = 0; i < kLanes; ++i) {
                to[2 * i] = from[i] & kHalf;
                to[2 * i + 1] = from[i] >> 16;
            }
            continue;
        }
        const std::uint32_t *even = c[2 * half]->lane;
        const std::uint32_t *odd = c[2 * half + 1]->lane;
        for (unsigned i = 0; i < kLanes; i += 4) {
            const Four evens = four_at(even + i);
            const Four odds = four_at(odd + i);
            put_four(to + 2 * i, __builtin_shufflevector(evens, odds, 0, 4, 1, 5));
            put_four(to + 2 * i + 4, __builtin_shufflevector(evens, odds, 2, 6, 3, 7));
        }
    }
}

void scatter_d(const MatrixOperation &op, const Tile &tile, Row *const *d) {
    for (unsigned half = 0; half < op.m / 8; ++half) {
        const std::uint32_t *from = tile.c + half * kLanes * 2;
        if (width(op.d) == 16) {
            std::uint32_t *to = d[half]->lane;
            for (unsigned i = 0; i < kLanes; ++i) {
                to[i] = from[2 * i] | from[2 * i + 1] << 16;
            }
            continue;
        }
        std::uint32_t *even = d[2 * half]->lane;
        std::uint32_t *odd = d[2 * half + 1]->lane;
        for (unsigned i = 0; i < kLanes; i += 4) {
            const Four low = four_at(from + 2 * i);
            const Four high = four_at(from + 2 * i + 4);
            put_four(even + i, __builtin_shufflevector(low, high, 0, 2, 4, 6));
            put_four(odd + i, __builtin_shufflevector(low, high, 1, 3, 5, 7));
        }
    }
}

/// The halves of f16 registers of one quad pair, and which lanes they belong to.
template <typename F> void each_lane_of_pair(unsigned product, F f) {
    for (unsigned i = 0; i < 2 * kGroup; ++i) {
        f(kGroup * product + i % kGroup + i / kGroup * 16);
    }
}

void gather_pair(const MatrixOperation &op, unsigned product, const Row *const *a, const Row *const *b,
                 const Row *const *c, Tile &tile) {
    std::memset(tile.a, 0, 8 * tile.words_a * sizeof *tile.a);
    std::memset(tile.b, 0, kColumns * tile.words_b * sizeof *tile.b);
    const auto half = [](const Row *const *registers, unsigned index, unsigned lane) {
        return registers[index / 2]->lane[lane] >> (16 * (index % 2)) & kHalf;
    };
    each_lane_of_pair(product, [&](unsigned lane) {
        for (unsigned i = 0; i < 4; ++i) {
            const Place of_a = place_of_a(op, i, lane);
            const Place of_b = place_of_b(op, i, lane);
            tile.a[of_a.row * tile.words_a + of_a.column / 2] |= half(a, i, lane) << (16 * (of_a.column % 2));
            tile.b[of_b.row / 2 * kColumns + of_b.column] |= half(b, i, lane) << (16 * (of_b.row % 2));
        }
        for (unsigned i = 0; i < 8; ++i) {
            const Place place = place_of_c(op, i, lane);
            tile.c[place.row * kColumns + place.column] = op.c == Element::kF16 ? half(c, i, lane) : c[i]->lane[lane];
        }
    });
}

void scatter_pair(const MatrixOperation &op, unsigned product, const Tile &tile, Row *const *d) {
    each_lane_of_pair(product, [&](unsigned lane) {
        for (unsigned i = 0; i < 8; ++i) {
            const Place place = place_of_d(op, i, lane);
            const std::uint32_t value = tile.c[place.row * kColumns + place.column];
            if (op.d == Element::kF32) {
                d[i]->lane[lane] = value;
            } else if (i % 2 == 0) {
                d[i / 2]->lane[lane] = value;
            } else {
                d[i / 2]->lane[lane] |= value << 16;
            }
        }
    });
}

} // namespace

void gather(const MatrixOperation &op, unsigned product, const Row *const *a, const Row *const *b, const Row *const *c,
            Tile &tile) {
    tile.rows = op.m;
    tile.words_a = stored_k(op) * width(op.a) / 32;
    tile.words_b = op.k * width(op.b) / 32;
    if (is_quad_pair(op)) {
        gather_pair(op, product, a, b, c, tile);
        return;
    }
    gather_a(op.m / 8, registers_of_a(op), a, tile);
    gather_b(registers_of_b(op), b, tile);
    gather_c(op, c, tile);
}

void scatter(const MatrixOperation &op, unsigned product, const Tile &tile, Row *const *d) {
    if (is_quad_pair(op)) {
        scatter_pair(op, product, tile, d);
    } else {
        scatter_d(op, tile, d);
    }
}

} // namespace smsim::sm::compute::matrix

// Moves operands between registers and tiles of columns. Lanes 4 g to 4 g + 3 of a register hold neighbours of row or
// column g, so that four groups of lanes are a matrix of 4 x 4 words.
#include "sm/datapath/compute/matrix/column_tile.h"

#include "sm/datapath/compute/matrix/four_words.h"

namespace smsim::sm::compute::matrix {
namespace {

FourByFour lower_halves(FourByFour words) {
    for (Four &row : words.row) {
        row &= kHalf;
    }
    return words;
}
FourByFour upper_halves(FourByFour words) {
    for (Four &row : words.row) {
        row >>= 16;
    }
    return words;
}

/// Calls `use(lanes, rows)` for each four groups of lanes and the first of the rows of half `half` that they hold.
template <typename Use> void for_each_quarter(unsigned half, const Use &use) {
    for (unsigned g = 0; g < 8; g += 4) {
        use(kGroup * g, 8 * half + g);
    }
}

/// Register i holds words 4 (i / 2).. of the rows of half i % 2.
void gather_a(unsigned registers, const Row *const *a, ColumnTile &tile) {
    for (unsigned i = 0; i < registers; ++i) {
        std::uint32_t *to = tile.a + i / 2 * kGroup * kMaxRows;
        for_each_quarter(i % 2, [&](unsigned lane, unsigned row) {
            put_four_by_four(to + row, kMaxRows, transposed(four_by_four_at(a[i]->lane + lane, kGroup)));
        });
    }
}

/// Register i holds words 4 i.. of all columns.
void gather_b(unsigned registers, const Row *const *b, ColumnTile &tile) {
    for (unsigned i = 0; i < registers; ++i) {
        for (unsigned column = 0; column < kColumns; ++column) {
            put_four(tile.b + column * tile.words + kGroup * i, four_at(b[i]->lane + kGroup * column));
        }
    }
}

void gather_c(const MatrixOperation &op, const Row *const *c, ColumnTile &tile) {
    for (unsigned half = 0; half < 2; ++half) {
        for_each_quarter(half, [&](unsigned lane, unsigned row) {
            const bool packed = width(op.c) == 16;
            const unsigned first = packed ? half : 2 * half;
            const FourByFour even = transposed(four_by_four_at(c[first]->lane + lane, kGroup));
            const FourByFour odd =
                packed ? upper_halves(even) : transposed(four_by_four_at(c[first + 1]->lane + lane, kGroup));
            put_four_by_four(tile.c + row, 2 * kMaxRows, packed ? lower_halves(even) : even);
            put_four_by_four(tile.c + row + kMaxRows, 2 * kMaxRows, odd);
        });
    }
}

} // namespace

void gather(const MatrixOperation &op, const Row *const *a, const Row *const *b, const Row *const *c,
            ColumnTile &tile) {
    tile.words = op.k * width(op.a) / 32;
    gather_a(registers_of_a(op), a, tile);
    gather_b(registers_of_b(op), b, tile);
    gather_c(op, c, tile);
}

void scatter(const MatrixOperation &op, const ColumnTile &tile, Row *const *d) {
    for (unsigned half = 0; half < 2; ++half) {
        for_each_quarter(half, [&](unsigned lane, unsigned row) {
            const FourByFour even = transposed(four_by_four_at(tile.c + row, 2 * kMaxRows));
            const FourByFour odd = transposed(four_by_four_at(tile.c + row + kMaxRows, 2 * kMaxRows));
            if (width(op.d) == 32) {
                put_four_by_four(d[2 * half]->lane + lane, kGroup, even);
                put_four_by_four(d[2 * half + 1]->lane + lane, kGroup, odd);
                return;
            }
            FourByFour packed = even;
            for (unsigned i = 0; i < 4; ++i) {
                packed.row[i] |= odd.row[i] << 16;
            }
            put_four_by_four(d[half]->lane + lane, kGroup, packed);
        });
    }
}

} // namespace smsim::sm::compute::matrix

// Lists the products of an element of D. In a sparse operation A keeps the elements that are not zero, and metadata
// has for each of them where in its group it stood (tensor.md 1, and PTX: "Sparse matrix storage"):
//
// type       group of A  nibble of metadata
// 16, 8 bit  4 elements  two indices of 2 bits, for the two elements that are kept
// 4 bit      8 elements  two indices of 2 bits, for the two pairs of elements that are kept
// tf32       2 elements  0100: the first is kept, 1110: the second (the indices of its halves among four)
//
// The nibbles of a row lie in the lanes of its group, that is, of lanes 4 g..4 g + 3 for rows g and g + 8, which the
// selector chooses. With elements of 16 or 32 bits, a lane has four nibbles of row g and then four of row g + 8, and
// the second of two lanes has the next four. With smaller elements, a lane has eight nibbles of row g, the next lane
// those of row g + 8, and a second pair of lanes the next eight.
#include "sm/datapath/compute/matrix/terms.h"

#include <algorithm>

#include "sm/datapath/compute/matrix/fragments.h"

namespace smsim::sm::compute::matrix {
namespace {

/// Bit `4 * nibble` of the result begins nibble `nibble` of a row.
std::uint64_t metadata_of_row(const MatrixOperation &op, const Row &metadata, unsigned row) {
    const std::uint32_t *lanes = metadata.lane + 4 * (row % 8);
    const unsigned half = row / 8;
    if (width(op.a) >= 16) {
        const bool two_lanes = stored_k(op) * width(op.a) > 128;
        const unsigned first = two_lanes ? 2 * op.selector : op.selector;
        const std::uint32_t low = lanes[first] >> (16 * half) & 0xffffU;
        const std::uint32_t high = two_lanes ? lanes[first + 1] >> (16 * half) & 0xffffU : 0;
        return low | std::uint64_t{high} << 16;
    }
    const bool four_lanes = stored_k(op) * width(op.a) > 128;
    const unsigned first = 2 * op.selector + half;
    return lanes[first] | (four_lanes ? std::uint64_t{lanes[first + 2]} << 32 : 0);
}

/// Offset of the row of B, column 0, that belongs to stored element `stored` of a row, for elements of 32 / parts bits.
template <unsigned parts> std::uint16_t offset_b(std::uint64_t metadata, unsigned stored) {
    unsigned k = 0;
    if constexpr (parts == 1) {
        k = 2 * stored + static_cast<unsigned>(metadata >> (4 * stored + 1) & 1U);
    } else if constexpr (parts == 8) {
        const auto index = static_cast<unsigned>(metadata >> (2 * (stored / 2)) & 3U);
        k = 8 * (stored / 4) + 2 * index + stored % 2;
    } else {
        const auto index = static_cast<unsigned>(metadata >> (2 * stored) & 3U);
        k = 4 * (stored / 2) + index;
    }
    return static_cast<std::uint16_t>(k % parts * kMaxWords + k / parts * kColumns);
}

/// Fills in the rows of B for all rows of A. Term i is stored element stored[i].
template <unsigned parts>
void list_of_rows(const MatrixOperation &op, const Row &metadata, const std::uint8_t *stored, Terms &terms) {
    for (unsigned row = 0; row < op.m; ++row) {
        const std::uint64_t of_row = metadata_of_row(op, metadata, row);
        for (unsigned i = 0; i < terms.count; ++i) {
            terms.b_of_row[row][i] = offset_b<parts>(of_row, stored[i]);
        }
    }
}

} // namespace

void list_terms(const MatrixOperation &op, const Tile &tile, TermOrder order, const Row *metadata, Terms &terms) {
    const unsigned parts = per_register(op.a);
    std::uint8_t stored[kMaxTerms]; // k of each term, as stored
    unsigned count = 0;
    // Within a block the parts of its words follow each other, so that the offsets of a part are neighbours.
    const unsigned words = order.pairs ? tile.words_a : std::min(tile.words_a, std::max(1U, order.block / parts));
    const unsigned of_part = order.pairs ? 2 : parts;
    for (unsigned group = 0; group < (order.pairs ? parts / 2 : 1); ++group) {
        for (unsigned word = 0; word < tile.words_a; word += words) {
            for (unsigned part = group * of_part; part < (group + 1) * of_part; ++part) {
                for (unsigned i = word; i < word + words; ++i) {
                    stored[count] = static_cast<std::uint8_t>(i * parts + part);
                    terms.a[count] = static_cast<std::uint16_t>(part * kMaxWords + i);
                    terms.b[count] = static_cast<std::uint16_t>(part * kMaxWords + i * kColumns);
                    ++count;
                }
            }
        }
    }
    terms.count = count;
    if (!op.sparse) {
        return;
    }
    switch (parts) {
    case 1:
        list_of_rows<1>(op, *metadata, stored, terms);
        break;
    case 2:
        list_of_rows<2>(op, *metadata, stored, terms);
        break;
    case 4:
        list_of_rows<4>(op, *metadata, stored, terms);
        break;
    default:
        list_of_rows<8>(op, *metadata, stored, terms);
        break;
    }
}

} // namespace smsim::sm::compute::matrix

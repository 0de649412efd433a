#include "sm/load_store/coalescer.h"

#include <algorithm>
#include <array>
#include <bit>

namespace smsim::sm {

std::size_t coalesce(const std::vector<Piece> &pieces, std::uint32_t row_bytes, std::uint32_t granule,
                     std::vector<Transaction> &out) {
    std::size_t used = 0;
    std::uint64_t lowest = ~std::uint64_t{0}; // of the rows so far
    std::uint64_t highest = 0;
    for (const Piece &piece : pieces) {
        // Everything is reckoned inside the row: the last row of the address space ends where addresses wrap round.
        const std::uint64_t row = piece.address & ~std::uint64_t{row_bytes - 1};
        // Neighbouring lanes mostly share a row, or go on in one direction: look at the newest first.
        std::size_t at = lowest <= row && row <= highest ? used : 0;
        while (at > 0 && out[at - 1].address != row) {
            --at;
        }
        if (at == 0) {
            if (out.size() == used) {
                out.emplace_back();
            }
            out[used].pieces.clear();
            out[used].address = row;
            at = ++used;
            lowest = std::min(lowest, row);
            highest = std::max(highest, row);
        }
        out[at - 1].pieces.push_back(piece);
    }
    for (std::size_t i = 0; i < used; ++i) {
        Transaction &transaction = out[i];
        if (transaction.pieces.size() == 1 && transaction.pieces.front().bytes % granule == 0) {
            transaction.address = transaction.pieces.front().address;
            transaction.bytes = transaction.pieces.front().bytes;
            transaction.dense = true;
            continue;
        }
        const std::uint64_t row = transaction.address;
        std::uint32_t begin = row_bytes;
        std::uint32_t end = 0;
        std::array<std::uint64_t, kMaxRowBytes / 64> covered{}; // a bit per byte of the row
        for (const Piece &piece : transaction.pieces) {
            const auto from = static_cast<std::uint32_t>(piece.address - row);
            begin = std::min(begin, from);
            end = std::max(end, from + piece.bytes);
            // A piece is aligned to its own size, so it never straddles two of the 64-bit masks.
            covered[from / 64] |= ((std::uint64_t{1} << piece.bytes) - 1) << (from % 64);
        }
        begin &= ~(granule - 1);
        end = (end + granule - 1) & ~(granule - 1);
        unsigned bytes = 0;
        for (const std::uint64_t word : covered) {
            bytes += static_cast<unsigned>(std::popcount(word));
        }
        transaction.address = row + begin;
        transaction.bytes = end - begin;
        transaction.dense = bytes == transaction.bytes;
    }
    return used;
}

namespace {

/// How the addresses of a warp's threads lie, as bits that are 0 where they do.
struct Deviation {
    std::uint64_t from_uniform = 0; ///< all the same
    std::uint64_t from_order = 0;   ///< each `bytes` behind the one before
};

Deviation deviation_of(const std::array<std::uint64_t, kLanes> &address, LaneMask lanes, std::uint32_t bytes) {
    Deviation deviation;
    if (lanes == LaneMask::all()) {
        for (unsigned lane = 0; lane + 1 < kLanes; ++lane) {
            const std::uint64_t distance = address[lane + 1] - address[lane];
            deviation.from_uniform |= distance;
            deviation.from_order |= distance ^ bytes;
        }
        return deviation;
    }
    const std::uint64_t first = address[lanes.lowest()];
    std::uint64_t expected = first;
    for_each_lane(lanes, [&](unsigned lane) {
        deviation.from_uniform |= address[lane] ^ first;
        deviation.from_order |= address[lane] ^ expected;
        expected += bytes;
    });
    return deviation;
}

} // namespace

AddressSpan span_of(const std::array<std::uint64_t, kLanes> &address, LaneMask lanes, std::uint32_t bytes) {
    const std::uint64_t first = address[lanes.lowest()];
    const Deviation deviation = deviation_of(address, lanes, bytes);
    if (deviation.from_uniform == 0) {
        return {first, first + (bytes - 1), lanes.count() == 1, true};
    }
    const bool in_lane_order = deviation.from_order == 0;
    const std::uint64_t behind = std::uint64_t{lanes.count()} * bytes - 1;
    if (in_lane_order && first <= ~std::uint64_t{0} - behind) {
        return {first, first + behind, true, false};
    }
    std::uint64_t low = first;
    std::uint64_t high = first;
    const auto widen = [&](unsigned lane) {
        low = std::min(low, address[lane]);
        high = std::max(high, address[lane]);
    };
    if (lanes == LaneMask::all()) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            widen(lane);
        }
    } else {
        for_each_lane(lanes, widen);
    }
    return {low, high + (bytes - 1), in_lane_order, false};
}

bool in_one_row(const AddressSpan &span, std::uint64_t offset, std::uint32_t row_bytes) {
    return (((span.first + offset) ^ (span.last + offset)) & ~std::uint64_t{row_bytes - 1}) == 0;
}

} // namespace smsim::sm

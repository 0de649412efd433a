#include "sm/coalescer.h"

#include <algorithm>

namespace smsim::sm {

std::size_t coalesce(const std::vector<Piece> &pieces, std::uint32_t row_bytes, std::uint32_t granule, std::vector<Transaction> &out) {
    std::size_t used = 0;
    std::array<std::uint64_t, kLanes * 4> rows{};
    for (const Piece &piece : pieces) {
        const std::uint64_t row = piece.address / row_bytes;
        // Neighbouring lanes mostly share a row: look at the newest first.
        std::size_t at = used;
        while (at > 0 && rows[at - 1] != row) {
            --at;
        }
        if (at == 0) {
            rows[used] = row;
            if (out.size() == used) {
                out.emplace_back();
            }
            out[used].pieces.clear();
            out[used].address = piece.address;
            out[used].bytes = piece.bytes;
            ++used;
            at = used;
        }
        Transaction &transaction = out[at - 1];
        const std::uint64_t end = std::max(transaction.address + transaction.bytes, piece.address + piece.bytes);
        transaction.address = std::min(transaction.address, piece.address);
        transaction.bytes = static_cast<std::uint32_t>(end - transaction.address);
        transaction.pieces.push_back(piece);
    }
    for (std::size_t i = 0; i < used; ++i) {
        Transaction &transaction = out[i];
        const std::uint64_t begin = transaction.address / granule * granule;
        const std::uint64_t end = (transaction.address + transaction.bytes + granule - 1) / granule * granule;
        transaction.address = begin;
        transaction.bytes = static_cast<std::uint32_t>(end - begin);
        std::uint64_t covered[4] = {}; // a bit per byte of the row, up to 256
        // A piece is aligned to its own size, so it never straddles two of the 64-bit masks.
        const auto cover = [&](std::uint64_t from, unsigned count) {
            covered[(from >> 6) & 3] |= ((std::uint64_t{1} << count) - 1) << (from & 63);
        };
        for (const Piece &piece : transaction.pieces) {
            cover(piece.address - begin, piece.bytes);
        }
        unsigned bytes = 0;
        for (const std::uint64_t word : covered) {
            bytes += static_cast<unsigned>(__builtin_popcountll(word));
        }
        transaction.dense = bytes == transaction.bytes;
    }
    return used;
}

} // namespace smsim::sm

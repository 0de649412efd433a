#include "sm/load_store/coalescer.h"

#include <algorithm>
#include <array>
#include <bit>

#include "model/multiversion.h"

namespace smsim::sm {

namespace {

/// The row of `row_bytes` around an address.
std::uint64_t row_of(std::uint64_t address, std::uint32_t row_bytes) {
    return address & ~std::uint64_t{row_bytes - 1};
}

/// A transaction of these pieces, initially as for the first of them.
Transaction as_first(std::span<const Piece> pieces, const Piece &first) {
    return {first.address, first.bytes, true, pieces};
}

/// Whether a transaction of one piece consists of whole granules, so that it needs no cutting.
bool is_cut(const Transaction &transaction, std::uint32_t granule) {
    return transaction.pieces.size() == 1 && (transaction.bytes & (granule - 1)) == 0;
}

/// Cuts a transaction down to its pieces.
void cut(Transaction &transaction, std::uint32_t row_bytes, std::uint32_t granule) {
    // All arithmetic is relative to the row: the last row of the address space ends where addresses wrap.
    const std::uint64_t row = row_of(transaction.address, row_bytes);
    std::uint32_t begin = row_bytes;
    std::uint32_t end = 0;
    std::array<std::uint64_t, kMaxRowBytes / 64> covered{}; // a bit per byte of the row
    for (const Piece &piece : transaction.pieces) {
        const auto from = static_cast<std::uint32_t>(piece.address - row);
        begin = std::min(begin, from);
        end = std::max(end, from + piece.bytes);
        // A piece is aligned to its own size, so it never spans two of the 64-bit masks.
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

} // namespace

std::span<const Transaction> Coalescer::merge(std::span<const Piece> pieces, std::uint32_t row_bytes,
                                              std::uint32_t granule) {
    if (transactions_.size() < pieces.size()) {
        transactions_.resize(pieces.size());
    }
    count_ = 0;
    if (!split_into_runs(pieces, row_bytes)) {
        sort_into_rows(pieces, row_bytes);
    }
    const std::span<Transaction> transactions = std::span(transactions_).first(count_);
    if (count_ == pieces.size() && granule == 1) { // each piece is one
        return transactions;
    }
    for (Transaction &transaction : transactions) {
        if (!is_cut(transaction, granule)) {
            cut(transaction, row_bytes, granule);
        }
    }
    return transactions;
}

/// The number of the transaction of a row; `count_`: none.
std::size_t Coalescer::find(std::uint64_t row, std::uint32_t row_bytes) const {
    const auto transactions = std::span(transactions_).first(count_);
    const auto found = std::ranges::find_if(
        transactions, [&](const Transaction &transaction) { return row_of(transaction.address, row_bytes) == row; });
    return static_cast<std::size_t>(found - transactions.begin());
}

/// Makes a transaction of each run of pieces in one row. False: a row reappears after another one.
bool Coalescer::split_into_runs(std::span<const Piece> pieces, std::uint32_t row_bytes) {
    std::uint64_t lowest = ~std::uint64_t{0}; // of the rows so far
    std::uint64_t highest = 0;
    Transaction *next = transactions_.data();
    const Piece *const end = pieces.data() + pieces.size();
    for (const Piece *first = pieces.data(); first != end;) {
        const std::uint64_t row = row_of(first->address, row_bytes);
        // Usually rows proceed in one direction.
        if (lowest <= row && row <= highest) {
            count_ = static_cast<std::size_t>(next - transactions_.data());
            if (find(row, row_bytes) != count_) {
                return false;
            }
        }
        lowest = std::min(lowest, row);
        highest = std::max(highest, row);
        const Piece *behind = first + 1;
        while (behind != end && row_of(behind->address, row_bytes) == row) {
            ++behind;
        }
        *next++ = as_first({first, behind}, *first);
        first = behind;
    }
    count_ = static_cast<std::size_t>(next - transactions_.data());
    return true;
}

/// Groups the pieces by row.
void Coalescer::sort_into_rows(std::span<const Piece> pieces, std::uint32_t row_bytes) {
    count_ = 0;
    number_of_.clear();
    next_place_.clear(); // at first the number of pieces
    for (const Piece &piece : pieces) {
        const std::size_t number = find(row_of(piece.address, row_bytes), row_bytes);
        if (number == count_) {
            transactions_[count_++] = as_first({}, piece);
            next_place_.push_back(0);
        }
        number_of_.push_back(number);
        ++next_place_[number];
    }
    sorted_.resize(pieces.size());
    std::size_t begin = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        const std::size_t pieces_of_it = next_place_[i];
        transactions_[i].pieces = std::span(sorted_).subspan(begin, pieces_of_it);
        next_place_[i] = begin;
        begin += pieces_of_it;
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        sorted_[next_place_[number_of_[i]]++] = pieces[i];
    }
}

namespace {

/// How the addresses of a warp's threads deviate from a regular pattern: bits that are 0 where they do not.
struct Deviation {
    std::uint64_t from_uniform = 0; ///< all equal
    std::uint64_t from_order = 0;   ///< each `bytes` after the previous one
};

/// For all lanes.
SMSIM_MULTIVERSION Deviation deviation_of(const std::uint64_t *address, std::uint64_t bytes) {
    Deviation deviation;
    for (unsigned lane = 0; lane + 1 < kLanes; ++lane) {
        const std::uint64_t distance = address[lane + 1] - address[lane];
        deviation.from_uniform |= distance;
        deviation.from_order |= distance ^ bytes;
    }
    return deviation;
}

Deviation deviation_of(const std::uint64_t *address, LaneMask lanes, std::uint64_t bytes) {
    Deviation deviation;
    const std::uint64_t first = address[lanes.lowest()];
    std::uint64_t expected = first;
    for_each_lane(lanes, [&](unsigned lane) {
        deviation.from_uniform |= address[lane] ^ first;
        deviation.from_order |= address[lane] ^ expected;
        expected += bytes;
    });
    return deviation;
}

/// The lowest and the highest address, and the union of the set bits of all addresses.
struct Extent {
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = 0;
    std::uint64_t bits = 0;

    [[gnu::always_inline]] void add(std::uint64_t address) { // inlined into the version of the loop that calls it
        low = std::min(low, address);
        high = std::max(high, address);
        bits |= address;
    }
};

/// For all lanes.
SMSIM_MULTIVERSION Extent extent_of(const std::uint64_t *address) {
    Extent extent;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        extent.add(address[lane]);
    }
    return extent;
}

Extent extent_of(const std::uint64_t *address, LaneMask lanes) {
    Extent extent;
    for_each_lane(lanes, [&](unsigned lane) { extent.add(address[lane]); });
    return extent;
}

} // namespace

void AddressSpan::cover(const std::array<std::uint64_t, kLanes> &address, LaneMask lanes, std::uint32_t bytes) {
    const bool all = lanes == LaneMask::all();
    const Deviation deviation = all ? deviation_of(address.data(), bytes) : deviation_of(address.data(), lanes, bytes);
    is_uniform = deviation.from_uniform == 0;
    in_lane_order = is_uniform ? lanes.count() == 1 : deviation.from_order == 0;
    first = address[lanes.lowest()];
    std::uint64_t bits = first; // in lane order all threads are aligned as the first is
    const std::uint64_t behind = is_uniform ? bytes - 1 : std::uint64_t{lanes.count()} * bytes - 1;
    if (is_uniform || (in_lane_order && first <= ~std::uint64_t{0} - behind)) {
        last = first + behind;
    } else {
        const Extent extent = all ? extent_of(address.data()) : extent_of(address.data(), lanes);
        first = extent.low;
        last = extent.high + (bytes - 1);
        bits = extent.bits;
    }
    is_aligned = (bits & (bytes - 1)) == 0;
}

} // namespace smsim::sm

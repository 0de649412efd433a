// Maps the addresses of a warp's threads to memory transactions: merging, splitting, and which lane gets which bytes.
// Plain C++; the load/store unit decides the timing of the transactions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/types.h"

namespace smsim::sm {

/// Largest row that a Coalescer merges over, bytes.
inline constexpr std::uint32_t kMaxRowBytes = 256;

/// One contiguous piece of memory that one lane accesses, aligned to its own size; so it never crosses a row.
struct Piece {
    std::uint64_t address = 0;
    std::uint8_t lane = 0;
    std::uint8_t bytes = 0; ///< 1, 2, 4, 8 or 16
    std::uint8_t word = 0;  ///< first 32-bit register of the lane's data that the piece belongs to
};

/// One memory transaction with its pieces.
struct Transaction {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    bool dense = true; ///< every byte of the range belongs to a piece
    std::span<const Piece> pieces;
};

/// Makes transactions of pieces, for one access after the other.
class Coalescer {
  public:
    /// Merges pieces into transactions: pieces of one aligned `row_bytes` window become one transaction, cut down to
    /// whole `granule` bytes at both ends (granule 1: exactly the bytes between first and last piece). Transactions are
    /// in the order in which their rows first appear, and the pieces of each in the given order. `row_bytes` is a power
    /// of two, 16..kMaxRowBytes, `granule` a divisor of it. The transactions are valid until the next call, and as long
    /// as `pieces` do not move.
    std::span<const Transaction> merge(std::span<const Piece> pieces, std::uint32_t row_bytes, std::uint32_t granule);

  private:
    bool split_into_runs(std::span<const Piece> pieces, std::uint32_t row_bytes);
    void sort_into_rows(std::span<const Piece> pieces, std::uint32_t row_bytes);
    std::size_t find(std::uint64_t row, std::uint32_t row_bytes) const;

    std::vector<Transaction> transactions_; ///< the first `count_` are of the present access
    std::size_t count_ = 0;
    // Used when a row appears in several runs:
    std::vector<Piece> sorted_;           ///< by transaction
    std::vector<std::size_t> number_of_;  ///< by piece: of its transaction
    std::vector<std::size_t> next_place_; ///< by transaction: in `sorted_`
};

/// The addresses from the first to the last byte that the threads of an access touch.
struct AddressSpan {
    std::uint64_t first = 0;
    std::uint64_t last = 0;     ///< inclusive, so that a span may end with the address space
    bool in_lane_order = false; ///< each thread's bytes follow those of the thread before, without gap or overlap
    bool is_uniform = false;    ///< all threads access the same bytes
    bool is_aligned = false;    ///< each thread's address is a multiple of the bytes that it accesses

    /// Sets this to the span of `lanes` (not empty), which access `bytes` bytes (1, 2, 4, 8 or 16) each; when they are
    /// not aligned, only `is_aligned` is meaningful.
    void cover(const std::array<std::uint64_t, kLanes> &address, LaneMask lanes, std::uint32_t bytes);

    /// 0 means the whole address space.
    std::uint64_t bytes() const { return last - first + 1; }
};

/// Whether a span is in one row of `row_bytes` (a power of two) when `offset` is added to it: the common case, which
/// needs no list of pieces.
inline bool in_one_row(const AddressSpan &span, std::uint64_t offset, std::uint32_t row_bytes) {
    return (((span.first + offset) ^ (span.last + offset)) & ~std::uint64_t{row_bytes - 1}) == 0;
}

} // namespace smsim::sm

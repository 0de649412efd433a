// The transactions that a warp access makes beside its first, offered along with it: an ignorable extension.
//
// Threads of a warp that go to many places make a transaction for each row of memory. Sending them one after the other
// costs as much again for each, although nobody could do anything between them. Who knows this extension may do those
// behind the first at once:
//
// - The rows are of the command of the payload: reads, writes, or atomics of the operation and type of its
//   AtomicExtension. All come at its time, in their order, each as if it was sent when the one before had been
//   completed.
// - Only the target at the other end of the socket may take them: `to` names it. What stands in between, and may change
//   addresses and times or count transactions, thereby gets each as a transaction of its own.
// - A target that has completed the payload on the call, with status OK, may perform rows from the first on. It ends at
//   the first one that it cannot complete at once with OK, or does not want to; that one has then changed nothing. It
//   sets `taken`, and the answer of each row that it has taken.
// - A target that hands the payload on may hand the offer on with it: all of it or the first rows, named for the next
//   target. What that has taken, it has taken.
// - Whoever makes an offer begins with `taken` 0, takes the offer back when the call returns, and sends the rows that
//   were not taken. An offer is good during the call that brings it.
#pragma once

#include <cstddef>
#include <span>

#include <tlm>

#include "model/protocol/payload_pool.h"
#include "model/state/memory_row.h"

namespace smsim::protocol {

struct RowsExtension final : PooledExtension<RowsExtension> {
    const void *to = nullptr; ///< Target::identity() of who may take them
    std::span<MemoryRow> offered;
    std::size_t taken = 0; ///< rows from the first on that have been performed
};

/// The rows that come with `payload` for the target that `identity` names; null: none.
inline RowsExtension *rows_for(const void *identity, const tlm::tlm_generic_payload &payload) {
    auto *rows = payload.get_extension<RowsExtension>();
    return rows != nullptr && !rows->offered.empty() && rows->to == identity ? rows : nullptr;
}

} // namespace smsim::protocol

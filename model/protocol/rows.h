// The further transactions of a warp access, offered along with the first: an ignorable extension.
//
// Threads of a warp that access many places make a transaction for each row of memory. Sending them one after the other
// costs as much again for each, although nothing could happen between them. A target that knows this extension may do
// those after the first at once:
//
// - The rows have the command of the payload: reads, writes, or atomics of the operation and type of its
//   AtomicExtension. All arrive at its time, in their order, each as if it was sent when the previous one had been
//   completed.
// - Only the target at the other end of the socket may take them: `to` names it. A module in between, which may change
//   addresses and times or count transactions, therefore gets each as a separate transaction.
// - A target that has completed the payload on the call, with status OK, may perform rows from the first on. It stops
//   at the first one that it cannot complete at once with OK, or does not want to; that one has then changed nothing.
//   It sets `taken`, and the answer of each row that it has taken.
// - A target that forwards the payload may forward the offer with it: all of it or the first rows, named for the next
//   target. What that has taken counts as taken.
// - An initiator that makes an offer sets `taken` to 0, withdraws the offer when the call returns, and sends the rows
//   that were not taken. An offer is valid during the call that carries it.
#pragma once

#include <cstddef>
#include <span>

#include <tlm>

#include "model/protocol/payload_pool.h"
#include "model/state/memory_row.h"

namespace smsim::protocol {

struct RowsExtension final : PooledExtension<RowsExtension> {
    const void *to = nullptr; ///< Target::identity() of the target that may take them
    std::span<MemoryRow> offered;
    std::size_t taken = 0; ///< rows from the first on that have been performed
};

/// The rows that come with `payload` for the target with `identity`; null: none.
inline RowsExtension *rows_for(const void *identity, const tlm::tlm_generic_payload &payload) {
    auto *rows = payload.get_extension<RowsExtension>();
    return rows != nullptr && !rows->offered.empty() && rows->to == identity ? rows : nullptr;
}

} // namespace smsim::protocol

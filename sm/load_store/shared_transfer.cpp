#include "sm/load_store/shared_transfer.h"

#include "sm/load_store/memory_operation.h"

namespace smsim::sm {

std::optional<FaultReport> SharedTransfer::check(const MemoryRequest &request, Checked &checked) const {
    return check_addresses(request, false, checked);
}

Transfer::Started SharedTransfer::start(TransferState &state, const Checked &checked, Legs &legs) {
    const MemoryRequest &request = *state.request;
    const unsigned bytes = bytes_per_thread(*request.insn);
    if (phases_ && bytes > 4 && !is_atomic(*request.insn)) {
        const unsigned threads = kRowBytes / bytes;
        std::uint32_t phases = 0;
        for (unsigned first = 0; first < kLanes; first += threads) {
            phases += (request.lanes & LaneMask(((1U << threads) - 1) << first)).any() ? 1U : 0U;
        }
        if (start_row(state, checked.span, request.window_base, legs, phases)) {
            return {.shared = 1}; // within a row no two words are in one bank
        }
        std::size_t legs_sent = 0;
        for (unsigned first = 0; first < kLanes; first += threads) {
            const LaneMask lanes = request.lanes & LaneMask(((1U << threads) - 1) << first);
            make_pieces(state, request.window_base, lanes);
            legs_sent += start_pieces(state, legs, first / threads);
        }
        return {.shared = legs_sent};
    }
    if (start_row(state, checked.span, request.window_base, legs)) {
        return {.shared = 1};
    }
    make_pieces(state, request.window_base, request.lanes);
    return {.shared = is_atomic(*request.insn) ? start_atomics(state, legs) : start_pieces(state, legs)};
}

} // namespace smsim::sm

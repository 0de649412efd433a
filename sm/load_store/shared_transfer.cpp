#include "sm/load_store/shared_transfer.h"

#include "sm/load_store/memory_operation.h"

namespace smsim::sm {

std::optional<FaultReport> SharedTransfer::check(const MemoryRequest &request, Checked &checked) const {
    return check_addresses(request, false, checked);
}

Transfer::Started SharedTransfer::start(TransferState &state, const Checked &checked, Legs &legs) {
    const MemoryRequest &request = *state.request;
    if (start_row(state, checked.span, request.window_base, legs)) {
        return {.shared = 1};
    }
    make_pieces(state, request.window_base);
    return {.shared = is_atomic(*request.insn) ? start_atomics(state, legs) : start_pieces(state, legs)};
}

} // namespace smsim::sm

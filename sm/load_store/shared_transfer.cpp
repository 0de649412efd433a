#include "sm/load_store/shared_transfer.h"

#include "sm/load_store/memory_operation.h"

namespace smsim::sm {

std::optional<FaultReport> SharedTransfer::check(const MemoryRequest &request, Checked &checked) const {
    return check_addresses(request, false, checked);
}

Transfer::Started SharedTransfer::start(TransferState &state, const Checked &checked, Legs &legs) {
    const MemoryRequest &request = *state.request;
    if (const unsigned bytes = phases_ ? bytes_per_thread(*request.insn) : 0; bytes > 4 && !is_atomic(*request.insn)) {
        const unsigned threads = kRowBytes / bytes;
        const unsigned most = kLanes / threads;
        const auto lanes_of = [&](unsigned phase) {
            return request.lanes & LaneMask(((1U << threads) - 1) << (phase * threads));
        };
        std::uint32_t phases = 0;
        for (unsigned phase = 0; phase < most; ++phase) {
            phases += lanes_of(phase).any() ? 1U : 0U;
        }
        if (start_row(state, checked, request.window_base, legs, phases)) {
            return {.shared = 1}; // 32 banks of 4 bytes hold each word of a row in another one
        }
        std::size_t legs_sent = 0;
        for (unsigned phase = 0; phase < most; ++phase) {
            make_pieces(state, request.window_base, lanes_of(phase));
            legs_sent += start_pieces(state, legs, phase);
        }
        return {.shared = legs_sent};
    }
    if (start_row(state, checked, request.window_base, legs)) {
        return {.shared = 1};
    }
    make_pieces(state, request.window_base, request.lanes);
    return {.shared = is_atomic(*request.insn) ? start_atomics(state, legs) : start_pieces(state, legs)};
}

} // namespace smsim::sm

#include "sm/load_store/local_transfer.h"

#include <algorithm>

#include "sm/load_store/address_check.h"
#include "sm/load_store/global_transfer.h"
#include "sm/load_store/memory_operation.h"

namespace smsim::sm {

LocalTransfer::LocalTransfer(const Config &config) : Transfer(observation::MemorySpace::kLocal, config) {}

std::optional<FaultReport> LocalTransfer::check(const MemoryRequest &request, Checked &) const {
    const isa::Instruction &insn = *request.insn;
    return address_fault(insn.spec(), bytes_per_thread(insn), request.lanes, request.address, request.window_bytes);
}

Transfer::Started LocalTransfer::start(TransferState &state, const Checked &, ChunkSink &chunks) {
    const MemoryRequest &request = *state.request;
    const unsigned bytes = bytes_per_thread(*request.insn);
    state.pieces.clear();
    for_each_lane(request.lanes, [&](unsigned lane) {
        for (unsigned offset = 0; offset < bytes; offset += 4) {
            const std::uint64_t at = request.address[lane] + offset;
            state.pieces.push_back({local_place(request, lane, at), static_cast<std::uint8_t>(lane),
                                    static_cast<std::uint8_t>(std::min(bytes, 4U)),
                                    static_cast<std::uint8_t>(offset / 4)});
        }
    });
    return {.global = start_pieces(state, chunks)};
}

} // namespace smsim::sm

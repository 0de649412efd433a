// Accesses to local memory, which is part of global memory, interleaved by words: a warp's accesses to one variable of
// its threads are contiguous. Plain C++.
#pragma once

#include "sm/load_store/transfer.h"

namespace smsim {
struct Config;
}

namespace smsim::sm {

/// The address in global memory of byte `at` of the local memory of thread `lane`.
inline std::uint64_t local_place(const MemoryRequest &request, unsigned lane, std::uint64_t at) {
    return request.window_base + at / 4 * (std::uint64_t{4} * kLanes) + std::uint64_t{lane} * 4 + at % 4;
}

class LocalTransfer final : public Transfer {
  public:
    explicit LocalTransfer(const Config &config);

    /// Checks alignment and the thread's window.
    std::optional<FaultReport> check(const MemoryRequest &request, Checked &checked) const override;
    Started start(TransferState &state, const Checked &checked, ChunkSink &chunks) override;
};

} // namespace smsim::sm

// Accesses to local memory, which lies in global memory, interleaved by words: a warp's accesses to one variable of its
// threads are contiguous. Plain C++.
#pragma once

#include "model/config/config.h"
#include "sm/load_store/transfer.h"

namespace smsim::sm {

class LocalTransfer final : public Transfer {
  public:
    explicit LocalTransfer(const Config &config);

    /// Alignment, and the thread's window.
    std::optional<FaultReport> check(const MemoryRequest &request, Checked &checked) const override;
    Started start(TransferState &state, const Checked &checked, Legs &legs) override;
};

} // namespace smsim::sm

// Accesses to shared memory: addresses count from the CTA's window. Plain C++.
#pragma once

#include "sm/load_store/transfer.h"

namespace smsim::sm {

class SharedTransfer final : public Transfer {
  public:
    SharedTransfer() : Transfer(observation::MemorySpace::kShared, MemorySide::kShared, kRowBytes) {}

    /// Alignment, and the CTA's window.
    std::optional<FaultReport> check(const MemoryRequest &request, Checked &checked) const override;
    Started start(TransferState &state, const Checked &checked, Legs &legs) override;
};

} // namespace smsim::sm

// Accesses to shared memory: addresses count from the CTA's window, and wide accesses may have phases. Plain C++.
#pragma once

#include "model/config/sections/shared.h"
#include "sm/load_store/transfer.h"

namespace smsim::sm {

/// With `shared.phases`, loads and stores of more than 4 bytes per thread have phases of as many threads as one row
/// holds, 16 of 8 bytes or 8 of 16, which share no pass of the banks (timing.md 4 "Shared memory passes"). In a load,
/// the phases 0 and 1, and 2 and 3, are merged if every thread of them shares its address with the next one, or with
/// the next but one: a row holds what they need. The 8 rows of each matrix of LDSM and STSM are a phase of their own,
/// and each of its passes takes the data path as in an access without phases (tensor.md 3).
class SharedTransfer final : public Transfer {
  public:
    explicit SharedTransfer(const SharedMemoryConfig &config)
        : Transfer(observation::MemorySpace::kShared, MemorySide::kShared, kRowBytes), phases_(config.phases) {}

    /// Checks alignment and the CTA's window.
    std::optional<FaultReport> check(const MemoryRequest &request, Checked &checked) const override;
    Started start(TransferState &state, const Checked &checked, ChunkSink &chunks) override;

  private:
    bool phases_;
};

} // namespace smsim::sm

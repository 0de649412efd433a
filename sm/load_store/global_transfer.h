// Accesses to global memory: bounds, the lines of an L1, and atomics. Plain C++.
#pragma once

#include "model/config/config.h"
#include "sm/load_store/global_bounds.h"
#include "sm/load_store/transfer.h"

namespace smsim::sm {

/// Atomics depend on `global.atomics`. `native`: a chunk for each thread, which the memory performs. `read_write`: a
/// read and a write for each thread in lane order; the access is `alone`, and bypasses an L1.
class GlobalTransfer final : public Transfer {
  public:
    explicit GlobalTransfer(const Config &config)
        : Transfer(observation::MemorySpace::kGlobal, config), atomics_(config.global.atomics) {}

    /// Lets `bounds` judge accesses; it must outlive the transfer. Null: the memory does.
    void check_bounds(GlobalBounds *bounds) { bounds_ = bounds; }

    /// Checks alignment and bounds.
    std::optional<FaultReport> check(const MemoryRequest &request, Checked &checked) const override;
    void note_outside(const MemoryRequest &request, Cycle now) const override;
    Started start(TransferState &state, const Checked &checked, ChunkSink &chunks) override;
    void resume(TransferState &state, ChunkSink &chunks) const override;
    void answered(TransferState &state, const Chunk &chunk, ChunkSink &chunks) const override;

  private:
    void send_modify(TransferState &state, Chunk::Part part, ChunkSink &chunks) const;

    GlobalAtomics atomics_;
    GlobalBounds *bounds_ = nullptr;
};

} // namespace smsim::sm

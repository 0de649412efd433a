// Issue policies: which of the ready warps of a sub-partition issues. Plain objects behind one small interface.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "ibuffer/warp_set.h"
#include "model/config/config.h"

namespace smsim::ibuffer {

/// What a policy can see.
struct PolicyView {
    WarpSet ready = 0;                     ///< may issue in this cycle; never empty when `select` is called
    WarpSet long_stalled = 0;              ///< waiting for global memory, a barrier, a sleep or memory order
    unsigned last = kNoWarp;               ///< warp that issued last
    bool last_yields = false;              ///< its instruction carried the yield hint
    std::span<const std::uint64_t> ages{}; ///< start order of each warp; smaller is older
};

/// Strategy that picks the next warp. Deterministic; may keep state of its own.
class IssuePolicy {
  public:
    virtual ~IssuePolicy() = default;
    /// A warp out of `view.ready`.
    virtual unsigned select(const PolicyView &view) = 0;
};

/// The policy of the configuration (`ibuffer.policy`) for a sub-partition of `warps` warps.
/// The yield hint of the last instruction makes its warp the last choice under every policy.
std::unique_ptr<IssuePolicy> make_issue_policy(const IBufferConfig &config, unsigned warps);

} // namespace smsim::ibuffer

// Issue policies: which of the ready warps of a sub-partition issues. Plain objects behind one small interface; the
// model's own are in ibuffer/policies/, others come from shared libraries (model/policy_library.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "ibuffer/warp_facts.h"
#include "ibuffer/warp_set.h"
#include "model/config/sections/ibuffer.h"
#include "model/isa/instruction.h"
#include "model/policy_library.h"
#include "model/state/cache_answer.h"
#include "model/types.h"

namespace smsim::ibuffer {

/// What a policy can see.
struct PolicyView {
    WarpSet ready = 0;                     ///< may issue in this cycle; never empty when `select` is called
    WarpSet long_stalled = 0;              ///< waiting for global memory, a barrier, a sleep or memory order
    unsigned last = kNoWarp;               ///< warp that issued last
    bool last_yields = false;              ///< its instruction carried the yield hint
    std::span<const std::uint64_t> ages{}; ///< start order of each warp; smaller is older
    Cycle now = 0;
    const WarpFacts *warps = nullptr; ///< everything else; not null in a simulation
};

/// Strategy that picks the next warp. Deterministic; may keep state of its own. One object serves one sub-partition.
class IssuePolicy {
  public:
    virtual ~IssuePolicy() = default;
    /// A warp out of `view.ready` (any other is an InputError), or kNoWarp: nothing issues in this cycle. A warp that
    /// has been passed over for `ibuffer.starvation_limit` cycles issues without this call.
    virtual unsigned select(const PolicyView &view) = 0;

    /// Whether it wants the events below, whose collection costs time.
    virtual bool wants_events() const { return false; }
    // Events, in the order of their cycles; those of one cycle before `select` of that cycle and in a fixed order.
    /// A warp starts at `at`.
    virtual void started(unsigned /*warp*/, const WarpStart &, Cycle /*at*/) {}
    /// It has issued `insn` at `now`; on a CTA barrier (isa::waits_at_barrier) it arrives there.
    virtual void issued(unsigned /*warp*/, const isa::Instruction & /*insn*/, Cycle /*now*/) {}
    /// A load from global or local memory that it issued at `issued` is answered at `at`; `found`: what the L1 had of
    /// its data.
    virtual void loaded(unsigned /*warp*/, const CacheAnswer & /*found*/, Cycle /*issued*/, Cycle /*at*/) {}
    /// It continues at `at` after a CTA barrier or a sleep.
    virtual void woken(unsigned /*warp*/, Cycle /*at*/) {}
    /// It has ended.
    virtual void ended(unsigned /*warp*/, Cycle /*at*/) {}
};

/// What a library exports as `smsim_issue_policy`; `PolicyRequest::warps` is the number of warps of the sub-partition.
using IssuePolicyLibrary = PolicyLibrary<IssuePolicy>;

/// The policy of the configuration (`ibuffer.policy`) for a sub-partition of `warps` warps. Throws InputError for a
/// library that cannot be used. The yield hint of the last instruction makes its warp the last choice under each of the
/// model's own policies.
std::unique_ptr<IssuePolicy> make_issue_policy(const IBufferConfig &config, unsigned warps);

} // namespace smsim::ibuffer

// What an SM needs from the instruction buffer of a sub-partition (with its warp scheduler), whatever implements it.
#pragma once

#include <span>
#include <string>

#include <tlm>

#include "model/observation/observer.h"
#include "model/parts/part.h"
#include "model/protocol/links.h"
#include "model/protocol/memory.h"
#include "model/state/warp_life.h"
#include "model/stats/interval_counters.h"
#include "model/stats/statistics.h"
#include "model/stats/utilisation.h"

namespace smsim::parts {

/// Counters of one sub-partition since construction, or since the last `clear_statistics`. Views are valid until the
/// part does anything.
struct IssueStats {
    const WarpRecords *ended = nullptr; ///< warps that have ended; never null
    /// By instruction, index pc / 16: one more than the length of the launch's program, or fewer if none of its warps
    /// has started here.
    std::span<const PcStats> pcs;
    const IntervalCounters *over_time = nullptr; ///< stall cycles and issues of all warps; never null
    std::uint64_t fetches_discarded = 0;
    FetchCauseCycles no_instruction{};    ///< stall cycles of that reason, of all warps that have ended, by cause
    std::span<const std::uint64_t> lanes; ///< issues by the number of lanes that executed, 0 to kLanes
    std::vector<Dependence> dependences;  ///< scoreboards waited for, in no particular order
    const LatencyStats *wake_to_issue = nullptr; ///< never null
    std::uint64_t direct_fetches = 0; ///< from lines of an L0 that it may read without a transaction: hits of that L0
};

/// Instruction buffers, scoreboards and issue scheduler of one sub-partition. Warp slot w of the SM is handled by
/// sub-partition w mod sub_partitions. The rules of the links are in model/protocol/links.h.
class InstructionBuffer : public Part {
  public:
    virtual tlm::tlm_initiator_socket<64, protocol::MemoryLink> &to_instruction_memory() = 0;
    virtual tlm::tlm_initiator_socket<64, protocol::IssueLink> &to_datapath() = 0;
    /// Wakes from the barrier unit.
    virtual tlm::tlm_target_socket<64, protocol::WakeLink> &from_barrier_unit() = 0;
    /// Wakes from the branch unit.
    virtual tlm::tlm_target_socket<64, protocol::WakeLink> &from_branch_unit() = 0;
    /// Starts of warps.
    virtual tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() = 0;
    /// Exits, ends and exceptions of warps.
    virtual tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &to_dispatch() = 0;

    /// Reports to `observer` what happens to the warps of this sub-partition and to their instructions; null: no
    /// observer.
    virtual void observe(observation::Observer *observer) = 0;
    virtual IssueStats stats() const = 0;
    /// Adds its use in the present launch up to cycle `end`; a part that does not count it adds nothing.
    virtual void add_use(Cycle /*end*/, UnitUses &) const {}
    /// Restarts all counts in the present cycle; no warp may be resident.
    virtual void clear_statistics() = 0;
    /// Charges all open intervals up to the present cycle (for a launch that was cut short); nothing is issued
    /// afterwards.
    virtual void close() = 0;
    /// Whether slot `warp` (of this sub-partition) holds a warp that has not ended.
    virtual bool is_resident(WarpSlot warp) const = 0;
    /// Whether that warp waits at a CTA barrier and no wake is on its way.
    virtual bool is_blocked(WarpSlot warp) const = 0;
    /// The warp in the slot: the present one, or the last one.
    virtual const WarpStart &start_of(WarpSlot warp) const = 0;
    /// One line for each resident warp, each ended by a newline: state in cycle `at`, the present or the previous one,
    /// PC, active mask; for reports.
    virtual std::string describe(Cycle at) const = 0;
    /// The last cycle known to change the charge of a resident warp, even if nothing is called then: a launch in which
    /// nothing can happen any more ends no earlier.
    virtual Cycle changes_until() const { return 0; }
};

} // namespace smsim::parts

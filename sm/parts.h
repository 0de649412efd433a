// Interfaces that an SM needs from those of its parts that know warp registers, CTAs and bounds, whatever implements
// them; the interfaces of the other parts are in model/parts/.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <tlm>

#include "model/observation/observer.h"
#include "model/parts/part.h"
#include "model/parts/unanswered.h"
#include "model/protocol/links.h"
#include "model/protocol/memory.h"
#include "model/stats/statistics.h"
#include "model/stats/utilisation.h"
#include "sm/datapath/compute/registers.h"
#include "sm/dispatch/raised_fault.h"
#include "sm/execution_observer.h"
#include "sm/load_store/global_bounds.h"

namespace smsim::parts {

/// Registers and execution pipes of one sub-partition.
class Datapath : public Part {
  public:
    virtual tlm::tlm_target_socket<64, protocol::IssueLink> &from_ibuffer() = 0;
    virtual tlm::tlm_initiator_socket<64, protocol::BranchLink> &to_branch_unit() = 0;
    virtual tlm::tlm_initiator_socket<64, protocol::BarrierLink> &to_barrier_unit() = 0;
    virtual tlm::tlm_initiator_socket<64, protocol::LoadStoreLink> &to_load_store() = 0;
    /// To the execution pipe of `unit`. Exists and must be bound where the SM has one such pipe for all sub-partitions
    /// (timing/pipes.h `is_shared`). Forwards payloads of the issue link.
    virtual tlm::tlm_initiator_socket<64, protocol::IssueLink> &to_shared_pipe(isa::Unit unit) = 0;
    /// Starts and ends of warps.
    virtual tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() = 0;

    /// Reports everything executed to `observer`; null: no observer.
    virtual void observe(sm::ExecutionObserver *observer) = 0;
    /// Registers of the warp that is, or was last, in slot `warp` of this sub-partition.
    virtual const sm::compute::WarpRegisters &registers(WarpSlot warp) const = 0;
    /// Counters since construction, or since the last `clear_statistics`.
    virtual const DatapathStats &stats() const = 0;
    /// Hazards found since then; empty when not checked.
    virtual std::vector<Hazard> hazards() const = 0;
    /// Restarts all counts; no warp may be resident.
    virtual void clear_statistics() = 0;
};

/// The timing of the instructions of one execution pipe, for all sub-partitions.
class SharedPipe : public Part {
  public:
    /// Instructions of sub-partition `index`, which have already been executed.
    virtual tlm::tlm_target_socket<64, protocol::IssueLink> &from_datapath(unsigned index) = 0;
    /// Adds its use in the present launch up to cycle `end`; a part that does not count it adds nothing.
    virtual void add_use(Cycle /*end*/, UnitUses &) const {}
    /// Restarts all counts; nothing may be under way.
    virtual void clear_statistics() {}
};

/// Memory instructions of all sub-partitions.
class LoadStoreUnit : public Part {
  public:
    /// Memory instructions of sub-partition `index`.
    virtual tlm::tlm_target_socket<64, protocol::LoadStoreLink> &from_datapath(unsigned index) = 0;
    virtual tlm::tlm_initiator_socket<64, protocol::MemoryLink> &to_shared() = 0;
    virtual tlm::tlm_initiator_socket<64, protocol::MemoryLink> &to_global() = 0;

    /// The transaction on global memory that has waited longest for its answer; none when all have been answered, or if
    /// the part does not know.
    virtual std::optional<UnansweredRequest> unanswered() const { return std::nullopt; }
    /// The oldest access that waits for an answer about some of the `bytes` of global memory at `address`; none when
    /// there is none, or if the part does not know.
    virtual std::optional<WaitingAccess> waits_for(std::uint64_t address, std::uint32_t bytes) const {
        static_cast<void>(address);
        static_cast<void>(bytes);
        return std::nullopt;
    }
    /// Lets `check` judge the accesses to global memory; it must outlive the unit. Null: no check.
    virtual void check_bounds(sm::GlobalBounds *check) = 0;
    /// Reports memory accesses to `observer`; null: no observer.
    virtual void observe(observation::Observer *observer) = 0;
    /// Counters since construction, or since the last `clear_statistics`.
    virtual const LoadStoreStats &stats() const = 0;
    /// Adds its use in the present launch up to cycle `end`; a part that does not count it adds nothing.
    virtual void add_use(Cycle /*end*/, UnitUses &) const {}
    /// Restarts all counts; nothing may be under way.
    virtual void clear_statistics() = 0;
};

/// The timer of each warp slot.
class SleepTimer : public Part {
  public:
    virtual tlm::tlm_target_socket<64, protocol::TimerLink> &from_branch_unit() = 0;
    virtual tlm::tlm_initiator_socket<64, protocol::TimerLink> &to_branch_unit() = 0;
    /// Starts and ends of warps.
    virtual tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() = 0;
};

/// Places CTAs and starts their warps in all parts.
class CtaDispatch : public Part {
  public:
    /// Starts of warps to the instruction buffer of sub-partition `index`.
    virtual tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &to_ibuffer(unsigned index) = 0;
    /// Starts and ends of warps to the datapath of sub-partition `index`.
    virtual tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &to_datapath(unsigned index) = 0;
    /// Starts of warps.
    virtual tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &to_branch_unit() = 0;
    /// Starts and exits of warps.
    virtual tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &to_barrier_unit() = 0;
    /// Starts and ends of warps.
    virtual tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &to_timer() = 0;
    /// From the instruction buffer of sub-partition `index`: warps that have exited, that have ended, and exceptions.
    virtual tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_ibuffer(unsigned index) = 0;

    /// CTAs of the present launch that have ended here, including their stores.
    virtual std::uint64_t completed() const = 0;
    /// The cycle in which the last store that outlived its warp was performed, in the present launch; 0: none.
    virtual Cycle last_store() const = 0;
    /// The exception that ends the launch.
    virtual const std::optional<sm::RaisedFault> &fault() const = 0;
    /// Whether neither a start of a CTA nor a notice of a warp's end is pending, so that only the end of a resident
    /// warp can change that.
    virtual bool is_quiet() const = 0;
    /// Slots of ended warps that are not free yet, in the order of their ends.
    virtual std::vector<WarpSlot> ending() const = 0;
    /// Number of residents in the present launch, a sample at each change.
    virtual const OccupancyCurve &occupancy() const = 0;
    /// Called in the cycle after an exception.
    virtual void on_fault(std::function<void()> callback) = 0;
};

} // namespace smsim::parts

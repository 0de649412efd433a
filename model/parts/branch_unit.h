// What an SM needs from its branch unit, whatever implements it: sockets for its neighbours, and data for reports,
// traces and observers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tlm>

#include "model/observation/observer.h"
#include "model/parts/part.h"
#include "model/protocol/links.h"
#include "model/state/control_snapshot.h"
#include "model/stats/statistics.h"
#include "model/stats/utilisation.h"
#include "model/types.h"

namespace smsim::parts {

/// Control flow of all warps of an SM (bru.md). The rules of the links are in model/protocol/links.h.
class BranchUnit : public Part {
  public:
    /// Control instructions of sub-partition `index`.
    virtual tlm::tlm_target_socket<64, protocol::BranchLink> &from_datapath(unsigned index) = 0;
    /// Requests to the sleep timer.
    virtual tlm::tlm_initiator_socket<64, protocol::TimerLink> &to_timer() = 0;
    /// Expiries of the sleep timer.
    virtual tlm::tlm_target_socket<64, protocol::TimerLink> &from_timer() = 0;
    /// Wakes of sleeping warps of sub-partition `index`.
    virtual tlm::tlm_initiator_socket<64, protocol::WakeLink> &to_ibuffer(unsigned index) = 0;
    /// Starts of warps.
    virtual tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() = 0;

    /// Reports control instructions, divergences, timers and sleeps to `observer`; null: no observer.
    virtual void observe(observation::Observer *observer) = 0;
    /// Counters since construction, or since the last `clear_statistics`.
    virtual const BruStats &stats() const = 0;
    /// Counters of the mechanism, besides those of `stats`; none by default.
    virtual std::vector<EngineCounter> engine_counters() const { return {}; }
    /// Sizes of whatever grows in the mechanism, up to the present cycle; without a name by default.
    virtual LevelStats level_stats() const { return {}; }
    /// Adds its use in the present launch up to cycle `end`; a part that does not count it adds nothing.
    virtual void add_use(Cycle /*end*/, UnitUses &) const {}
    /// Restarts all counts; no warp may be resident.
    virtual void clear_statistics() = 0;
    /// Control state of a warp after its last control instruction, with any timer expiry due by now applied; with
    /// `next`, as it is when the warp has since executed other instructions, up to the one before that address. The
    /// fields are the same at each call.
    virtual ControlSnapshot snapshot(WarpSlot warp, std::optional<Pc> next) const = 0;
    /// One line on a warp for reports: where its threads are, and whether it sleeps and until when.
    virtual std::string describe(WarpSlot warp) const = 0;
    /// Which threads of a resident warp cannot run before others have left, for the report of a launch that does not
    /// end; empty when there are none, or the unit does not know.
    virtual std::string held_back(WarpSlot) const { return {}; }
};

} // namespace smsim::parts

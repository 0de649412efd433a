// What an SM needs of its branch unit, whatever implements it: sockets for its neighbours, and what reports, traces and
// observers ask for.
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

/// Control flow of all warps of an SM (bru.md). The links' rules stand in model/protocol/links.h.
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

    /// Tells `observer` of control instructions, divergences, timers and sleeps; null: nobody.
    virtual void observe(observation::Observer *observer) = 0;
    /// Counters since construction, or since the last `clear_statistics`.
    virtual const BruStats &stats() const = 0;
    /// Counters of the mechanism inside, beside those of `stats`; none by default.
    virtual std::vector<EngineCounter> engine_counters() const { return {}; }
    /// How large what grows in the mechanism was, up to the present cycle; without a name by default.
    virtual LevelStats level_stats() const { return {}; }
    /// Adds what it was used in the present launch up to cycle `end`; a part that does not count it adds nothing.
    virtual void add_use(Cycle /*end*/, UnitUses &) const {}
    /// Begins to count anew; no warp is resident.
    virtual void clear_statistics() = 0;
    /// Control state of a warp after its last control instruction, with a timer expiry that is due by now applied; with
    /// `next`, as it is when the warp has since executed other instructions, up to the one before that address. The
    /// fields are the same at each call.
    virtual ControlSnapshot snapshot(WarpSlot warp, std::optional<Pc> next) const = 0;
    /// One line on a warp for reports: where its threads stand, and whether it sleeps until when.
    virtual std::string describe(WarpSlot warp) const = 0;
    /// Which threads of a resident warp cannot run before others have gone somewhere, for the report of a launch that
    /// does not end; empty when there are none, or the unit cannot tell.
    virtual std::string held_back(WarpSlot) const { return {}; }
};

} // namespace smsim::parts

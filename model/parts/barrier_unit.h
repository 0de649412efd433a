// What an SM needs from its CTA barrier unit, whatever implements it.
#pragma once

#include <string>

#include <tlm>

#include "model/observation/observer.h"
#include "model/parts/part.h"
#include "model/protocol/links.h"
#include "model/stats/statistics.h"
#include "model/stats/utilisation.h"

namespace smsim::parts {

/// CTA barriers of an SM (bcu.md). The rules of the links are in model/protocol/links.h.
class BarrierUnit : public Part {
  public:
    /// Operations of sub-partition `index`.
    virtual tlm::tlm_target_socket<64, protocol::BarrierLink> &from_datapath(unsigned index) = 0;
    /// Releases of blocked warps of sub-partition `index`.
    virtual tlm::tlm_initiator_socket<64, protocol::WakeLink> &to_ibuffer(unsigned index) = 0;
    /// Starts and exits of warps.
    virtual tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() = 0;

    /// Reports arrivals, completions and releases to `observer`; null: no observer.
    virtual void observe(observation::Observer *observer) = 0;
    /// Counters since construction, or since the last `clear_statistics`.
    virtual const BcuStats &stats() const = 0;
    /// Adds its use in the present launch up to cycle `end`; a part that does not count it adds nothing.
    virtual void add_use(Cycle /*end*/, UnitUses &) const {}
    /// Restarts all counts; no warp may be resident.
    virtual void clear_statistics() = 0;
    /// Whether no operation and no start or exit of a warp waits to be served: without further messages, no warp will
    /// be released.
    virtual bool is_quiet() const = 0;
    /// Which warps wait where, CTA by CTA, for reports; empty when no warp waits.
    virtual std::string describe() const = 0;
};

} // namespace smsim::parts

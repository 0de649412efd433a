// When the sleep timers of the warps expire, without SystemC: one timer per warp slot, kept as a calendar of cycles.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/types.h"

namespace smsim::sm {

/// The running timers of an SM, in absolute cycles.
class SleepCalendar {
  public:
    /// `warps` timers, none running. Expiries are rounded up to a multiple of `granularity` cycles (0 counts as 1).
    SleepCalendar(std::uint32_t warps, Cycle granularity);

    /// A request of `warp` that takes effect at cycle `now`: its timer expires at the earlier of its present expiry, if
    /// it runs, and `now + cycles` (bru.md NANOSLEEP), rounded up. A request of 0 cycles counts as 1. A timer that
    /// expires at `now` or before no longer runs: an expiry precedes a request of the same cycle. `warp` must be below
    /// `warps()`. Returns the expiry.
    Cycle request(WarpSlot warp, Cycle now, Cycle cycles);

    /// The warp of this slot ends, or another one starts, at cycle `at`: stops a timer that expires later.
    void stop(WarpSlot warp, Cycle at);

    /// Earliest expiry that has not been taken; kNever when no timer runs.
    Cycle next() const { return expiries_.empty() ? kNever : expiries_.back().first; }

    /// Takes the timers that expire at cycle `until` or before: their warps in the order of expiry, then of warp slot.
    /// A taken timer still counts as running for requests before its expiry, so that announcing an expiry ahead of time
    /// changes nothing. The result is valid until the next call.
    const std::vector<WarpSlot> &take(Cycle until);

    /// When the timer of `warp` expires by its latest request, or has expired; 0 before any and when it was stopped. It
    /// runs before that cycle.
    Cycle expiry(WarpSlot warp) const { return latest_.at(warp.value()); }

    std::uint32_t warps() const { return static_cast<std::uint32_t>(latest_.size()); }

  private:
    // A warp can have more than one expiry here for a short time: a request that takes effect after the present
    // expiry is already known before it.
    using Expiry = std::pair<Cycle, WarpSlot>;
    std::vector<Expiry> expiries_; ///< not yet taken, in descending order: the next one is at the end
    std::vector<WarpSlot> taken_;  ///< by the latest `take`
    std::vector<Cycle> latest_;    ///< by warp slot: expiry of the latest request; 0 before any
    Cycle granularity_;
};

} // namespace smsim::sm

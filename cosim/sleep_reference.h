// Sleep of the warps beside a branch unit of RTL: which requests to the timer and which wakes docs/pins.md ("Branch
// unit", Sleep) demands of it, and when. Plain C++.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "model/state/warp_life.h"
#include "model/types.h"

namespace smsim::cosim {

class SleepReference {
  public:
    /// A request to the timer there beside the one here.
    struct Comparison {
        std::optional<std::string> difference; ///< the cycles that are asked for, here and there, and the rule
        std::optional<Cycle> due;              ///< cycle in which the request is due
    };

    /// For `warps` warp slots.
    explicit SleepReference(unsigned warps) : warps_(warps) {}

    /// Another warp starts in the slot of `warp`. Requests of the one before stay due.
    void start(WarpSlot warp);
    /// An instruction of `warp` starts, whose response is due in cycle `due`, with this `outcome`; `sleep` is the time
    /// of a NANOSLEEP in cycles.
    void executed(WarpSlot warp, Cycle due, Outcome outcome, std::optional<Cycle> sleep);
    /// The timer of `warp` tells an expiry in cycle `told`, in which no instruction starts any more. Whether it has
    /// fired with effect.
    bool expired(WarpSlot warp, Cycle told);
    /// When the timer of `warp` is to expire with effect; kNever: it is expected no more.
    Cycle expected(WarpSlot slot) const {
        const Warp &warp = warps_.at(slot.value());
        return warp.expected == kNever ? kNever : warp.expected - warp.earlier;
    }

    /// The timer is asked there in cycle `at` for an expiry of `warp` in so many `cycles`. RTL that asks before the
    /// request is due has latencies of its own: its timer expires that much earlier.
    Comparison asked(WarpSlot warp, Cycle cycles, Cycle at);
    /// `warp` is woken there: the cycle in which that is due. Nothing: it is not to be woken.
    std::optional<Cycle> woken(WarpSlot warp);
    /// What was due for `warp` in cycle `due` or before, and has not been done there; nothing where all is.
    std::optional<std::string> missing(WarpSlot warp, Cycle due) const;

  private:
    struct Request {
        Cycle due;
        Cycle cycles;
        bool again; ///< the timer had been used up by an earlier sleep
    };
    struct Warp {
        Cycle expected = kNever;    ///< as the latencies are
        Cycle earlier = 0;          ///< by so much RTL has asked earlier
        std::optional<Cycle> slept; ///< the warp sleeps by a response due in this cycle
        std::optional<Cycle> wake;  ///< due in this cycle
        std::deque<Request> requests;
    };
    std::vector<Warp> warps_;
};

} // namespace smsim::cosim

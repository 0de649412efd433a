// Models the sleep of warps beside a branch unit of RTL: which timer requests and which wakes docs/pins.md ("Branch
// unit", Sleep) requires of it, and when. Plain C++.
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
    /// A timer request of the RTL compared with that of the model.
    struct Comparison {
        std::optional<std::string> difference; ///< the requested cycles of both sides, and the rule
        std::optional<Cycle> due;              ///< cycle in which the request is due
    };

    /// For `warps` warp slots.
    explicit SleepReference(unsigned warps) : warps_(warps) {}

    /// Starts another warp in the slot of `warp`. Requests of the previous warp stay due.
    void start(WarpSlot warp);
    /// Starts an instruction of `warp` with this `outcome`, whose response is due in cycle `due`; `sleep` is the time
    /// of a NANOSLEEP in cycles.
    void executed(WarpSlot warp, Cycle due, Outcome outcome, std::optional<Cycle> sleep);
    /// Records that the timer of `warp` signals an expiry in cycle `told`, in which no further instruction starts.
    /// Returns whether it fired with effect.
    bool expired(WarpSlot warp, Cycle told);
    /// When the timer of `warp` will expire with effect; kNever: no expiry is expected.
    Cycle expected(WarpSlot slot) const {
        const Warp &warp = warps_.at(slot.value());
        return warp.expected == kNever ? kNever : warp.expected - warp.earlier;
    }

    /// Compares a request of the RTL in cycle `at` for an expiry of `warp` in `cycles` cycles. RTL that asks before
    /// the request is due has its own latencies: its timer expires that much earlier.
    Comparison asked(WarpSlot warp, Cycle cycles, Cycle at);
    /// Records that the RTL wakes `warp`. Returns the cycle in which the wake is due; nothing: it must not be woken.
    std::optional<Cycle> woken(WarpSlot warp);
    /// Describes what was due for `warp` by cycle `due` and the RTL has not done; nothing if all is done.
    std::optional<std::string> missing(WarpSlot warp, Cycle due) const;

  private:
    struct Request {
        Cycle due;
        Cycle cycles;
        bool again; ///< the timer had been used up by an earlier sleep
    };
    struct Warp {
        Cycle expected = kNever;    ///< as the latencies are
        Cycle earlier = 0;          ///< cycles by which RTL has asked earlier
        std::optional<Cycle> slept; ///< the warp sleeps by a response due in this cycle
        std::optional<Cycle> wake;  ///< due in this cycle
        std::deque<Request> requests;
    };
    std::vector<Warp> warps_;
};

} // namespace smsim::cosim

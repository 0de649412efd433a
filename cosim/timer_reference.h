// The model's sleep timers, run beside those of RTL: they get the same requests and stops, and report where the RTL
// differs (docs/pins.md "Sleep timer"). Plain C++.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/types.h"
#include "sm/timer/sleep_calendar.h"

namespace smsim::cosim {

class TimerReference {
  public:
    /// An expiry of the RTL compared with that of the model.
    struct Comparison {
        std::optional<std::string> difference;
        std::optional<Cycle> due; ///< cycle in which the model's timer expires, or has expired
    };

    /// `warps` timers, expiries rounded up to a multiple of `granularity` cycles.
    TimerReference(unsigned warps, Cycle granularity);

    /// Records a request of `warp` that was taken in cycle `now`.
    void request(WarpSlot warp, Cycle now, Cycle cycles);
    /// Stops the timer of `warp` with effect in cycle `at`.
    void stop(WarpSlot warp, Cycle at);
    /// Lets the timers expire that are due by cycle `until`.
    void advance(Cycle until);

    /// Compares an expiry of `warp` in the RTL in cycle `at`, to which this object has advanced. Stops a timer of the
    /// model that would expire later. A difference: the model's timer does not run, and has not expired since its last
    /// request.
    Comparison expired(WarpSlot warp, Cycle at);
    /// Called after cycle `now`, in which `warp` made a request: the RTL's timer expires at `there` (kNever: does not
    /// run). A difference: only one of the two timers runs, and its expiry was not signalled in `now`.
    std::optional<std::string> running(WarpSlot warp, Cycle now, Cycle there) const;
    /// The first timer that has expired in the model by cycle `due`, and never in the RTL.
    std::optional<std::string> missing(Cycle due) const;
    /// Checks the model when no timer runs in the RTL after cycle `now`. A difference: one runs in the model, or its
    /// expiry never occurred in the RTL.
    std::optional<std::string> none_runs(Cycle now) const;

  private:
    struct Timer {
        std::optional<Cycle> expected; ///< runs in the model, and expires then
        std::optional<Cycle> missing;  ///< has expired in the model, and not in the RTL
    };

    sm::SleepCalendar calendar_;
    std::vector<Timer> timers_;
};

} // namespace smsim::cosim

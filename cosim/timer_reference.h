// The model's sleep timers beside those of RTL: they get the same requests and stops, and say where the other differs
// (docs/pins.md "Sleep timer"). Plain C++.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/types.h"
#include "sm/timer/sleep_calendar.h"

namespace smsim::cosim {

class TimerReference {
  public:
    /// An expiry there beside the one here.
    struct Comparison {
        std::optional<std::string> difference;
        std::optional<Cycle> due; ///< cycle in which the model's timer expires, or has expired
    };

    /// `warps` timers, expiries rounded up to a multiple of `granularity` cycles.
    TimerReference(unsigned warps, Cycle granularity);

    /// A request of `warp` was taken in cycle `now`.
    void request(WarpSlot warp, Cycle now, Cycle cycles);
    /// The timer of `warp` is stopped with effect in cycle `at`.
    void stop(WarpSlot warp, Cycle at);
    /// Lets everything expire that expires up to cycle `until`.
    void advance(Cycle until);

    /// The timer of `warp` expires there in cycle `at`, up to which this has advanced. A model's timer that would
    /// expire later is stopped. A difference: it does not run here, and has not expired since its last request.
    Comparison expired(WarpSlot warp, Cycle at);
    /// Behind cycle `now`, in which `warp` has made a request: its timer there expires at `there` (kNever: does not
    /// run). A difference: one of them runs, and expires in a cycle that `now` does not tell, and the other does not
    /// run.
    std::optional<std::string> running(WarpSlot warp, Cycle now, Cycle there) const;
    /// The first timer that has expired here in cycle `due` or before, and never there.
    std::optional<std::string> missing(Cycle due) const;
    /// No timer runs there behind cycle `now`. A difference: one here does, or its expiry has never come there.
    std::optional<std::string> none_runs(Cycle now) const;

  private:
    struct Timer {
        std::optional<Cycle> expected; ///< runs here, and expires then
        std::optional<Cycle> missing;  ///< has expired here, and not there
    };

    sm::SleepCalendar calendar_;
    std::vector<Timer> timers_;
};

} // namespace smsim::cosim

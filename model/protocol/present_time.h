// The present simulation time for who asks for it with every transaction: read where the kernel keeps it, without a
// call.
//
// Parts that share a calendar may be ahead of the kernel (protocol::Calendar::lead_until). What they do has the time
// that the calendar keeps; the kernel's own stands still meanwhile.
#pragma once

#include <algorithm>

#include <systemc>

#include "model/types.h"

namespace smsim::protocol {

/// The present time as cycles of a clock, kept until time goes on.
struct PresentCycle {
    using Raw = sc_core::sc_time::value_type;

    Raw period = 0; ///< of the clock, in units of the time resolution
    Raw time = 0;   ///< the present time for which the next two are
    Cycle cycle = 0;
    Raw into_cycle = 0; ///< time since its beginning
};

/// The time of a calendar, as those see it who follow it.
struct LocalTime {
    using Raw = sc_core::sc_time::value_type;

    sc_core::sc_time now; ///< the present time where the kernel's own is not later
    /// While the calendar leads: before this time, absolute, the kernel calls nobody else but who is notified at once.
    /// Whoever makes it call somebody brings this forward; 0: the kernel has to be asked.
    Raw alone_until = 0;
    PresentCycle cycle; ///< of all who follow with the period of the first
};

/// To be made where sc_time_stamp() may be called, and used while that simulation lives.
class PresentTime {
  public:
    using Raw = sc_core::sc_time::value_type;

    /// From now on `local` where that is later than the kernel's time (`Calendar::local_time`); it outlives this.
    void follow(LocalTime &local) {
        local_ = &local.now;
        leader_ = &local;
    }

    /// As sc_time_stamp() gives it, where no calendar is ahead.
    const sc_core::sc_time &get() const { return kernel_.value() < local_->value() ? *local_ : kernel_; }
    /// In units of the time resolution.
    Raw raw() const { return std::max(kernel_.value(), local_->value()); }
    /// Notifies `event` for the absolute time `at`, for the present one when that has passed. `event.notify(at - now)`
    /// would count from the kernel's time.
    void notify(sc_core::sc_event &event, Raw at) const {
        const Raw when = std::max(at, raw());
        event.notify(sc_core::sc_time::from_value(when - kernel_.value()));
        comes(when);
    }
    /// The kernel is going to call somebody at `at`, absolute, by what this does not notify.
    void comes(Raw at) const {
        if (leader_ != nullptr && at < leader_->alone_until) {
            leader_->alone_until = at;
        }
    }

  private:
    const sc_core::sc_time &kernel_ = sc_core::sc_time_stamp(); ///< the kernel's own, which goes on
    const sc_core::sc_time *local_ = &kernel_;
    LocalTime *leader_ = nullptr; ///< whose time that is; null: the kernel's
};

} // namespace smsim::protocol

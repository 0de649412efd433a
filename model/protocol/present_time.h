// The present simulation time for code that needs it with every transaction: read where the SystemC kernel keeps it,
// without a call.
//
// Parts that share a calendar may be ahead of the kernel (protocol::Calendar::lead_until). What they do has the
// calendar's time; the SystemC kernel's own time does not advance meanwhile.
#pragma once

#include <algorithm>

#include <systemc>

#include "model/types.h"

namespace smsim::protocol {

/// The present time as cycles of a clock, kept until time advances.
struct PresentCycle {
    using Raw = sc_core::sc_time::value_type;

    Raw period = 0; ///< of the clock, in units of the time resolution
    Raw time = 0;   ///< the present time to which the next two belong
    Cycle cycle = 0;
    Raw into_cycle = 0; ///< time since its beginning
};

/// The time of a calendar, as seen by those that follow it.
struct LocalTime {
    using Raw = sc_core::sc_time::value_type;

    sc_core::sc_time now; ///< the present time, unless the kernel's own is later
    /// While the calendar leads: before this time, absolute, the kernel calls nothing else except what is notified at
    /// once. Code that makes it call something moves this forward; 0: the kernel must be asked.
    Raw alone_until = 0;
    PresentCycle cycle; ///< of all that follow with the period of the first
};

/// Construct it where sc_time_stamp() may be called, and use it while that simulation lives.
class PresentTime {
  public:
    using Raw = sc_core::sc_time::value_type;

    /// From now on uses `local` when that is later than the kernel's time (`Calendar::local_time`); `local` must
    /// outlive it.
    void follow(LocalTime &local) {
        local_ = &local.now;
        leader_ = &local;
    }

    /// The same as sc_time_stamp() when no calendar is ahead.
    const sc_core::sc_time &get() const { return kernel_.value() < local_->value() ? *local_ : kernel_; }
    /// In units of the time resolution.
    Raw raw() const { return std::max(kernel_.value(), local_->value()); }
    /// Notifies `event` for the absolute time `at`, or for the present time if that has passed. `event.notify(at -
    /// now)` would count from the kernel's time.
    void notify(sc_core::sc_event &event, Raw at) const {
        const Raw when = std::max(at, raw());
        event.notify(sc_core::sc_time::from_value(when - kernel_.value()));
        comes(when);
    }
    /// The kernel will call a process at `at`, absolute, that is not notified through this.
    void comes(Raw at) const {
        if (leader_ != nullptr && at < leader_->alone_until) {
            leader_->alone_until = at;
        }
    }

  private:
    const sc_core::sc_time &kernel_ = sc_core::sc_time_stamp(); ///< the kernel's own, which advances
    const sc_core::sc_time *local_ = &kernel_;
    LocalTime *leader_ = nullptr; ///< the source of that time; null: the kernel
};

} // namespace smsim::protocol

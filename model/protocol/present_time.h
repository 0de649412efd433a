// The present simulation time for who asks for it with every transaction: read where the kernel keeps it, without a
// call.
//
// Parts that share a calendar may be ahead of the kernel (protocol::Calendar::lead_until). What they do has the time
// that the calendar keeps; the kernel's own stands still meanwhile.
#pragma once

#include <algorithm>

#include <systemc>

namespace smsim::protocol {

/// To be made where sc_time_stamp() may be called, and used while that simulation lives.
class PresentTime {
  public:
    using Raw = sc_core::sc_time::value_type;

    /// From now on `local` where that is later than the kernel's time (`Calendar::local_time`); it outlives this.
    void follow(const sc_core::sc_time &local) { local_ = &local; }

    /// As sc_time_stamp() gives it, where no calendar is ahead.
    const sc_core::sc_time &get() const { return kernel_.value() < local_->value() ? *local_ : kernel_; }
    /// In units of the time resolution.
    Raw raw() const { return std::max(kernel_.value(), local_->value()); }
    /// Notifies `event` for the absolute time `at`, for the present one when that has passed. `event.notify(at - now)`
    /// would count from the kernel's time.
    void notify(sc_core::sc_event &event, Raw at) const {
        event.notify(sc_core::sc_time::from_value(std::max(at, raw()) - kernel_.value()));
    }

  private:
    const sc_core::sc_time &kernel_ = sc_core::sc_time_stamp(); ///< the kernel's own, which goes on
    const sc_core::sc_time *local_ = &kernel_;
};

} // namespace smsim::protocol

// Conversion between clock cycles and SystemC time: one clock, no clock signal.
#pragma once

#include <systemc>

#include "model/config/config.h"
#include "model/types.h"

namespace smsim::protocol {

/// The clock as a period. Cycle n is the time n * period.
class Clock {
  public:
    explicit Clock(const Config &config)
        : period_(sc_core::sc_time(static_cast<double>(config.period_ps()), sc_core::SC_PS)), ticks_(period_.value()) {}

    /// Number of complete cycles at the present simulation time.
    Cycle now() const { return sc_core::sc_time_stamp().value() / ticks_; }
    /// First cycle that is not before the present time plus `delay`.
    Cycle at(const sc_core::sc_time &delay) const {
        return (sc_core::sc_time_stamp().value() + delay.value() + ticks_ - 1) / ticks_;
    }
    /// A span of cycles as time.
    sc_core::sc_time span(Cycle cycles) const { return sc_core::sc_time::from_value(cycles * ticks_); }
    /// Time from now until the beginning of `cycle`; zero when it has passed.
    sc_core::sc_time until(Cycle cycle) const {
        const sc_dt::uint64 then = cycle * ticks_;
        const sc_dt::uint64 now = sc_core::sc_time_stamp().value();
        return sc_core::sc_time::from_value(then > now ? then - now : 0);
    }
    const sc_core::sc_time &period() const { return period_; }

  private:
    sc_core::sc_time period_;
    sc_dt::uint64 ticks_;
};

} // namespace smsim::protocol

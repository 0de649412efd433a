// Conversion between clock cycles and SystemC time: one clock, no clock signal.
//
// It is used several times for each instruction, so the most expensive work is not repeated: the number of the present
// cycle is kept until time advances, cycles are counted without a division, and short spans, which are nearly all, come
// from a table.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "model/divisor.h"
#include "model/protocol/present_time.h"
#include "model/types.h"

namespace smsim {
struct Config;
}

namespace smsim::protocol {

/// The clock as a period. Cycle n is the time n * period. Construct it where sc_time_stamp() may be called.
class Clock {
  public:
    /// The clock of an SM: its period is `config.period_ps()`.
    explicit Clock(const Config &config);
    /// `period` is not zero.
    explicit Clock(const sc_core::sc_time &period) : period_(period), ticks_(period_.value()) {
        own_.period = ticks_.value();
        for (Cycle cycles = 0; cycles < kShortSpans; ++cycles) {
            short_spans_.push_back(sc_core::sc_time::from_value(cycles * ticks_.value()));
        }
    }

    Clock(const Clock &) = delete;
    Clock &operator=(const Clock &) = delete;

    /// Number of complete cycles at the present simulation time.
    Cycle now() const { return present().cycle; }
    /// First cycle that is not before the present time plus `delay`.
    [[gnu::always_inline]] Cycle at(const sc_core::sc_time &delay) const {
        const PresentCycle &now = present();
        const sc_dt::uint64 beyond = now.into_cycle + delay.value();
        return beyond == 0 ? now.cycle : now.cycle + ticks_.quotient(beyond + ticks_.value() - 1);
    }
    /// First cycle that does not begin before `time`, absolute in units of the time resolution.
    Cycle first_from(sc_core::sc_time::value_type time) const { return ticks_.quotient(time + ticks_.value() - 1); }
    /// Number of complete cycles at `time`, absolute in units of the time resolution.
    Cycle complete(sc_core::sc_time::value_type time) const { return ticks_.quotient(time); }
    /// A span of cycles as time.
    sc_core::sc_time span(Cycle cycles) const {
        return cycles < kShortSpans ? short_spans_[cycles] : sc_core::sc_time::from_value(cycles * ticks_.value());
    }
    /// Time from now until the beginning of `cycle`; zero when it has passed.
    sc_core::sc_time until(Cycle cycle) const {
        const PresentCycle &now = present();
        if (cycle <= now.cycle) {
            return sc_core::SC_ZERO_TIME;
        }
        return now.into_cycle == 0
                   ? span(cycle - now.cycle)
                   : sc_core::sc_time::from_value((cycle - now.cycle) * ticks_.value() - now.into_cycle);
    }
    /// The beginning of `cycle`, absolute in units of the time resolution.
    sc_core::sc_time::value_type raw(Cycle cycle) const { return cycle * ticks_.value(); }
    const sc_core::sc_time &period() const { return period_; }
    /// Notifies `event` for the beginning of `cycle`, or for the present time if that has passed. `event.notify` with
    /// `until(cycle)` is equivalent only when no calendar is ahead of the kernel.
    void notify(sc_core::sc_event &event, Cycle cycle) const { time_.notify(event, raw(cycle)); }
    /// As PresentTime::follow.
    void follow(LocalTime &local) {
        time_.follow(local);
        if (local.cycle.period == 0) {
            local.cycle.period = ticks_.value();
        }
        present_ = local.cycle.period == ticks_.value() ? &local.cycle : &own_;
    }
    /// The present simulation time.
    const sc_core::sc_time &time() const { return time_.get(); }

  private:
    static constexpr Cycle kShortSpans = 64;

    /// The kept data of the present time, updated.
    [[gnu::always_inline]] const PresentCycle &present() const {
        if (const sc_dt::uint64 time = time_.raw(); time != present_->time) [[unlikely]] {
            renew(time);
        }
        return *present_;
    }
    [[gnu::noinline]] void renew(sc_dt::uint64 time) const {
        present_->time = time;
        present_->cycle = ticks_.quotient(time);
        present_->into_cycle = time - present_->cycle * ticks_.value();
    }

    PresentTime time_;
    sc_core::sc_time period_;
    Reciprocal ticks_; ///< the period, in units of the time resolution
    std::vector<sc_core::sc_time> short_spans_;
    mutable PresentCycle own_;
    PresentCycle *present_ = &own_; ///< or one shared with others
};

} // namespace smsim::protocol

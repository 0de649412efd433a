// Conversion between clock cycles and SystemC time: one clock, no clock signal.
//
// It is asked several times for each instruction. What costs most is not done again: the number of the present cycle is
// kept until time goes on, cycles are counted without a division, and short spans, which are nearly all, come from a
// table.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "model/config/config.h"
#include "model/protocol/present_time.h"
#include "model/types.h"

namespace smsim::protocol {

/// The clock as a period. Cycle n is the time n * period. To be made where sc_time_stamp() may be called.
class Clock {
  public:
    explicit Clock(const Config &config)
        : Clock(sc_core::sc_time(static_cast<double>(config.period_ps()), sc_core::SC_PS)) {}
    /// With a period (not zero).
    explicit Clock(const sc_core::sc_time &period)
        : period_(period), ticks_(period_.value()), per_tick_(~sc_dt::uint64{0} / ticks_ + 1),
          exact_up_to_(ticks_ == 1 ? 0 : ~sc_dt::uint64{0} / ticks_) {
        for (Cycle cycles = 0; cycles < kShortSpans; ++cycles) {
            short_spans_.push_back(sc_core::sc_time::from_value(cycles * ticks_));
        }
    }

    /// Number of complete cycles at the present simulation time.
    Cycle now() const {
        look();
        return cycle_;
    }
    /// First cycle that is not before the present time plus `delay`.
    [[gnu::always_inline]] Cycle at(const sc_core::sc_time &delay) const {
        look();
        const sc_dt::uint64 beyond = into_cycle_ + delay.value();
        return beyond == 0 ? cycle_ : cycle_ + whole_cycles(beyond + ticks_ - 1);
    }
    /// First cycle that does not begin before `time`, absolute in units of the time resolution.
    Cycle first_from(sc_core::sc_time::value_type time) const { return whole_cycles(time + ticks_ - 1); }
    /// Number of complete cycles at `time`, absolute in units of the time resolution.
    Cycle complete(sc_core::sc_time::value_type time) const { return whole_cycles(time); }
    /// A span of cycles as time.
    sc_core::sc_time span(Cycle cycles) const {
        return cycles < kShortSpans ? short_spans_[cycles] : sc_core::sc_time::from_value(cycles * ticks_);
    }
    /// Time from now until the beginning of `cycle`; zero when it has passed.
    sc_core::sc_time until(Cycle cycle) const {
        look();
        if (cycle <= cycle_) {
            return sc_core::SC_ZERO_TIME;
        }
        return into_cycle_ == 0 ? span(cycle - cycle_)
                                : sc_core::sc_time::from_value((cycle - cycle_) * ticks_ - into_cycle_);
    }
    /// The beginning of `cycle`, absolute in units of the time resolution.
    sc_core::sc_time::value_type raw(Cycle cycle) const { return cycle * ticks_; }
    const sc_core::sc_time &period() const { return period_; }
    /// Notifies `event` for the beginning of `cycle`, for the present time when that has passed. `event.notify` with
    /// `until(cycle)` does so only where no calendar is ahead of the kernel.
    void notify(sc_core::sc_event &event, Cycle cycle) const { time_.notify(event, raw(cycle)); }
    /// As PresentTime::follow.
    void follow(const sc_core::sc_time &local) { time_.follow(local); }
    /// The present simulation time.
    const sc_core::sc_time &time() const { return time_.get(); }

  private:
    static constexpr Cycle kShortSpans = 64;
    __extension__ using Wide = unsigned __int128;

    /// `ticks` / ticks_.
    Cycle whole_cycles(sc_dt::uint64 ticks) const {
        if (ticks > exact_up_to_) [[unlikely]] {
            return ticks / ticks_;
        }
        return static_cast<Cycle>((static_cast<Wide>(ticks) * per_tick_) >> 64U);
    }
    /// Brings what is kept of the present time up to it.
    [[gnu::always_inline]] void look() const {
        if (const sc_dt::uint64 value = time_.raw(); value != value_) [[unlikely]] {
            renew(value);
        }
    }
    [[gnu::noinline]] void renew(sc_dt::uint64 value) const {
        value_ = value;
        cycle_ = whole_cycles(value);
        into_cycle_ = value - cycle_ * ticks_;
    }

    PresentTime time_;
    sc_core::sc_time period_;
    sc_dt::uint64 ticks_;
    sc_dt::uint64 per_tick_;    ///< 2^64 / ticks_, rounded up by less than 1
    sc_dt::uint64 exact_up_to_; ///< so many ticks times that error are less than 1 / ticks_, in units of 2^64
    std::vector<sc_core::sc_time> short_spans_;
    mutable sc_dt::uint64 value_ = 0; ///< of the time for which the next two are
    mutable Cycle cycle_ = 0;
    mutable sc_dt::uint64 into_cycle_ = 0;
};

} // namespace smsim::protocol

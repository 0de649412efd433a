// When the clock of a block has its edges. The edge that ends cycle n is in the middle of the cycle, n + 1/2: by then
// everything that takes effect in cycle n is known, and what the outputs show after the edge takes effect in the next
// cycle. A quarter earlier, at n + 1/4, outputs that follow inputs without a register are read.
//
// The clock runs only while the next edge is requested, so an idle block costs nothing.
#pragma once

#include <algorithm>

#include <systemc>

#include "model/protocol/clock.h"

namespace smsim::cosim {

class EdgeClock {
  public:
    explicit EdgeClock(const Config &config)
        : clock_(config), period_(clock_.period().value()), last_cycle_(sc_core::sc_max_time().value() / period_ - 1) {}

    /// The present cycle.
    Cycle now() const { return clock_.now(); }
    /// The first cycle that does not begin before the present time plus `delay`.
    Cycle at(const sc_core::sc_time &delay) const { return clock_.at(delay); }
    /// The cycle in which a pin signals what takes effect after `delay`: the cycle before it, but no earlier than this
    /// one.
    Cycle told(const sc_core::sc_time &delay) const { return std::max(at(delay), now() + 1) - 1; }
    /// Time from now until the beginning of `cycle`.
    sc_core::sc_time until(Cycle cycle) const { return clock_.until(cycle); }
    /// Time from now until the edge that ends `cycle`, which must be in the future.
    sc_core::sc_time until_edge(Cycle cycle) const { return until_part(cycle, period_ / 2); }
    /// Time from now until the quarter before that edge.
    sc_core::sc_time until_quarter(Cycle cycle) const { return until_part(cycle, period_ / 4); }
    /// The last cycle that can be expressed as a time.
    Cycle last_cycle() const { return last_cycle_; }

  private:
    sc_core::sc_time until_part(Cycle cycle, sc_dt::uint64 part) const {
        const sc_dt::uint64 then = cycle * period_ + part;
        const sc_dt::uint64 now = sc_core::sc_time_stamp().value();
        return sc_core::sc_time::from_value(then > now ? then - now : 0);
    }

    protocol::Clock clock_;
    sc_dt::uint64 period_;
    Cycle last_cycle_;
};

} // namespace smsim::cosim

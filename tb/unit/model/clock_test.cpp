// Clock cycles and SystemC time.
#include <gtest/gtest.h>

#include <systemc>

#include "model/config/config.h"
#include "model/protocol/clock.h"

namespace smsim::protocol {
namespace {

using sc_core::sc_time;

Config with_period(double ghz) {
    Config config;
    config.sm.clock_ghz = ghz;
    return config;
}

void go_to(sc_dt::uint64 ticks) {
    sc_core::sc_start(sc_time::from_value(ticks) - sc_core::sc_time_stamp());
}

/// The clock's answers about the present time, and about spans from it.
void expect_as_by_division(const Clock &clock) {
    const sc_dt::uint64 period = clock.period().value();
    const sc_dt::uint64 now = sc_core::sc_time_stamp().value();
    EXPECT_EQ(clock.now(), now / period);
    EXPECT_EQ(clock.complete(now), now / period);
    EXPECT_EQ(clock.complete(now + period - 1), (now + period - 1) / period);
    for (const sc_dt::uint64 delay :
         {sc_dt::uint64{0}, sc_dt::uint64{1}, period - 1, period, period + 1, 5 * period, 1000 * period + 3}) {
        EXPECT_EQ(clock.at(sc_time::from_value(delay)), (now + delay + period - 1) / period) << now << " + " << delay;
    }
    const Cycle cycle = now / period;
    for (const Cycle to : {cycle - std::min<Cycle>(cycle, 2), cycle, cycle + 1, cycle + 63, cycle + 64, cycle + 9999}) {
        EXPECT_EQ(clock.until(to).value(), to * period > now ? to * period - now : 0) << now << " to " << to;
    }
}

TEST(Clock, CountsAsByDivision) {
    for (const double ghz : {1.0, 1.3, 1.755, 0.001}) {
        const Clock clock(with_period(ghz));
        const sc_dt::uint64 period = clock.period().value();
        const sc_dt::uint64 base = sc_core::sc_time_stamp().value() / period * period + period;
        for (const sc_dt::uint64 offset :
             {sc_dt::uint64{0}, sc_dt::uint64{1}, period - 1, period, 3 * period + period / 2, 1234567 * period - 1,
              1234567 * period, 1234567 * period + 1}) {
            go_to(base + offset);
            expect_as_by_division(clock);
            expect_as_by_division(clock); // what it kept
        }
    }
}

TEST(Clock, CountsBeyondThePrecisionOfADouble) {
    const Clock clock(with_period(1.3));
    for (const unsigned power : {51U, 52U, 53U, 60U}) {
        for (const sc_dt::uint64 ticks : {(sc_dt::uint64{1} << power) - 1, (sc_dt::uint64{1} << power) + 1}) {
            go_to(ticks);
            expect_as_by_division(clock);
        }
    }
}

TEST(Clock, SpansAreMultiplesOfThePeriod) {
    const Clock clock(with_period(1.755));
    for (const Cycle cycles : {0, 1, 63, 64, 1000000}) {
        EXPECT_EQ(clock.span(cycles).value(), cycles * clock.period().value());
    }
}

} // namespace
} // namespace smsim::protocol

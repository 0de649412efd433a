// Cycles and nanoseconds of the configured clock, exactly: `sm.clock_ghz` is taken as the decimal number that was
// written, not as the nearest binary fraction or a rounded period, so that 10 ns at 1.1 GHz are 11 cycles and not 12.
#pragma once

#include <cstdint>
#include <optional>

#include "model/types.h"

namespace smsim {

/// Cycles per nanosecond as a fraction.
class ClockRate {
  public:
    /// The shortest decimal number that reads back as `ghz`, which is 0.001 to 100 (`sm.clock_ghz`).
    explicit ClockRate(double ghz);

    /// Cycles that `ns` nanoseconds take, rounded up (bru.md NANOSLEEP `ceil(d * cycles_per_ns)`).
    Cycle cycles_in(std::uint32_t ns) const;
    /// Complete nanoseconds that have passed at the beginning of `cycle`.
    std::uint64_t nanoseconds_at(Cycle cycle) const;

    /// This many cycles take this many nanoseconds, in lowest terms.
    struct Fraction {
        std::uint32_t cycles = 1;
        std::uint32_t nanoseconds = 1;
    };
    /// The rate as a fraction of 32-bit numbers; none if it is not one.
    std::optional<Fraction> fraction() const;

  private:
    // At most 17 digits, the last of them at most in the 19th place after the point (0.001 has its first in the third):
    // both are below 2^64, and products with 64 bits fit into 128.
    __extension__ using Wide = unsigned __int128;
    Wide cycles_ = 1;
    Wide nanoseconds_ = 1;
};

} // namespace smsim

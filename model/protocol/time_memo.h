// Spans of time from their number of units of the time resolution, for code that needs one with every transaction.
// SystemC constructs one by a call; most spans are a few cycles, and have been constructed before.
#pragma once

#include <array>
#include <cstdint>

#include <systemc>

namespace smsim::protocol {

/// Caches the spans requested last. Construct it where sc_time may be constructed.
class TimeMemo {
  public:
    using Raw = sc_core::sc_time::value_type;

    /// The span of `raw` units of the time resolution.
    sc_core::sc_time of(Raw raw) {
        Place &place = places_[raw * kMix >> (64 - kLog)];
        if (place.raw != raw) [[unlikely]] {
            place = {raw, sc_core::sc_time::from_value(raw)};
        }
        return place.time;
    }

  private:
    static constexpr unsigned kLog = 6;
    static constexpr Raw kMix = 0x9e3779b97f4a7c15; ///< the upper bits of a product with it depend on all bits

    struct Place {
        Raw raw = 0;
        sc_core::sc_time time;
    };
    std::array<Place, std::size_t{1} << kLog> places_{};
};

} // namespace smsim::protocol

// A 128-bit fingerprint of a machine state: equal states have equal fingerprints, and different states are assumed to
// have different ones (with 10^9 states the chance of an error is below 10^-20).
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

#include "tb/state_space/state.h"

namespace smsim::state_space {

struct Fingerprint {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(const Fingerprint &, const Fingerprint &) = default;
};

/// Excludes values without meaning: the RPC of threads that are active or have exited, and data used only for reports.
Fingerprint fingerprint_of(const State &state);

} // namespace smsim::state_space

template <> struct std::hash<smsim::state_space::Fingerprint> {
    std::size_t operator()(const smsim::state_space::Fingerprint &print) const noexcept { return print.low; }
};

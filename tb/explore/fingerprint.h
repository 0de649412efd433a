// A 128-bit fingerprint of a machine state: equal states have equal fingerprints, and different ones are taken to have
// different fingerprints (with 10^9 states the chance of an error is below 10^-20).
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

#include "tb/explore/state.h"

namespace smsim::explore {

struct Fingerprint {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(const Fingerprint &, const Fingerprint &) = default;
};

/// Values without meaning do not count: the RPC of threads that are active or have exited, and what only reports read.
Fingerprint fingerprint_of(const State &state);

} // namespace smsim::explore

template <> struct std::hash<smsim::explore::Fingerprint> {
    std::size_t operator()(const smsim::explore::Fingerprint &print) const noexcept { return print.low; }
};

// How a BSYNC passes: counted by the branch unit, and reported to observers.
#pragma once

#include <cstdint>

namespace smsim {

/// How a BSYNC passed (bru.md "Releases are counted by kind").
enum class ReleaseKind : std::uint8_t { kComplete, kYield, kSleep, kTurn, kBlocked };
inline constexpr unsigned kReleaseKinds = 5;

} // namespace smsim

// How a BSYNC passes: what the branch unit counts, and observers are told.
#pragma once

#include <cstdint>

namespace smsim {

/// How a BSYNC passed (bru.md "Releases are counted by kind").
enum class ReleaseKind : std::uint8_t { kComplete, kYield, kSleep, kTurn, kBlocked };
inline constexpr unsigned kReleaseKinds = 5;

} // namespace smsim

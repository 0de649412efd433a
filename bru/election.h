// Which waiting threads run next when the active ones cannot or will not: `elect` of EXIT, YIELD, NANOSLEEP and
// WARPSYNC (bru.md Elect 1-4), and the turn that YIELD and NANOSLEEP give away.
#pragma once

#include <optional>

#include "model/config/config.h"
#include "model/state/control_state.h"

namespace smsim::bru {

/// Whether a choice from `pool` can only be a sleeper [D-3].
bool only_sleepers(const ControlState &state, LaneMask pool, const BruLiteral &literal = {});

/// Elects from `pool` (not empty, no active thread) and makes the elected active (bru.md Elect 1-4 [D-3, D-4]).
/// `widen`: threads that join when they stand at the elected PC, whether in the pool or not; without it only preferred
/// threads of the pool do. Threads that the caller has just parked may be named in `widen`.
/// Returns true when the whole pool sleeps, so that the warp sleeps until its timer fires.
[[nodiscard]] bool elect(ControlState &state, LaneMask pool, std::optional<LaneMask> widen,
                         const BruLiteral &literal = {});

/// Gives the turn to another path (bru.md YIELD 1-5 [D-9, D-10]); ActiveMask is not all of ValidMask. The threads that
/// were active go on behind this instruction when next elected, and enter YieldMask if `yields`.
/// Returns true when the warp sleeps.
[[nodiscard]] bool give_turn(ControlState &state, bool yields, const BruLiteral &literal);

} // namespace smsim::bru

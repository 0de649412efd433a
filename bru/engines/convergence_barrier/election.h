// Which waiting threads run next when the active ones cannot or will not: the choice of a path by `bru.election`, the
// `elect` of EXIT, YIELD, NANOSLEEP and WARPSYNC (bru.md Elect 1-4), and the turn that YIELD and NANOSLEEP give to
// others.
#pragma once

#include <optional>

#include "bru/engines/convergence_barrier/rules.h"
#include "bru/engines/convergence_barrier/warp_control.h"
#include "model/config/sections/bru.h"

namespace smsim::bru::convergence_barrier {

/// Whether only sleepers can be chosen from `pool` [D-3].
bool only_sleepers(const ControlState &state, LaneMask pool);

/// The thread at whose address the warp continues when one of `candidates` (not empty) must run next. Candidates with
/// one RPC are a path, and the policy chooses among paths: `ffs` (bru.md Notation) is kLowestLane.
unsigned leader(const WarpControl &warp, LaneMask candidates, ElectionPolicy policy);
/// The same by the policy of `rules`. Throws InputError when a library chooses a path that does not exist.
unsigned leader(const WarpControl &warp, LaneMask candidates, const Rules &rules);

/// Elects from `pool` (not empty, no active thread) and makes the elected threads active (bru.md Elect 1-4 [D-3, D-4]).
/// `widen`: threads that join if they are at the elected PC, whether in the pool or not; without it only preferred
/// threads of the pool join. `widen` may include threads that the caller has just parked. Returns true when the whole
/// pool sleeps, so that the warp sleeps until its timer fires.
[[nodiscard]] bool elect(WarpControl &warp, LaneMask pool, std::optional<LaneMask> widen, const Rules &rules);

/// Gives the turn to another path (bru.md YIELD 1-5 [D-9, D-10]); ActiveMask must not be all of ValidMask. The threads
/// that were active continue after this instruction when next elected, and enter YieldMask if `yields`. Returns true
/// when the warp sleeps.
[[nodiscard]] bool give_turn(WarpControl &warp, bool yields, const Rules &rules);

} // namespace smsim::bru::convergence_barrier

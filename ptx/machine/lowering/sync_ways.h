// Ways past a place where threads must be together. A stack lets one side of a branch run to the post-dominator of the
// branch before the other begins. Where a jump, a `break` or a `return` leads past a barrier that both sides reach,
// the sides would arrive at that barrier one after the other. Such ways are led to the barrier, with a flag, and on
// from there, so that the sides meet before it (engines.md Lowering).
#pragma once

#include "ptx/machine/lowering/lowering.h"

namespace smsim::ptx::machine {

/// Leads all such ways of `function` over the place where the others meet, without changing what is computed. False
/// when that would take too many flags; then some are left.
bool lead_ways_over_syncs(Function &function, const CallsSync &calls_sync);

} // namespace smsim::ptx::machine

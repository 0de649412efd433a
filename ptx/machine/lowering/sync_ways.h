// Ways past a place where threads must be together. A stack lets one side of a branch run to the post-dominator of the
// branch before the other begins; where a jump, a `break` or a `return` leads past a barrier that both sides come to,
// the sides would come to that barrier one after the other. Such ways are led to the barrier, with a flag, and on from
// there, so that the sides meet in front of it (engines.md Lowering).
#pragma once

#include "ptx/machine/lowering/lowering.h"

namespace smsim::ptx::machine {

/// Leads all such ways of `function` over the place where the others meet; what is computed stays the same. False when
/// that would take more flags than are thought sensible; then some are left.
bool lead_ways_over_syncs(Function &function, const CallsSync &calls_sync);

} // namespace smsim::ptx::machine

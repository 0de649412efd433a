// WARPSYNC, which under this engine only checks that the threads are already together (engines.md token_stack).
#pragma once

#include <array>

#include "bru/engines/token_stack/control_state.h"
#include "bru/engines/token_stack/effect.h"

namespace smsim::bru::token_stack {

/// WARPSYNC of `arriving` with a member mask per thread: no effect. Violations: WarpSyncMembership when a thread is not
/// in its own mask; WarpSyncDiverged when a mask names a valid thread outside `arriving`, which this engine could not
/// run.
Effect warpsync(ControlState &state, LaneMask arriving, const std::array<LaneMask, kLanes> &members);

} // namespace smsim::bru::token_stack

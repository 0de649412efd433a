// What a synchronising control instruction must have done to the masks of its warp, checked on the masks before and
// after it. Results alone do not show it: reconvergence is a wish, and a program ends with the same values when a wish
// is not met. Written from the description of the instructions (bru.md), not from the branch unit.
#pragma once

#include <string>

#include "model/state/control_state.h"
#include "sm/execution_observer.h"

namespace smsim::fuzz {

/// What the warp's masks were when the instruction was executed.
struct SyncSituation {
    ControlState before;     ///< SleepMask, WaitMask and WaitBarMask as the branch unit saw them
    bool after_turn = false; ///< the instruction is the first after a YIELD or NANOSLEEP that switched (bru.md BSYNC 3)
};

/// The rule that BSYNC, WARPSYNC, YIELD or NANOSLEEP has broken, as a sentence; empty: none, or another instruction.
/// `after` are the masks behind it.
std::string broken_sync_rule(const sm::ExecutedInstruction &instruction, const SyncSituation &situation,
                             const ControlState &after);

} // namespace smsim::fuzz

// What a control instruction must have done to the masks of its warp, checked on the masks before and after it.
// Results alone do not show it: which path runs first and which threads run together are hints, and a program ends
// with the same values if a hint is not followed. Written from the description of the instructions (bru.md,
// docs/branch-unit.md "Which path runs next"), not from the branch unit.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bru/engines/convergence_barrier/control_state.h"
#include "model/config/sections/bru.h"
#include "sm/execution_observer.h"

namespace smsim::fuzz {

using bru::convergence_barrier::ControlState;

/// The warp's masks when the instruction was executed.
struct SyncSituation {
    ControlState before;     ///< SleepMask, WaitMask and WaitBarMask as the branch unit saw them
    bool after_turn = false; ///< the instruction is the first after a YIELD or NANOSLEEP that switched (bru.md BSYNC 3)
    std::array<std::uint64_t, kLanes> left{}; ///< when each waiting thread last left ActiveMask, in instructions
    ElectionPolicy election = ElectionPolicy::kLowestLane;
    BranchOrder branch_order = BranchOrder::kFallThroughFirst;
};

/// The rule that a jump, EXIT, BSYNC, WARPSYNC, YIELD or NANOSLEEP has broken, as a sentence; empty: none, or another
/// instruction. `after` are the masks after it. For a WARPSYNC that does not pass, the elected threads are checked if
/// members and guards are part of the instruction.
std::string broken_control_rule(const sm::ExecutedInstruction &instruction, const SyncSituation &situation,
                                const ControlState &after);

} // namespace smsim::fuzz

// WARPSYNC: threads that name each other in a member mask meet (bru.md "WARPSYNC" [D-15, D-16, D-17]).
#pragma once

#include <array>
#include <optional>

#include "bru/engines/convergence_barrier/rules.h"
#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/reconvergence_engine.h"
#include "model/isa/instruction.h"

namespace smsim::bru::convergence_barrier {

/// The complete group: a mask `g` inside `arrive` whose members all hold `g`; of several, the one with the lowest
/// thread (bru.md "Form R" [D-16]).
std::optional<LaneMask> complete_group(const std::array<LaneMask, kLanes> &members, LaneMask arrive);

/// The threads from which a WARPSYNC that does not pass elects: the first non-empty choice of bru.md "Block" [D-17].
/// `wait` is WaitMask with the threads that block now. Empty: no thread can continue.
LaneMask successors_of_blocked(const ControlState &state, LaneMask wait, LaneMask pool, LaneMask arrive);

/// WARPSYNC (all active threads have a true guard).
/// Faults: WarpSyncMembership, SyncDeadlock with the wait-for relation.
void warpsync(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, const Rules &rules,
              StepResult &result);

} // namespace smsim::bru::convergence_barrier

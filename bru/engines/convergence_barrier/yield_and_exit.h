// Instructions with which threads stop running: YIELD and NANOSLEEP for a while, EXIT permanently (bru.md "YIELD,
// NANOSLEEP, EXIT").
#pragma once

#include "bru/engines/convergence_barrier/rules.h"
#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/reconvergence_engine.h"
#include "model/isa/instruction.h"

namespace smsim::bru::convergence_barrier {

/// YIELD (all active threads have a true guard): no effect when there is no other thread; otherwise the turn is given
/// away.
void yield(WarpControl &warp, const Rules &rules, StepResult &result);

/// NANOSLEEP (all active threads have a true guard) [D-11, D-12]. With `bru.nanosleep_sets_yield` the sleepers enter
/// YieldMask as well.
void nanosleep(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, const Rules &rules,
               StepResult &result);

/// EXIT: the threads of `pmask` exit [D-2]; no parking rule.
void exit_threads(WarpControl &warp, LaneMask pmask, const Rules &rules, StepResult &result);

} // namespace smsim::bru::convergence_barrier

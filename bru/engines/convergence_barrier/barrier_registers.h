// The convergence-barrier registers B0..B15 and the join at them: BSSY, BREAK, BMOV, BSYNC (bru.md "Convergence
// barriers").
#pragma once

#include "bru/engines/convergence_barrier/rules.h"
#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/reconvergence_engine.h"
#include "model/isa/instruction.h"

namespace smsim::bru::convergence_barrier {

/// BSSY: the threads of `pmask` will arrive at the join; B |= pmask. The sync-point operand has no effect.
void bssy(ControlState &state, const isa::Instruction &insn, LaneMask pmask);

/// BREAK: the threads of `pmask` will not arrive; B &= ~pmask.
void break_barrier(ControlState &state, const isa::Instruction &insn, LaneMask pmask);

/// BMOV, both directions: to rd of `pmask` (with .CLEAR the register then becomes 0, if any thread executes it), or
/// from the register of the lowest thread of `pmask`, limited to ValidMask.
void bmov(ControlState &state, const isa::Instruction &insn, const Operands &operands, LaneMask pmask,
          StepResult &result);

/// BSYNC rules 1 to 4 (all active threads have a true guard). `first_after_turn`: it is the first instruction after a
/// YIELD or NANOSLEEP that switched here (rule 3). With `bru.bsync_spec_literal` it uses neither WaitMask nor
/// TurnMask [D-8] and can switch for ever.
void bsync(WarpControl &warp, const isa::Instruction &insn, bool first_after_turn, const Rules &rules,
           StepResult &result);

/// The kind of a release with absent members `missing`: the first of sleep, yield and blocked that holds for one of
/// them (bru.md "Releases are counted by kind").
ReleaseKind release_kind(const ControlState &state, LaneMask missing);

} // namespace smsim::bru::convergence_barrier

// The convergence-barrier registers B0..B15 and the join at them: BSSY, BREAK, BMOV, BSYNC (bru.md "Convergence
// barriers").
#pragma once

#include "bru/reconvergence_engine.h"
#include "bru/warp_control.h"
#include "model/isa/instruction.h"

namespace smsim::bru {

/// BSSY: the threads of `pmask` will come to the join; B |= pmask. The sync-point operand has no effect.
void bssy(ControlState &state, const isa::Instruction &insn, LaneMask pmask);

/// BREAK: the threads of `pmask` will not come; B &= ~pmask.
void break_barrier(ControlState &state, const isa::Instruction &insn, LaneMask pmask);

/// BMOV, both directions: to rd of `pmask` (with .CLEAR the register is then 0, if some thread executes it), or from
/// the register of the lowest thread of `pmask`, cut to ValidMask.
void bmov(ControlState &state, const isa::Instruction &insn, const Operands &operands, LaneMask pmask,
          StepResult &result);

/// How BSYNC decides.
struct BsyncRule {
    bool first_after_turn = false; ///< first instruction after a YIELD or NANOSLEEP that switched here (rule 3)
    bool spec_literal = false;     ///< without WaitMask and TurnMask [D-8]: can switch for ever
    const BruLiteral &literal;
};

/// BSYNC rules 1 to 4 (all active threads have a true guard).
void bsync(WarpControl &warp, const isa::Instruction &insn, BsyncRule rule, StepResult &result);

/// The kind under which a release is counted whose members `missing` are absent: the first of sleep, yield and blocked
/// that holds for one of them (bru.md "Releases are counted by kind").
ReleaseKind release_kind(const ControlState &state, LaneMask missing);

} // namespace smsim::bru

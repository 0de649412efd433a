// Jumps of threads: BRA, BRX, CALL, RET, and LEPC, which goes with them (bru.md "Branches", LEPC).
#pragma once

#include <optional>

#include "bru/engines/convergence_barrier/control_state.h"
#include "bru/engines/convergence_barrier/rules.h"
#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/reconvergence_engine.h"
#include "model/isa/instruction.h"

namespace smsim::bru::convergence_barrier {

/// Whether BRA.DIV and BRA.CONV see a diverged warp (bru.md Branches, `div`). `pmask`: active threads with a true
/// guard; `members`: the value of the UR operand, '~' applied, if there is one.
bool sees_divergence(const ControlState &state, LaneMask pmask, std::optional<LaneMask> members);

/// The threads that jump (bru.md Branches, `j`). `members` as above; only BRA uses it.
LaneMask jumping_threads(const ControlState &state, const isa::Instruction &insn, LaneMask pmask,
                         std::optional<LaneMask> members);

/// BRA, BRX, CALL, RET: threads jump; ActiveMask keeps those that go the same way (bru.md Branches, "Effect" [D-5]).
/// `bru.branch_order` decides which side of a divergent jump continues, `bru.election` which of several targets.
/// Faults: IllegalTarget; IllegalInstruction for BRA with a UR operand and neither DIV nor CONV.
void branch(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, LaneMask pmask, Pc program_bytes,
            const Rules &rules, StepResult &result);

/// LEPC: rd of `pmask` becomes ActivePC + offset*16 [D-13].
void lepc(ControlState &state, const isa::Instruction &insn, LaneMask pmask, StepResult &result);

} // namespace smsim::bru::convergence_barrier

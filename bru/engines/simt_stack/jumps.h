// What the active threads do together: BRA, BRX, CALL, RET, NANOSLEEP, WARPSYNC (engines.md simt_stack).
#pragma once

#include "bru/engines/simt_stack/state.h"
#include "bru/reconvergence_engine.h"
#include "model/isa/instruction.h"

namespace smsim::bru::simt_stack {

/// BRA, BRX, CALL, RET with the active threads `executed` whose guard is true: all jump to one target, or none jumps.
/// BRA.U jumps when all threads want to. Faults: DivergentTarget when only some would jump, or when their targets
/// differ; IllegalTarget; IllegalInstruction for BRA.DIV and BRA.CONV.
void jump(State &state, const isa::Instruction &insn, const Operands &operands, LaneMask executed, Pc program_bytes,
          StepResult &result);

/// NANOSLEEP: the whole warp sleeps for the shortest time of the threads in `executed`; a time of 0 has no effect.
void nanosleep(State &state, const isa::Instruction &insn, const Operands &operands, LaneMask executed,
               StepResult &result);

/// Whether a thread in `executed` names threads other than the active ones at a WARPSYNC [E-5]. The instruction does
/// nothing either way.
bool names_others(const State &state, const isa::Instruction &insn, const Operands &operands, LaneMask executed);

} // namespace smsim::bru::simt_stack

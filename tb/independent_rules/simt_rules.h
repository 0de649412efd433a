// The rules of the engine simt_stack written a second time, from engines.md and independently of
// bru/engines/simt_stack: a second proof, step by step, in every state that an exploration or chance reaches.
#pragma once

#include "bru/engines/simt_stack/engine.h"
#include "bru/reconvergence_engine.h"
#include "model/config/sections/bru.h"
#include "model/isa/instruction.h"

namespace smsim::independent_rules {

/// Executes the control instruction `insn` (at `insn.pc`) with the active threads of `warp`, and counts. A fault has
/// the cause of engines.md and no detail, and leaves the state unchanged except for `pc`, which is that of the
/// instruction.
bru::StepResult second_step(bru::simt_stack::Warp &warp, const isa::Instruction &insn, const bru::Operands &operands,
                            const BruConfig &config, bru::simt_stack::Counters &counters);

} // namespace smsim::independent_rules

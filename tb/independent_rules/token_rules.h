// The rules of the engine token_stack written a second time, from engines.md and independently of
// bru/engines/token_stack and the table of condition tests: a second proof, step by step, in every state that an
// exploration or chance reaches.
#pragma once

#include "bru/engines/token_stack/engine.h"
#include "bru/reconvergence_engine.h"
#include "model/config/sections/bru.h"
#include "model/isa/instruction.h"
#include "model/state/condition_flags.h"

namespace smsim::independent_rules {

/// Executes the control instruction `insn` (at `insn.pc`) with the active threads of `warp`, and counts. A fault has
/// the cause of engines.md and no detail, and leaves the state unchanged except for PC, which is that of the
/// instruction.
bru::StepResult second_step(bru::token_stack::Warp &warp, const isa::Instruction &insn, const bru::Operands &operands,
                            const BruConfig &config, bru::token_stack::Counters &counters);

/// Whether the flags of thread `t` pass a test (engines.md "Condition tests").
bool passes(ConditionTest test, const ConditionFlags &flags, unsigned t);

} // namespace smsim::independent_rules

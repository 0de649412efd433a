// Where threads diverge and reconverge: VBEQ to VBGEU, JOIN, ENDPRG (engines.md simt_stack).
#pragma once

#include <cstddef>

#include "bru/engines/simt_stack/state.h"
#include "bru/reconvergence_engine.h"
#include "model/config/sections/bru.h"
#include "model/isa/instruction.h"
#include "model/program/program.h"

namespace smsim::bru::simt_stack {

/// The maximum number of entries of the stack: with `depth` -1, what legal programs need at most, 32 with
/// minority_first and otherwise 62 [E-4]; with 0, unlimited.
std::size_t depth_limit(const SimtStackConfig &config);

/// The program of a warp, as far as the rules need it.
struct Code {
    Pc bytes = 0;                     ///< size
    const Program *program = nullptr; ///< null: not known
    /// Whether the instruction at `pc` is a JOIN. If the program is not known, every address counts as one.
    bool is_join(Pc pc) const;
};

/// The threads of `mask` for which the comparison of `insn`, one of VBEQ to VBGEU, holds. Registers have 32 bits.
LaneMask threads_that_hold(const isa::Instruction &insn, const Operands &operands, LaneMask mask);

/// VBEQ to VBGEU. If all threads go the same way, nothing is pushed and `rpc` is not checked [E-2]. Otherwise two
/// entries are pushed: where all reconverge, and above it the side that runs later by `config.order`; the other side
/// continues. Faults: BadReconvergence when `rpc` is no JOIN, StackOverflow when there is no room for two entries,
/// IllegalTarget.
void vector_branch(State &state, const isa::Instruction &insn, const Operands &operands, const Code &code,
                   const SimtStackConfig &config, StepResult &result);

/// JOIN: when the top of the stack waits for this address it is popped and continues; otherwise the next instruction
/// follows.
void join(State &state, const isa::Instruction &insn, StepResult &result);

/// ENDPRG: the warp ends, whatever its mask. Fault: StackLeak when the stack is not empty.
void end_program(State &state, StepResult &result);

} // namespace smsim::bru::simt_stack

// Targets of jumps, whatever the engine: BRA, BRX, CALL, RET (bru.md "Branches", "Target of a thread").
#pragma once

#include <cstdint>

#include "bru/reconvergence_engine.h"
#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::bru {

/// Byte address to which a thread with operand value `operand` jumps (bru.md Branches, "Target of a thread");
/// arithmetic wraps at 64 bits.
Pc target_of(const isa::Instruction &insn, std::uint64_t operand);

/// Whether `target` is not a 16-byte aligned address below `program_bytes`: then `result` reports IllegalTarget, with
/// `lane` as the thread that would go there.
bool refused(unsigned lane, Pc target, Pc program_bytes, StepResult &result);

/// The value of LEPC at `pc` [D-13].
Pc effective_pc(const isa::Instruction &insn, Pc pc);

} // namespace smsim::bru

// Order of the instructions inside blocks: loads and other slow instructions early, their readers late.
//
// Compilers write PTX in the order of the source and leave this to the machine's assembler. A warp of this model issues
// in order, so a reader right behind its load stalls everything that follows. List scheduling along the critical path,
// between instructions that must stay where they are (barriers, meetings, calls, ends); accesses to memory that may
// meet keep their order. Where too many values would be alive the oldest instruction comes first.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// Words of registers that reordering alone does not go beyond: with 32 registers a SM is full of warps.
inline constexpr unsigned kScheduledWords = 36;

/// Reorders the instructions of every block; more than `words` words of registers are alive only where nearly so many
/// are already. Registers must not have numbers yet.
void schedule_blocks(Function &function, unsigned words = kScheduledWords);

} // namespace smsim::ptx::machine

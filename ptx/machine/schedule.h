// Order of the instructions inside blocks: loads and other slow instructions early, their readers late.
//
// Compilers write PTX in the order of the source and leave this to the machine's assembler. A warp of this model
// issues in order, so a reader immediately after its load stalls everything that follows. List scheduling along the
// critical path, between instructions that must keep their positions (barriers, meetings, calls, ends); accesses to
// memory that may overlap keep their order. Where too many values would be live, the oldest instruction is taken
// first.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// Words of registers that may be live because of the order of the instructions alone.
struct Room {
    unsigned words = 36; ///< with 32 to 40 registers an SM is full of warps
    unsigned more = 12;  ///< more than at the beginning of a piece of code, if nearly `words` or more are live there
    unsigned most = 240; ///< in any case
};

/// Reorders the instructions of every block. Registers must not have numbers yet.
void schedule_blocks(Function &function, const Room &room = {});

} // namespace smsim::ptx::machine

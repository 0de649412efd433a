// What a loop computes anew in every round though it is always the same, computed once in front of it.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Moves pure instructions whose operands no instruction of their loop writes to the block in front of it, the
/// innermost loop first, as long as no more than `words` words of registers are alive in it. Loops must be normal
/// (`machine::normalise_loops`). Returns how many instructions were moved.
unsigned hoist_invariants(machine::Function &function, unsigned words);

} // namespace smsim::ptx::optimise

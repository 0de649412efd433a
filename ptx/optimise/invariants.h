// What a loop computes again in every round although it never changes, computed once before it.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Moves pure instructions whose operands no instruction of their loop writes to the block before it, the innermost
/// loop first, as long as no more than `words` words of registers are live in it. Loops must be normal
/// (`machine::normalise_loops`). Returns how many instructions were moved.
unsigned hoist_invariants(machine::Function &function, unsigned words);

} // namespace smsim::ptx::optimise

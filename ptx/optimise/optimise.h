// The passes of the compiler on selected code, in their order: what they are for, and at which level they run.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Highest level of optimisation.
inline constexpr unsigned kMostLevel = 3;

/// Makes a selected function faster; what it computes stays. Level 0: nothing; 1: values are propagated and
/// instructions combined; 2: and loops lose what is always the same in them; 3 as 2. `words`: words of registers that
/// may be alive in loops.
void optimise(machine::Function &function, unsigned level, unsigned words);

} // namespace smsim::ptx::optimise

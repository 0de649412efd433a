// Replaces short ways of a branch by predicated instructions: a branch, a region and a meeting cost more than a few
// instructions that some threads skip.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Joins blocks through which a branch sends some threads to the block of the branch, when they are short and each of
/// their instructions can be guarded. Returns how many branches were removed.
unsigned predicate_branches(machine::Function &function);

} // namespace smsim::ptx::optimise

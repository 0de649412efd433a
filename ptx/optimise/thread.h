// Branches that ask again what the branch before them has decided.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Sends an edge of a branch that leads to a block with nothing but a branch on the same predicate to where that one
/// would send it. Returns how many edges were sent on.
unsigned thread_branches(machine::Function &function);

} // namespace smsim::ptx::optimise

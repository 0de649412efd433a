// Branches that test again what the branch before them has decided.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// If an edge of a branch leads to a block with only a branch on the same predicate, redirects it to where that branch
/// would lead. Returns how many edges were redirected.
unsigned thread_branches(machine::Function &function);

} // namespace smsim::ptx::optimise

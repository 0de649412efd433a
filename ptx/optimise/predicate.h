// Short ways of a branch under predicates in its place: what a branch, a region and a meeting cost is more than a few
// instructions that some threads leave out.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Joins blocks that a branch sends some threads through, when they are short and each instruction in them takes a
/// guard, to the block of the branch. Returns how many branches are gone.
unsigned predicate_branches(machine::Function &function);

} // namespace smsim::ptx::optimise

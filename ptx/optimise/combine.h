// Combines two instructions into one that the machine has: sums of three terms, shifted and multiplied terms, products
// added to pairs, logic of three inputs, predicates combined where they are computed, signs folded into operands, and
// additions to an address folded into its offset.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// One pass over the function. What no longer has readers is left to `machine::remove_dead_code`. Returns how many
/// instructions were changed.
unsigned combine(machine::Function &function);

} // namespace smsim::ptx::optimise

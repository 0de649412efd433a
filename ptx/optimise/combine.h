// Two instructions that the machine has as one: sums of three terms, shifted and multiplied terms, products added to
// pairs, logic of three inputs, predicates combined where they are made, signs taken into operands, and what is added
// to an address taken into its offset.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// One pass over the function. What is left without readers stays for `machine::remove_dead_code`. Returns how many
/// instructions were changed.
unsigned combine(machine::Function &function);

} // namespace smsim::ptx::optimise

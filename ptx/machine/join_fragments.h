// Registers of matrix instructions: their operands are groups of registers that follow one another, and the elements
// of a group are variables of the program, which copies bring in and out. Here the variables become words of the
// groups, and groups become one, wherever no value is lost by that; the copies vanish.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// True for products of matrices and for moves of matrices.
bool has_fragments(const Instruction &instruction);

/// Joins registers that copies connect with operands of such instructions; copies in loops first. Returns how many
/// copies have vanished.
unsigned join_fragments(Function &function);

} // namespace smsim::ptx::machine

// Splits live ranges: one register for each group of definitions of which some reader may get any, and separate
// registers for words of a pair that are not used together. Afterwards most registers have one definition, and the
// words of 64-bit sums move separately.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Gives each group of related definitions its own register. Registers with a given number are unchanged.
void split_registers(machine::Function &function);

} // namespace smsim::ptx::optimise

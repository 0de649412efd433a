// Registers split into values: what was one name of the program becomes a register of its own for each group of
// definitions that some reader may get either of, and words of a pair that nobody takes together part. Behind this most
// registers have one definition, and the words of 64-bit sums move apart.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Gives each group of definitions that belong together a register of its own. Registers with a given number stay.
void split_registers(machine::Function &function);

} // namespace smsim::ptx::optimise

// Joins neighbouring loads from shared and local memory into one of 64 or 128 bits, where the address is certainly
// aligned.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Joins loads of single words from one base. Their results are moved out of the vector; `gather_words` and
/// `propagate` make these moves unnecessary. Returns how many loads were removed.
unsigned vectorise_loads(machine::Function &function);

} // namespace smsim::ptx::optimise

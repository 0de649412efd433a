// Neighbouring loads from shared and local memory as one of 64 or 128 bits, where the address is aligned for certain.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Joins loads of single words from one base. Their results are moved out of the vector, which `gather_words` and
/// `propagate` make unnecessary. Returns how many loads are gone.
unsigned vectorise_loads(machine::Function &function);

} // namespace smsim::ptx::optimise

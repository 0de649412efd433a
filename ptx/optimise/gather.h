// Results computed where they are needed: words that are moved into a pair or a vector, and new values of variables
// that are moved into them, are computed there.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Lets the definition of a word write the register that a MOV copies it to, where that makes no difference, and
/// removes the MOV. Returns how many were removed.
unsigned gather_words(machine::Function &function);

} // namespace smsim::ptx::optimise

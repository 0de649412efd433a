// Propagates values to their readers: copies and numbers replace the registers that hold them, as far as operands
// allow; what numbers decide is decided; an instruction whose values a dominating one has computed becomes a copy.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// One pass over the function, down the dominator tree. What no longer has readers is left to
/// `machine::remove_dead_code`. Returns how many instructions were changed.
unsigned propagate(machine::Function &function);

} // namespace smsim::ptx::optimise

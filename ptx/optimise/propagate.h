// Values where they are read: copies and numbers take the place of the registers that hold them, as far as operands can
// be them; what numbers decide is decided; an instruction whose values another one above has computed becomes a copy.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// One pass over the function, down the tree of dominators. What is left without readers stays for
/// `machine::remove_dead_code`. Returns how many instructions were changed.
unsigned propagate(machine::Function &function);

} // namespace smsim::ptx::optimise

// A call through a null pointer would go to the first instruction of the program: a check before the call raises an
// exception instead.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// Writes a check before each CALL through a register: a TRAP kNullCallTrap of the threads whose pointer is null. A
/// pointer known to the optimiser is put back into a register. Afterwards, operand 0 of such a call is a register of
/// two words. Returns the number of checks.
unsigned check_null_calls(Function &function);

} // namespace smsim::ptx::machine

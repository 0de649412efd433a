// A call through a pointer that is null would go to the first instruction of the program: a check before it raises an
// exception in its place.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// Writes a check before each CALL through a register: a TRAP kNullCallTrap of the threads whose pointer is null. A
/// pointer that the optimiser knows comes back into a register. Behind it, operand 0 of such a call is a register of
/// two words. Returns the number of checks.
unsigned check_null_calls(Function &function);

} // namespace smsim::ptx::machine

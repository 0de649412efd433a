// Numbers and constants that no operand can be stand in registers: in one register each where one stands above the
// other.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Lets readers of a register that holds a number or constant read the first one that holds the same, where that is
/// written before. Returns how many registers are left without readers.
unsigned share_numbers(machine::Function &function);

} // namespace smsim::ptx::optimise

// Materialises each number and constant that cannot be an immediate operand once, in a dominating position.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Lets readers of a register that holds a number or constant read the first one that holds the same, if that is
/// written before. Returns how many registers have no readers left.
unsigned share_numbers(machine::Function &function);

} // namespace smsim::ptx::optimise

// Registers that live in local memory: loads before and stores after each instruction that names them.
#pragma once

#include <vector>

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// Gives each of `registers` a place in the frame and replaces it by short-lived ones. Predicates are kept as 0 or 1.
void insert_spills(Function &function, const std::vector<Register> &registers);

} // namespace smsim::ptx::machine

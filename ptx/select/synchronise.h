// Meeting of the threads of a warp before instructions that concern several of them.
#pragma once

#include "ptx/select/selector.h"

namespace smsim::ptx::select {

/// WARPSYNC of the members of `mask`, and its purpose; it is removed later where they are together already.
void meet(Selector &selector, const ptx::Operand &mask, machine::Meeting meeting);

/// Emits an instruction over the lanes that meet.
Instruction &over_lanes(Selector &selector, const std::string &mnemonic, std::vector<Operand> operands);

} // namespace smsim::ptx::select

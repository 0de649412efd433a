// Chooses the operands that stay in the reuse cache (timing.md 3): a part of the scheduler pass.
#pragma once

#include <span>

#include "model/isa/instruction.h"

namespace smsim::assembler {

/// Sets the reuse bit of every operand of `block`, which is executed in order, whose register is read again, without a
/// write in between, by the next instruction of fixed latency that reads the same slot and bank. Bits that are already
/// set stay.
void choose_reuse(std::span<isa::Instruction> block);

} // namespace smsim::assembler

// Which operands stay in the reuse cache (timing.md 3): a part of the scheduler pass.
#pragma once

#include <span>

#include "model/isa/instruction.h"

namespace smsim::assembler {

/// Sets the reuse bit of every operand of `block`, which is executed in order, whose register the next instruction of
/// fixed latency that reads the same slot and bank reads again, and which nobody writes before. Bits that are set
/// already stay.
void choose_reuse(std::span<isa::Instruction> block);

} // namespace smsim::assembler

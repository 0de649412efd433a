// Where threads go on that leave a region of token_stack: the address stands in the token, which an instruction
// elsewhere has pushed. In a legal program regions nest, so that it can be told from the text.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/program/program.h"

namespace smsim::assembler {

/// Whether threads may go on behind a jump, call or leaving instruction of token_stack, or an EXIT; true for every
/// other instruction.
bool may_fall_through(const isa::Instruction &insn);

/// For each instruction the index at which SYNC, BRK, CONT let threads go on. Nothing for every other instruction, and
/// where the text does not tell: regions that do not nest, or code that only jumps through registers reach.
std::vector<std::optional<std::uint32_t>> region_ends(const Program &program);

} // namespace smsim::assembler

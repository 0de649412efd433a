// Where threads continue that leave a region of token_stack: the address is in the token, which another instruction has
// pushed. In a legal program regions nest, so that the text determines it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/program/program.h"

namespace smsim::assembler {

/// Whether threads may continue after a jump, call or leaving instruction of token_stack, or an EXIT; true for every
/// other instruction.
bool may_fall_through(const isa::Instruction &insn);

/// For each instruction the index at which SYNC, BRK, CONT let threads continue. None for every other instruction, and
/// if the text does not determine it: regions that do not nest, or code that is reached only by jumps through
/// registers.
std::vector<std::optional<std::uint32_t>> region_ends(const Program &program);

} // namespace smsim::assembler

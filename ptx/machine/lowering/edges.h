// Changes of a function's control flow that lowerings share.
#pragma once

#include <cstdint>

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// Inserts a new block through which all edges from `from` to `to` lead.
BlockIndex split_edge(Function &function, BlockIndex from, BlockIndex to);

/// The instruction that makes `predicate` true or false.
Instruction set_predicate(Register predicate, bool value, std::uint32_t line);

/// An instruction of a mechanism.
Instruction control(std::string mnemonic, std::vector<Operand> operands, std::uint32_t line);

/// PTX line of the beginning of a block.
std::uint32_t line_of(const Block &block);

} // namespace smsim::ptx::machine

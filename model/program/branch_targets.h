// Branches whose targets are known before a program runs.
#pragma once

#include <optional>
#include <string>

#include "model/program/program.h"

namespace smsim {

/// What is wrong with the target of `insn` if it is a BRA, VBEQ or the like that leaves `program`, a SETRPC of an
/// address outside, or an instruction of token_stack that names such an address by an immediate: the program could only
/// end with an exception there (bru.md "Target of a thread" 4). None for every other instruction.
std::optional<std::string> branch_target_error(const Program &program, const isa::Instruction &insn);

} // namespace smsim

// Branches whose targets are known before a program runs.
#pragma once

#include <optional>
#include <string>

#include "model/program/program.h"

namespace smsim {

/// What is wrong with the target of `insn` when it is a BRA, VBEQ or its like that leaves `program`, or a SETRPC of an
/// address outside, or when it names an address by an immediate in token_stack: the program could only end with an
/// exception there (bru.md "Target of a thread" 4). Nothing for every other instruction.
std::optional<std::string> branch_target_error(const Program &program, const isa::Instruction &insn);

} // namespace smsim

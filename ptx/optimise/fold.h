// One instruction made simpler: what its numbers alone decide, and operations that come to less. Works on the operands
// as they stand; who knows more of them puts it in first.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// The 32 bits that a one-word operand is, where that is known: a number, or RZ. Signs are not looked at.
std::optional<std::uint32_t> number_of(const machine::Operand &operand);

/// True for PT and !PT.
bool is_decided(const machine::Operand &predicate);

/// A 32-bit word of a number with the signs of `operand`, as `mnemonic` understands it; nothing where the sign has no
/// meaning of its own (a complement in a chain of carries).
std::optional<std::uint32_t> with_signs(const machine::Instruction &instruction, const machine::Operand &operand,
                                        std::uint32_t value);

/// Brings the instruction into a form that it has by turning its sources round, where one of them is a number or a
/// constant that stands in the wrong place. False, and the instruction as it was, where there is none.
bool arrange(machine::Instruction &instruction);

/// Makes an instruction with plain results simpler: to MOV, to PSETP (which copies a predicate), to a cheaper operation
/// of the same value. True when something has changed.
bool simplify(machine::Instruction &instruction);

} // namespace smsim::ptx::optimise

// Simplifies one instruction: what its numbers alone decide, and operations that reduce to less. Works on the operands
// as they are; callers that know more about them substitute that first.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// The 32-bit value of a one-word operand, if it is known: a number, or RZ. Ignores signs.
std::optional<std::uint32_t> number_of(const machine::Operand &operand);

/// True for PT and !PT.
bool is_decided(const machine::Operand &predicate);

/// A 32-bit word of a number with the signs of `operand`, as `mnemonic` interprets it; nothing where the sign has no
/// meaning of its own (a complement in a chain of carries).
std::optional<std::uint32_t> with_signs(const machine::Instruction &instruction, const machine::Operand &operand,
                                        std::uint32_t value);

/// Brings the instruction into a valid form by exchanging its sources, where one of them is a number or a constant in
/// the wrong position. False, with the instruction unchanged, where there is none.
bool arrange(machine::Instruction &instruction);

/// Simplifies an instruction with plain results: to MOV, to PSETP (which copies a predicate), or to a cheaper
/// operation with the same value. True when something has changed.
bool simplify(machine::Instruction &instruction);

} // namespace smsim::ptx::optimise

// Builds a decoded instruction from a parsed one: finds the operand form in the instruction-set table and fills the
// fields.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "assembler/operand.h"
#include "model/isa/instruction.h"

namespace smsim::assembler {

/// A parsed instruction. `fields` holds what needs no label: operation, guard, modifiers and control fields.
struct ParsedInstruction {
    Place place; ///< of the mnemonic
    isa::Instruction fields;
    std::vector<Operand> operands;
    bool has_control = false; ///< any control field is written
};

/// Parses one instruction of a program for `engine` up to and including its ';'; throws SyntaxError. If several
/// operations have one name, it is the engine's.
ParsedInstruction parse_instruction(Cursor &cursor, const Aliases &aliases, std::string_view engine);

/// Looks up the value of a name, including '.'; throws SyntaxError when there is none.
using NameLookup = std::function<Value(std::string_view, Place)>;

/// Builds the instruction at byte address `pc`. Throws SyntaxError when no form of the operation takes these operands,
/// a value does not fit its field, or the fields contradict one another.
isa::Instruction build_instruction(const ParsedInstruction &parsed, Pc pc, const NameLookup &lookup);

/// The 32 bits of a floating-point operand, or of a decimal number; throws SyntaxError when it is neither or does not
/// fit.
std::uint32_t float_bits(const Operand &operand);
/// The same for 64 bits.
std::uint64_t double_bits(const Operand &operand);

} // namespace smsim::assembler

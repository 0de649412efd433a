// The instructions of PTX as data: which modifiers can be combined, which operands they take, and to which row of
// docs/ptx.md they belong.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.h"

namespace smsim::ptx {

/// Whether the rows of docs/ptx.md include `row` among those that are accepted; others, and row 0 (no row), are
/// rejected by name.
constexpr bool covers_row(unsigned row) {
    return (row >= 1 && row <= 4) || row == 6;
}

/// One form of an opcode.
///
/// `modifiers`: slots in their order, separated by spaces. A slot is a choice "a|b"; a '?' after it makes it optional,
/// a ':' before it says that it is one of the instruction's types. A word in capitals stands for a list of words
/// (instruction_table.cpp). The slot "*" takes all that follows.
///
/// `operands`: one word for each, "*" for any; '?' makes the last ones optional. Types are those of the type slots:
///   d  register of type 0                       a  value of type 0
///   D  register of type 0 or wider              b  value of type 1
///   w  register of twice the size of type 0     B  value of type 1 or wider
///   c  value of twice the size of type 0        u  value of 32 bits
///   e  register of 32 bits                      k  register of 32 or 64 bits
///   P  predicate                                p  predicate, perhaps negated, or integer
///   i  integer constant                         s  value of type 0, or address of a variable or function
///   m  address                                  v, V  register or vector of them, wider or equal: written, read
///   x, y  of mov: register or vector that takes the value apart; value or vector that puts it together
///   q  value of 32 bits, perhaps one byte (.b0) or half (.h1) of it
///   z  register of 32 bits of which perhaps one byte or half is written
///   Q  register of 32 bits, perhaps with the bytes (.b7610) or halves (.h20) that stand for its elements
///   Z  register of 32 bits, perhaps with those of its bytes or halves that are written
///   l  label                                    t  name of a .branchtargets list
/// "e/P" is "e" or the pair "e|P". A written operand may be '_' where `sink_allowed` says so.
struct InstructionForm {
    std::string_view opcode;
    unsigned row;
    std::string_view modifiers;
    std::string_view operands;
    unsigned target = 0; ///< NN of the first sm_NN that has it; 0: not checked
};

/// All forms; those of one opcode are adjacent.
std::span<const InstructionForm> instruction_forms();

/// The forms of one opcode; empty when it is unknown.
std::span<const InstructionForm> forms_of(std::string_view opcode);

/// True when the modifiers are those of `form`; `types` gets those of the type slots in order. Like assemblers, it
/// accepts modifiers in any order (vote.ballot.sync), except that types keep their order and words that choose the
/// instruction come first (mul.lo.u32, mad.hi.cc.u32, bar.red, cvt.pack, cvta.to, shf.l).
bool match_modifiers(const InstructionForm &form, const std::vector<std::string> &modifiers, std::vector<Type> &types);

/// The first of `modifiers` that is in a choice of the table's words ("FCMP", "SPACE"); empty when none is.
std::string_view modifier_among(std::string_view choices, const std::vector<std::string> &modifiers);

/// The row to which a modifier assigns any instruction (".cluster": 7), 0 for none of them; nothing when it has no such
/// meaning.
std::optional<unsigned> row_of_modifier(std::string_view modifier);

/// Why an instruction that PTX has, but no form of the table, is not supported, and what to use instead; empty when
/// PTX does not have it either.
std::string_view why_unsupported(std::string_view opcode, const std::vector<std::string> &modifiers);

/// The opcode with the name nearest to `opcode`; empty when none resembles it.
std::string_view nearest_opcode(std::string_view opcode);

/// The forms of `opcode` for a message: "add[.sat].s32 or ...", the lists by their names, at most a few.
std::string describe_forms(std::string_view opcode);

} // namespace smsim::ptx

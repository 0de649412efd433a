// Instructions of integer arithmetic by subject; `select_integer` (selector.h) chooses among them. Each selects one
// instruction of the opcode in its name.
#pragma once

#include "ptx/select/sequence.h"

namespace smsim::ptx::select {

/// True for a type whose order and widening are those of signed numbers.
inline bool is_signed(Type type) {
    return type.kind == TypeClass::kSigned || type.name == "s16x2";
}

/// Operand `index` as arithmetic of `type` reads it: 8 and 16 bits extended to a word.
inline Operand argument(Selector &s, const Selection &in, std::size_t index, Type type) {
    return s.read_extended(in.operand(index), type);
}
/// Operand `index` as written, whatever is above its type.
inline Operand raw(Selector &s, const Selection &in, std::size_t index) {
    return s.read(in.operand(index), in.type());
}
/// Writes the destination.
inline void give(Selector &s, const Selection &in, const Operand &value) {
    s.write_value(in.operand(0), value, in.type());
}
/// Emits one instruction that writes the destination of one word.
void give_word(Selector &s, const Selection &in, const std::string &mnemonic, const std::vector<Operand> &sources);

/// a + b or a - b of 32 bits signed, saturated.
Operand add_saturated(Selector &s, const Operand &a, const Operand &b, bool subtract);

// integer_divide.cpp: div and rem of all sizes. A division by zero gives a quotient of ones and the dividend as
// remainder.
void select_divide(Selector &s, const Selection &in);

// integer_multiply.cpp: mul, mad, mul24, mad24, sad, dp4a, dp2a without carry.
void select_multiply(Selector &s, const Selection &in);
void select_multiply_24(Selector &s, const Selection &in);
void select_sad(Selector &s, const Selection &in);
void select_dot_product(Selector &s, const Selection &in);
/// The half of a * b that the modifier .lo or .hi names, of 32 or 64 bits.
Operand product_half(Selector &s, const Operand &a, const Operand &b, bool upper, bool is_signed);

// integer_bits.cpp: counting, fields, permutation.
void select_population(Selector &s, const Selection &in);
void select_leading_zeros(Selector &s, const Selection &in);
void select_find_leading(Selector &s, const Selection &in);
void select_reverse(Selector &s, const Selection &in);
void select_extract(Selector &s, const Selection &in);
void select_insert(Selector &s, const Selection &in);
void select_bit_mask(Selector &s, const Selection &in);
void select_extension(Selector &s, const Selection &in);
void select_find_nth(Selector &s, const Selection &in);
void select_permute(Selector &s, const Selection &in);

// integer_logic.cpp: and, or, xor, not, cnot, lop3, shifts.
void select_logic(Selector &s, const Selection &in);
void select_not(Selector &s, const Selection &in);
void select_cnot(Selector &s, const Selection &in);
void select_lop3(Selector &s, const Selection &in);
void select_shift(Selector &s, const Selection &in);
void select_funnel_shift(Selector &s, const Selection &in);

// integer_carry.cpp: add.cc, addc, sub.cc, subc, mad.cc, madc.
void select_carry(Selector &s, const Selection &in);

} // namespace smsim::ptx::select

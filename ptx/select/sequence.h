// Building blocks of sequences of several instructions: results in temporaries, selection and comparison, and
// arithmetic on pairs of words.
//
// A value is an operand that is read: a register or number of one or two words. None of these functions writes a name
// of the program, so their sources may be what the sequence writes in the end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ptx/select/selector.h"

namespace smsim::ptx::select {

/// The float with these bits, as an operand that takes a number.
Operand single(std::uint32_t bits);
/// The double with these bits, as an operand that takes a number. Precondition: its lower word is 0.
Operand double_number(std::uint64_t bits);

/// A value where an instruction of single precision expects a number: a number becomes its bits as a float.
Operand as_single(const Operand &value);
/// The same for double precision; a number whose lower word is not 0 is moved into a register.
Operand as_double(Selector &s, const Operand &value);

/// True for a number (not a register).
inline bool is_number(const Operand &value) {
    return value.kind == machine::OperandKind::kInteger;
}
/// True for the number `number`.
bool is_number(const Operand &value, std::int64_t number);

/// The value in a register; the word 0 is RZ.
Operand in_word(Selector &s, const Operand &value);

/// Emits `mnemonic to, sources...`.
void emit_to(Selector &s, const Operand &to, const std::string &mnemonic, const std::vector<Operand> &sources);
/// Emits `mnemonic result, sources...` with a new temporary of `words` words and returns it.
Operand make(Selector &s, const std::string &mnemonic, const std::vector<Operand> &sources, unsigned words = 1);
/// Emits `mnemonic predicate, PT, sources...` with a new predicate and returns it.
Operand make_predicate(Selector &s, const std::string &mnemonic, const std::vector<Operand> &sources);

/// predicate ? a : b, of one or two words.
Operand choose(Selector &s, const Operand &predicate, const Operand &a, const Operand &b);

/// A register of one or two words that several ways write.
Operand common(Selector &s, unsigned words = 1);
/// Splits the way: what `rare` emits is for the threads for which `fits` does not hold, what `usual` emits for the
/// others. Without `usual` these have nothing left to do. Hardly any thread is expected in `rare`, which the branch
/// goes around; it is emitted without a guard, as no thread outside the guard gets there.
void in_two_ways(Selector &s, const Operand &fits, const std::function<void()> &rare,
                 const std::function<void()> &usual = {});

/// The pair of two words.
Operand pair(Selector &s, const Operand &low_word, const Operand &high_word);

/// LOP3 with the truth table `table`; a number only in one of `b` and `c`.
Operand logic(Selector &s, const Operand &a, const Operand &b, const Operand &c, unsigned table);
/// a & mask.
Operand mask_with(Selector &s, const Operand &a, std::uint32_t mask);

/// a + b of one word; numbers in any position.
Operand add_words(Selector &s, const Operand &a, const Operand &b);

/// a + b of 64 bits; its carry goes to `carry` if given.
Operand add_pairs(Selector &s, const Operand &a, const Operand &b, const Operand &carry = machine::always());
/// a - b of 64 bits.
Operand subtract_pairs(Selector &s, const Operand &a, const Operand &b);
/// -a of 64 bits.
Operand negate_pair(Selector &s, const Operand &a);

/// Emits the comparison of a with b into the predicate `to`; see `compare_integers`.
void emit_comparison(Selector &s, const Operand &to, const std::string &compare, bool is_unsigned, const Operand &a,
                     const Operand &b);
/// a compared with b: `compare` is "LT" and the like. One word by ISETP, two by a chain of three.
Operand compare_integers(Selector &s, const std::string &compare, bool is_unsigned, const Operand &a, const Operand &b);

/// a shifted to the left: amounts from the width on give 0. Amount: 32 bits, unsigned.
Operand shift_left(Selector &s, const Operand &a, const Operand &amount);
/// a shifted to the right: amounts from the width on give 0, or the sign. Amount: 32 bits, unsigned.
Operand shift_right(Selector &s, const Operand &a, const Operand &amount, bool is_signed);

/// a * b + c of 64 bits, the lower half.
Operand multiply_low(Selector &s, const Operand &a, const Operand &b, const Operand &c);
/// The upper half of the unsigned product of 64 bits.
Operand multiply_high(Selector &s, const Operand &a, const Operand &b);

} // namespace smsim::ptx::select

// Selection of integer arithmetic: the choice by opcode, and add, sub, neg, abs, min, max.
#include "ptx/select/integer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace smsim::ptx::select {

using namespace machine;

void give_word(Selector &s, const Selection &in, const std::string &mnemonic, const std::vector<Operand> &sources) {
    emit_to(s, s.write(in.operand(0), in.type()), mnemonic, sources);
}

Operand add_saturated(Selector &s, const Operand &a, const Operand &b, bool subtract) {
    const Operand x = in_word(s, a);
    const Operand y = in_word(s, b);
    const Operand sum = make(s, "IADD3", {x, subtract ? negated(y) : y, zero()});
    // Out of range: the sign of the sum differs from that of a, and b did not pull it there. Tables of (sum, x, y).
    const Operand wrong = logic(s, sum, x, y, subtract ? 0x24 : 0x18);
    const Operand overflow = make_predicate(s, "ISETP.LT.AND", {wrong, zero(), always()});
    const Operand sign = make(s, "SHR.S32", {sum, number(31)});
    const Operand bound = logic(s, sign, number(0x80000000), zero(), 0x3c);
    return choose(s, overflow, bound, sum);
}

namespace {

/// The two halves of a packed value, extended to words.
std::pair<Operand, Operand> halves(Selector &s, const Operand &value, bool with_sign) {
    const Operand word = in_word(s, value);
    return {make(s, "PRMT", {word, number(with_sign ? 0x9910 : 0x4410), zero()}),
            make(s, with_sign ? "SHR.S32" : "SHR", {word, number(16)})};
}

void give_halves(Selector &s, const Selection &in, const Operand &lower, const Operand &upper) {
    give_word(s, in, "PRMT", {lower, number(0x5410), upper});
}

void add_halves(Selector &s, const Selection &in) {
    const auto [a_low, a_high] = halves(s, raw(s, in, 1), false);
    const auto [b_low, b_high] = halves(s, raw(s, in, 2), false);
    const Operand lower = add_words(s, a_low, b_low);
    give_halves(s, in, lower, add_words(s, a_high, b_high));
}

void select_add(Selector &s, const Selection &in) {
    const Operand a = raw(s, in, 1);
    const Operand b = raw(s, in, 2);
    if (in.has("cc")) {
        return select_carry(s, in);
    }
    if (in.type().kind == TypeClass::kPacked) {
        return add_halves(s, in);
    }
    if (in.has("sat")) {
        return give(s, in, add_saturated(s, a, b, false));
    }
    if (in.type().bits == 64) {
        return give(s, in, add_pairs(s, is_number(a) && is_number(b) ? s.in_register(a) : a, b));
    }
    if (is_number(a)) {
        return give_word(s, in, "IADD3", {in_word(s, b), a, zero()});
    }
    give_word(s, in, "IADD3", {a, b, zero()});
}

void select_subtract(Selector &s, const Selection &in) {
    const Operand a = raw(s, in, 1);
    const Operand b = raw(s, in, 2);
    if (in.has("cc")) {
        return select_carry(s, in);
    }
    if (in.has("sat")) {
        return give(s, in, add_saturated(s, a, b, true));
    }
    if (in.type().bits == 64) {
        return give(s, in, subtract_pairs(s, a, b));
    }
    if (is_number(b)) {
        return give_word(s, in, "IADD3", {in_word(s, a), number(-b.value), zero()});
    }
    give_word(s, in, "IADD3", {negated(b), a, zero()});
}

void select_negate(Selector &s, const Selection &in) {
    const Operand a = raw(s, in, 1);
    if (in.type().bits == 64) {
        return give(s, in, negate_pair(s, a));
    }
    give_word(s, in, "IADD3", {negated(s.in_register(a)), zero(), zero()});
}

void select_absolute(Selector &s, const Selection &in) {
    const Operand a = s.in_register(argument(s, in, 1, in.type()));
    if (in.type().bits == 64) {
        const Operand minus = make_predicate(s, "ISETP.LT.AND", {high(a), zero(), always()});
        return give(s, in, choose(s, minus, negate_pair(s, a), a));
    }
    give_word(s, in, "IABS", {a});
}

void select_packed_extreme(Selector &s, const Selection &in, const Operand &minimum) {
    const bool with_sign = is_signed(in.type());
    const std::string mnemonic = with_sign ? "IMNMX" : "IMNMX.U32";
    const auto [a_low, a_high] = halves(s, raw(s, in, 1), with_sign);
    const auto [b_low, b_high] = halves(s, raw(s, in, 2), with_sign);
    Operand lower = make(s, mnemonic, {a_low, b_low, minimum});
    Operand upper = make(s, mnemonic, {a_high, b_high, minimum});
    if (in.has("relu")) {
        lower = make(s, mnemonic, {lower, zero(), never()});
        upper = make(s, mnemonic, {upper, zero(), never()});
    }
    give_halves(s, in, lower, upper);
}

void select_extreme(Selector &s, const Selection &in) {
    const bool smallest = in.instruction.opcode == "min";
    const Operand minimum = smallest ? always() : never();
    const Type type = in.type();
    if (type.kind == TypeClass::kPacked) {
        return select_packed_extreme(s, in, minimum);
    }
    const Operand a = argument(s, in, 1, type);
    const Operand b = argument(s, in, 2, type);
    if (type.bits == 64) {
        const Operand less = compare_integers(s, smallest ? "LT" : "GT", !is_signed(type), a, b);
        return give(s, in, choose(s, less, a, b));
    }
    const std::string mnemonic = is_signed(type) ? "IMNMX" : "IMNMX.U32";
    const Operand first = is_number(a) && !is_number(b) ? b : in_word(s, a);
    const Operand second = is_number(a) && !is_number(b) ? a : b;
    if (in.has("relu")) {
        const Operand extreme = make(s, mnemonic, {first, second, minimum});
        return give_word(s, in, mnemonic, {extreme, zero(), never()});
    }
    give_word(s, in, mnemonic, {first, second, minimum});
}

using Function = void (*)(Selector &, const Selection &);
struct Entry {
    std::string_view opcode;
    Function select;
};
constexpr std::array kEntries = {
    Entry{"abs", select_absolute},
    Entry{"add", select_add},
    Entry{"addc", select_carry},
    Entry{"and", select_logic},
    Entry{"bfe", select_extract},
    Entry{"bfi", select_insert},
    Entry{"bfind", select_find_leading},
    Entry{"bmsk", select_bit_mask},
    Entry{"brev", select_reverse},
    Entry{"clz", select_leading_zeros},
    Entry{"cnot", select_cnot},
    Entry{"div", select_divide},
    Entry{"dp2a", select_dot_product},
    Entry{"dp4a", select_dot_product},
    Entry{"fns", select_find_nth},
    Entry{"lop3", select_lop3},
    Entry{"mad", select_multiply},
    Entry{"mad24", select_multiply_24},
    Entry{"madc", select_carry},
    Entry{"max", select_extreme},
    Entry{"min", select_extreme},
    Entry{"mul", select_multiply},
    Entry{"mul24", select_multiply_24},
    Entry{"neg", select_negate},
    Entry{"not", select_not},
    Entry{"or", select_logic},
    Entry{"popc", select_population},
    Entry{"prmt", select_permute},
    Entry{"rem", select_divide},
    Entry{"sad", select_sad},
    Entry{"shf", select_funnel_shift},
    Entry{"shl", select_shift},
    Entry{"shr", select_shift},
    Entry{"sub", select_subtract},
    Entry{"subc", select_carry},
    Entry{"szext", select_extension},
    Entry{"xor", select_logic},
};

} // namespace

bool select_integer(Selector &s, const Selection &in) {
    const auto *entry = std::ranges::find(kEntries, in.instruction.opcode, &Entry::opcode);
    if (entry == kEntries.end()) {
        return false;
    }
    // The floating-point forms of the same opcodes are selected in other files.
    const Type type = in.types.empty() ? bits_type(32) : in.type();
    const bool halves = type.kind == TypeClass::kPacked && type.name != "u16x2" && type.name != "s16x2";
    if (type.kind == TypeClass::kFloat || halves) {
        return false;
    }
    entry->select(s, in);
    return true;
}

} // namespace smsim::ptx::select

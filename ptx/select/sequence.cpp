#include "ptx/select/sequence.h"

#include <utility>

#include <fmt/format.h>

namespace smsim::ptx::select {

using namespace machine;

Operand single(std::uint32_t bits) {
    return text(fmt::format("0f{:08x}", bits));
}

Operand double_number(std::uint64_t bits) {
    return text(fmt::format("0d{:016x}", bits));
}

Operand as_single(const Operand &value) {
    return is_number(value) ? single(static_cast<std::uint32_t>(value.value)) : value;
}

Operand as_double(Selector &s, const Operand &value) {
    if (!is_number(value)) {
        return value;
    }
    const bool fits = (value.value & 0xffffffff) == 0;
    return fits ? double_number(static_cast<std::uint64_t>(value.value)) : s.in_register(value);
}

bool is_number(const Operand &value, std::int64_t number) {
    return is_number(value) && value.value == number;
}

Operand in_word(Selector &s, const Operand &value) {
    return is_number(value, 0) && value.words == 1 ? zero() : s.in_register(value);
}

void emit_to(Selector &s, const Operand &to, const std::string &mnemonic, const std::vector<Operand> &sources) {
    std::vector<Operand> operands = {to};
    for (const Operand &source : sources) {
        operands.push_back(source);
    }
    s.emit(mnemonic, std::move(operands));
}

Operand make(Selector &s, const std::string &mnemonic, const std::vector<Operand> &sources, unsigned words) {
    const Register reg = s.temporary(words);
    emit_to(s, define(reg, words), mnemonic, sources);
    return use(reg, words);
}

Operand make_predicate(Selector &s, const std::string &mnemonic, const std::vector<Operand> &sources) {
    const Register reg = s.temporary_predicate();
    std::vector<Operand> operands = {define_predicate(reg), always()};
    for (const Operand &source : sources) {
        operands.push_back(source);
    }
    s.emit(mnemonic, std::move(operands));
    return if_true(reg);
}

namespace {

/// A pair that is written word by word.
Register open_pair(Selector &s) {
    const Register reg = s.temporary(2);
    s.undefined(reg);
    return reg;
}

/// Emits SEL into `to`; a number in only one of the two places.
void select_word(Selector &s, const Operand &to, const Operand &predicate, const Operand &a, const Operand &b) {
    if (is_number(a) && !is_number(b)) {
        s.emit("SEL", {to, b, a, negated(predicate)});
    } else {
        s.emit("SEL", {to, in_word(s, a), b, predicate});
    }
}

} // namespace

Operand choose(Selector &s, const Operand &predicate, const Operand &a, const Operand &b) {
    if (a.words == 1) {
        const Register reg = s.temporary();
        select_word(s, define(reg), predicate, a, b);
        return use(reg);
    }
    const Register reg = open_pair(s);
    for (unsigned i = 0; i < 2; ++i) {
        select_word(s, define(reg, 1, i), predicate, word(a, i), word(b, i));
    }
    return use(reg, 2);
}

Operand common(Selector &s, unsigned words) {
    const Register reg = s.temporary(words);
    s.undefined(reg);
    return use(reg, words);
}

void in_two_ways(Selector &s, const Operand &fits, const std::function<void()> &rare,
                 const std::function<void()> &usual) {
    const Operand guard = s.guard();
    const BlockIndex others = s.new_block();
    const BlockIndex on = s.new_block();
    s.branch(negated(s.with_guard(negated(fits))), on, others, Emitter::Ways::kNextIsRare);
    const BlockIndex both = usual ? s.new_block() : on;
    s.set_guard(always());
    rare();
    s.fall_to(both);
    s.set_guard(guard);
    if (usual) {
        s.set_block(on);
        usual();
        s.fall_to(both);
    }
}

Operand pair(Selector &s, const Operand &low_word, const Operand &high_word) {
    const Register reg = open_pair(s);
    s.emit("MOV", {define(reg, 1, 0), low_word});
    s.emit("MOV", {define(reg, 1, 1), high_word});
    return use(reg, 2);
}

Operand logic(Selector &s, const Operand &a, const Operand &b, const Operand &c, unsigned table) {
    return make(s, "LOP3", {a, b, c, number(table)});
}

Operand mask_with(Selector &s, const Operand &a, std::uint32_t mask) {
    return logic(s, in_word(s, a), number(mask), zero(), 0xc0);
}

Operand add_words(Selector &s, const Operand &a, const Operand &b) {
    return is_number(a) ? make(s, "IADD3", {in_word(s, b), a, zero()}) : make(s, "IADD3", {a, b, zero()});
}

Operand add_pairs(Selector &s, const Operand &a, const Operand &b, const Operand &carry) {
    if (is_number(a) && !is_number(b)) {
        return add_pairs(s, b, a, carry);
    }
    const Register sum = open_pair(s);
    const Register between = s.temporary_predicate();
    s.emit("IADD3", {define(sum, 1, 0), define_predicate(between), in_word(s, low(a)), low(b), zero()});
    s.emit("IADD3.X", {define(sum, 1, 1), carry, in_word(s, high(a)), high(b), zero(), if_true(between)});
    return use(sum, 2);
}

Operand subtract_pairs(Selector &s, const Operand &a, const Operand &b) {
    if (is_number(b)) {
        return add_pairs(s, a, wide_number(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(b.value))));
    }
    const Register difference = open_pair(s);
    const Register between = s.temporary_predicate();
    s.emit("IADD3", {define(difference, 1, 0), define_predicate(between), negated(low(b)), low(a), zero()});
    s.emit("IADD3.X", {define(difference, 1, 1), always(), negated(high(b)), high(a), zero(), if_true(between)});
    return use(difference, 2);
}

Operand negate_pair(Selector &s, const Operand &a) {
    return subtract_pairs(s, wide_number(0), s.in_register(a));
}

void emit_comparison(Selector &s, const Operand &to, const std::string &compare, bool is_unsigned, const Operand &a,
                     const Operand &b) {
    const std::string sign = is_unsigned ? ".U32" : "";
    if (a.words == 1) {
        s.emit("ISETP." + compare + sign + ".AND", {to, always(), in_word(s, a), b, always()});
        return;
    }
    // The upper words decide unless they are equal; then the lower ones do.
    const Operand a_low = in_word(s, low(a));
    const Operand a_high = in_word(s, high(a));
    if (compare == "EQ" || compare == "NE") {
        const Operand lower = make_predicate(s, "ISETP." + compare + ".AND", {a_low, low(b), always()});
        s.emit("ISETP." + compare + (compare == "EQ" ? ".AND" : ".OR"), {to, always(), a_high, high(b), lower});
        return;
    }
    const Operand lower = make_predicate(s, "ISETP." + compare + ".U32.AND", {a_low, low(b), always()});
    const Operand equal = make_predicate(s, "ISETP.EQ.AND", {a_high, high(b), lower});
    s.emit("ISETP." + compare.substr(0, 1) + "T" + sign + ".OR", {to, always(), a_high, high(b), equal});
}

Operand compare_integers(Selector &s, const std::string &compare, bool is_unsigned, const Operand &a,
                         const Operand &b) {
    const Register result = s.temporary_predicate();
    emit_comparison(s, define_predicate(result), compare, is_unsigned, a, b);
    return if_true(result);
}

Operand shift_left(Selector &s, const Operand &a, const Operand &amount) {
    if (a.words == 1) {
        return make(s, "SHL", {in_word(s, a), amount});
    }
    const Operand lower = in_word(s, low(a));
    if (is_number(amount) && amount.value >= 32) {
        return pair(s, zero(), make(s, "SHL", {lower, number(amount.value - 32)}));
    }
    const Register result = open_pair(s);
    const Operand upper = make(s, "SHF.L", {lower, amount, s.in_register(high(a))});
    if (is_number(amount)) {
        s.emit("SHL", {define(result, 1, 0), lower, amount});
        s.emit("MOV", {define(result, 1, 1), upper});
        return use(result, 2);
    }
    // SHF stops at 32, where the upper word is the former lower one: the shift continues from there.
    const Operand beyond = make(s, "IMNMX.U32", {amount, number(32), never()});
    const Operand rest = make(s, "IADD3", {beyond, number(-32), zero()});
    s.emit("SHL", {define(result, 1, 0), lower, amount});
    s.emit("SHL", {define(result, 1, 1), upper, rest});
    return use(result, 2);
}

Operand shift_right(Selector &s, const Operand &a, const Operand &amount, bool is_signed) {
    const std::string shift = is_signed ? "SHR.S32" : "SHR";
    if (a.words == 1) {
        return make(s, shift, {in_word(s, a), amount});
    }
    const Operand upper = in_word(s, high(a));
    if (is_number(amount) && amount.value >= 32) {
        const Operand lower = make(s, shift, {upper, number(amount.value - 32)});
        return pair(s, lower, is_signed ? make(s, shift, {upper, number(31)}) : zero());
    }
    const Register result = open_pair(s);
    const Operand lower = make(s, "SHF.R", {in_word(s, low(a)), amount, upper});
    if (is_number(amount)) {
        s.emit(shift, {define(result, 1, 1), upper, amount});
        s.emit("MOV", {define(result, 1, 0), lower});
        return use(result, 2);
    }
    const Operand beyond = make(s, "IMNMX.U32", {amount, number(32), never()});
    const Operand rest = make(s, "IADD3", {beyond, number(-32), zero()});
    s.emit(shift, {define(result, 1, 1), upper, amount});
    s.emit(shift, {define(result, 1, 0), lower, rest});
    return use(result, 2);
}

Operand multiply_low(Selector &s, const Operand &a, const Operand &b, const Operand &c) {
    if (is_number(a) && !is_number(b)) {
        return multiply_low(s, b, a, c);
    }
    const Operand a_low = in_word(s, low(a));
    const Operand a_high = in_word(s, high(a));
    const Operand addend = is_number(c, 0) ? zero() : s.in_register(c);
    const Operand product = make(s, "IMAD.WIDE.U32", {a_low, low(b), addend}, 2);
    const Operand upper = make(s, "IMAD", {a_low, high(b), high(product)});
    return pair(s, low(product), make(s, "IMAD", {a_high, low(b), upper}));
}

Operand multiply_high(Selector &s, const Operand &a, const Operand &b) {
    const Operand a_low = in_word(s, low(a));
    const Operand a_high = in_word(s, high(a));
    const Operand lowest = make(s, "IMAD.WIDE.U32", {a_low, low(b), zero()}, 2);
    const Operand first = make(s, "IMAD.WIDE.U32", {a_high, low(b), pair(s, high(lowest), zero())}, 2);
    const Operand second = make(s, "IMAD.WIDE.U32", {a_low, high(b), pair(s, low(first), zero())}, 2);
    const Register middle = open_pair(s);
    const Register carry = s.temporary_predicate();
    s.emit("IADD3", {define(middle, 1, 0), define_predicate(carry), high(first), high(second), zero()});
    s.emit("IADD3.X", {define(middle, 1, 1), always(), zero(), zero(), zero(), if_true(carry)});
    return make(s, "IMAD.WIDE.U32", {a_high, high(b), use(middle, 2)}, 2);
}

} // namespace smsim::ptx::select

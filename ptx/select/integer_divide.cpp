// Selection of integer division: an approximate reciprocal of the divisor from below, refined by Newton's method in
// integers, a quotient that is at most 2 too small, and two corrections.
//
// With x = 2^N / b and an integer z = x - d, 0 <= d, the step z + floor(z * (2^N - b * z) / 2^N) is floor(x - d*d/x).
// The reciprocal of b as a float, rounded down by 2 units of the last place, errs by less than 2^-21 x; so after one
// step (32 bits) or two (64 bits) d < 2, and floor(a * z / 2^N) is less than 2 + 1 below a / b and its floor at most 2
// below.
#include "ptx/select/integer.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

struct Division {
    Operand quotient;
    Operand remainder;
};

/// value - b if it is at least b, and then 1 more in `quotient`.
void correct(Selector &s, Division &result, const Operand &b) {
    const bool wide = b.words == 2;
    const Register difference = s.temporary(b.words);
    const Register enough = s.temporary_predicate();
    Operand carry = define_predicate(enough);
    if (wide) {
        s.undefined(difference);
        const Register between = s.temporary_predicate();
        s.emit("IADD3",
               {define(difference, 1, 0), define_predicate(between), low(result.remainder), negated(low(b)), zero()});
        s.emit("IADD3.X",
               {define(difference, 1, 1), carry, high(result.remainder), negated(high(b)), zero(), if_true(between)});
    } else {
        s.emit("IADD3", {define(difference), carry, result.remainder, negated(b), zero()});
    }
    result.remainder = choose(s, if_true(enough), use(difference, b.words), result.remainder);
    if (!wide) {
        result.quotient = make(s, "IADD3.X", {result.quotient, zero(), zero(), if_true(enough)});
        return;
    }
    const Operand one = choose(s, if_true(enough), number(1), number(0));
    result.quotient = add_pairs(s, result.quotient, pair(s, one, zero()));
}

Division divide_words(Selector &s, const Operand &a, const Operand &b) {
    const Operand inverse = make(s, "MUFU.RCP", {make(s, "I2F.F32.U32.RP", {b})});
    const Operand scaled = make(s, "IADD3", {inverse, number(0x0ffffffe), zero()}); // times 2^32, 2 units less
    const Operand first = make(s, "F2I.U32.F32.TRUNC", {scaled});
    const Operand minus_b = make(s, "IADD3", {negated(b), zero(), zero()});
    const Operand error = make(s, "IMAD", {first, minus_b, zero()});
    const Operand better = make(s, "IMAD.HI.U32", {first, error, first});
    Division result;
    result.quotient = make(s, "IMAD.HI.U32", {a, better, zero()});
    result.remainder = make(s, "IMAD", {result.quotient, minus_b, a});
    correct(s, result, b);
    correct(s, result, b);
    return result;
}

Division divide_pairs(Selector &s, const Operand &a, const Operand &b) {
    const Operand inverse = make(s, "MUFU.RCP", {make(s, "I2F.F32.U64.RP", {b})});
    const Operand scaled = make(s, "IADD3", {inverse, number(0x1ffffffe), zero()}); // times 2^64, 2 units less
    Operand reciprocal = make(s, "F2I.U64.F32.TRUNC", {scaled}, 2);
    const Operand minus_b = negate_pair(s, b);
    for (unsigned step = 0; step < 2; ++step) {
        const Operand error = multiply_low(s, reciprocal, minus_b, wide_number(0));
        reciprocal = add_pairs(s, reciprocal, multiply_high(s, reciprocal, error));
    }
    Division result;
    result.quotient = multiply_high(s, a, reciprocal);
    result.remainder = multiply_low(s, result.quotient, minus_b, a);
    correct(s, result, b);
    correct(s, result, b);
    return result;
}

/// |a|.
Operand magnitude(Selector &s, const Operand &a, const Operand &minus) {
    return a.words == 1 ? make(s, "IABS", {a}) : choose(s, minus, negate_pair(s, a), a);
}

Operand negate_if(Selector &s, const Operand &condition, const Operand &a) {
    return choose(s, condition, a.words == 1 ? make(s, "IADD3", {negated(a), zero(), zero()}) : negate_pair(s, a), a);
}

} // namespace

void select_divide(Selector &s, const Selection &in) {
    const Type type = in.type();
    const bool with_signs = is_signed(type);
    const bool remainder = in.instruction.opcode == "rem";
    const Operand a = s.in_register(argument(s, in, 1, type));
    const Operand divisor = argument(s, in, 2, type);
    const Operand b = s.in_register(divisor);
    const unsigned top = a.words - 1;
    Operand x = a;
    Operand y = b;
    Operand a_minus;
    if (with_signs) {
        a_minus = make_predicate(s, "ISETP.LT.AND", {word(a, top), zero(), always()});
        const Operand b_minus = make_predicate(s, "ISETP.LT.AND", {word(b, top), zero(), always()});
        x = magnitude(s, a, a_minus);
        y = magnitude(s, b, b_minus);
    }
    Division result = a.words == 1 ? divide_words(s, x, y) : divide_pairs(s, x, y);
    if (remainder) {
        // A division by zero leaves the dividend: every correction subtracted 0 from it.
        return give(s, in, with_signs ? negate_if(s, a_minus, result.remainder) : result.remainder);
    }
    if (with_signs) {
        const Operand signs = logic(s, word(a, top), word(b, top), zero(), 0x3c);
        const Operand minus = make_predicate(s, "ISETP.LT.AND", {signs, zero(), always()});
        result.quotient = negate_if(s, minus, result.quotient);
    }
    if (!is_number(divisor) || divisor.value == 0) {
        const Operand nothing = compare_integers(s, "EQ", true, b, b.words == 2 ? wide_number(0) : number(0));
        const Operand all = b.words == 2 ? wide_number(-1) : number(0xffffffff);
        result.quotient = choose(s, nothing, all, result.quotient);
    }
    give(s, in, result.quotient);
}

} // namespace smsim::ptx::select

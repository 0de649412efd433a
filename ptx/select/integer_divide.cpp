// Selection of integer division: an approximate reciprocal of the divisor from below, refined by Newton's method in
// integers, a quotient that is at most 2 too small, and two corrections.
//
// With x = 2^N / b and an integer z = x - d, 0 <= d, the step z + floor(z * (2^N - b * z) / 2^N) is floor(x - d*d/x).
// The reciprocal of b as a float, rounded down by 2 units of the last place, errs by less than 2^-21 x; so after one
// step (32 bits) or two (64 bits) d < 2, and floor(a * z / 2^N) is less than 2 + 1 below a / b and its floor at most 2
// below.
#include "ptx/select/integer.h"

#include <optional>

namespace smsim::ptx::select {

using namespace machine;

namespace {

struct Division {
    Operand quotient;
    Operand remainder;
};

/// Adds `addend` to `value`, a temporary register, where `condition` holds.
void add_where(Selector &s, const Operand &condition, const Operand &value, const Operand &addend) {
    s.emit_if(condition, "IADD3", {define(value.reg), value, addend, zero()});
}

/// Remainder - b if it is at least b, and then `more` in addition to the quotient. Comparison and guarded additions, as
/// the vendor's compilers write them: selections would be faster than the machines are with their programs.
void correct_words(Selector &s, const Division &result, const Operand &b, const Operand &more) {
    const Operand enough = s.with_guard(make_predicate(s, "ISETP.GE.U32.AND", {result.remainder, b, always()}));
    add_where(s, enough, result.remainder, negated(b));
    add_where(s, enough, result.quotient, more);
}

/// The same of pairs.
void correct_pairs(Selector &s, Division &result, const Operand &b) {
    const Register difference = s.temporary(2);
    const Register enough = s.temporary_predicate();
    const Register between = s.temporary_predicate();
    s.undefined(difference);
    s.emit("IADD3",
           {define(difference, 1, 0), define_predicate(between), low(result.remainder), negated(low(b)), zero()});
    s.emit("IADD3.X", {define(difference, 1, 1), define_predicate(enough), high(result.remainder), negated(high(b)),
                       zero(), if_true(between)});
    result.remainder = choose(s, if_true(enough), use(difference, 2), result.remainder);
    const Operand one = choose(s, if_true(enough), number(1), number(0));
    result.quotient = add_pairs(s, result.quotient, pair(s, one, zero()));
}

/// `nothing`: where b is 0, if it can be. There the reciprocal is 0, because the scaled infinity is a negative
/// number, and both corrections take place: the second makes the quotient all ones.
Division divide_words(Selector &s, const Operand &a, const Operand &b, const std::optional<Operand> &nothing) {
    const Operand inverse = make(s, "MUFU.RCP", {make(s, "I2F.F32.U32.RP", {b})});
    const Operand scaled = make(s, "IADD3", {inverse, number(0x0ffffffe), zero()}); // times 2^32, 2 units less
    const Operand first = make(s, "F2I.U32.F32.TRUNC", {scaled});
    const Operand minus_b = make(s, "IADD3", {negated(b), zero(), zero()});
    const Operand error = make(s, "IMAD", {first, minus_b, zero()});
    const Operand better = make(s, "IMAD.HI.U32", {first, error, first});
    Division result;
    result.quotient = make(s, "IMAD.HI.U32", {a, better, zero()});
    result.remainder = make(s, "IMAD", {result.quotient, minus_b, a});
    correct_words(s, result, b, number(1));
    correct_words(s, result, b, nothing ? choose(s, *nothing, number(-2), number(1)) : number(1));
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
    correct_pairs(s, result, b);
    correct_pairs(s, result, b);
    return result;
}

/// |a|.
Operand magnitude(Selector &s, const Operand &a, const Operand &minus) {
    return a.words == 1 ? make(s, "IABS", {a}) : choose(s, minus, negate_pair(s, a), a);
}

/// Negates `a`, temporary registers, where `condition` holds.
Operand negate_if(Selector &s, const Operand &condition, const Operand &a) {
    if (a.words == 2) {
        return choose(s, condition, negate_pair(s, a), a);
    }
    s.emit_if(s.with_guard(condition), "IADD3", {define(a.reg), negated(a), zero(), zero()});
    return a;
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
    const bool wide = a.words == 2;
    std::optional<Operand> nothing; // where the divisor is 0
    if (!remainder && (!is_number(divisor) || divisor.value == 0)) {
        nothing = compare_integers(s, "EQ", true, b, wide ? wide_number(0) : number(0));
    }
    Operand x = a;
    Operand y = b;
    Operand a_minus;
    if (with_signs) {
        a_minus = make_predicate(s, "ISETP.LT.AND", {word(a, top), zero(), always()});
        const Operand b_minus = make_predicate(s, "ISETP.LT.AND", {word(b, top), zero(), always()});
        x = magnitude(s, a, a_minus);
        y = magnitude(s, b, b_minus);
    }
    Division result = wide ? divide_pairs(s, x, y) : divide_words(s, x, y, nothing);
    if (remainder) {
        // A division by zero leaves the dividend: every correction subtracted 0 from it.
        return give(s, in, with_signs ? negate_if(s, a_minus, result.remainder) : result.remainder);
    }
    if (with_signs) {
        const Operand signs = logic(s, word(a, top), word(b, top), zero(), 0x3c);
        const Operand minus =
            make_predicate(s, "ISETP.LT.AND", {signs, zero(), nothing ? negated(*nothing) : always()});
        result.quotient = negate_if(s, minus, result.quotient);
    }
    if (wide && nothing) {
        result.quotient = choose(s, *nothing, wide_number(-1), result.quotient);
    }
    give(s, in, result.quotient);
}

} // namespace smsim::ptx::select

// Selection of rcp, rsqrt, sqrt and div of double precision, rounded as written.
//
// Sources are separated into fractions and exponents, so that no intermediate value leaves the range. A quotient of
// the fractions is found by Newton's method from the single-precision reciprocal and scaled to its exponent, which
// truncates it where the result is subnormal. The missing part is then computed without error as remainder and divided
// by the divisor, rounded to odd: the last bit is set where digits were dropped. The final fused multiply-add of the
// truncated quotient and the scaled rest is the only rounding, and because of the odd last bit it is that of the exact
// quotient.
#include "ptx/select/float.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

constexpr std::uint64_t kOne = 0x3ff0000000000000;
constexpr std::uint64_t kHalf = 0x3fe0000000000000;
constexpr std::uint64_t kUnit = 0x3cb0000000000000; // 2^-52, the last place of [1, 2)

Operand to_single(Selector &s, const Operand &a) {
    return make(s, "F2F.F32.F64", {a});
}

Operand to_double(Selector &s, const Operand &a) {
    return make(s, "F2F.F64.F32", {a}, 2);
}

Operand fma(Selector &s, const Operand &a, const Operand &b, const Operand &c, const std::string &rounding = "") {
    return make(s, "DFMA" + rounding, {a, b, c}, 2);
}

Operand product(Selector &s, const Operand &a, const Operand &b, const std::string &rounding = "") {
    return make(s, "DMUL" + rounding, {a, b}, 2);
}

/// 2^exponent.
Operand power_of_two(Selector &s, const Operand &exponent) {
    const Operand biased = make(s, "IADD3", {exponent, number(1023), zero()});
    return pair(s, zero(), make(s, "SHL", {biased, number(20)}));
}

/// a / b with |a|, |b| in [1, 2), rounded to odd: `quotient` is near a / b, `inverse` near 1 / b.
Operand odd_rest(Selector &s, const Operand &rest, const Operand &b, const Operand &inverse) {
    const Operand found = product(s, rest, inverse);
    const Operand missing = fma(s, negated(b), found, rest);
    const Operand inexact = make_predicate(s, "DSETP.NEU.AND", {missing, double_number(0), always()});
    // `found` is too large in magnitude where the missing part pulls it towards zero.
    const Operand signs = logic(s, high(missing), high(b), high(found), 0x96);
    const Operand too_large = make_predicate(s, "ISETP.LT.AND", {signs, zero(), inexact});
    const Operand step = choose(s, too_large, number(0xffffffff), number(0));
    const Operand cut = add_pairs(s, found, pair(s, step, step));
    const Operand odd = choose(s, inexact, number(1), number(0));
    return pair(s, logic(s, low(cut), odd, zero(), 0xfc), high(cut));
}

Operand divide(Selector &s, const Operand &dividend, const Operand &divisor, const std::string &rounding) {
    const NormalDouble a = normalise(s, dividend);
    const NormalDouble b = normalise(s, divisor);
    // Beyond +-1100 the result overflows or vanishes anyway. Half of it is the exponent of a normal number.
    const Operand of_a = make(s, "SHR.S32", {a.exponent, number(20)});
    const Operand of_b = make(s, "SHR.S32", {b.exponent, number(20)});
    const Operand difference = make(s, "IADD3", {of_a, negated(of_b), zero()});
    const Operand above = make(s, "IMNMX", {difference, number(1100), always()});
    const Operand exponent = make(s, "IMNMX", {above, number(-1100), never()});
    const Operand first_half = make(s, "SHR.S32", {exponent, number(1)});
    const Operand other_half = make(s, "IADD3", {exponent, negated(first_half), zero()});
    const Operand scale_1 = power_of_two(s, first_half);
    const Operand scale_2 = power_of_two(s, other_half);

    const Operand rough = to_double(s, make(s, "MUFU.RCP", {to_single(s, b.fraction)}));
    const Operand minus_b = negated(b.fraction);
    const Operand better = fma(s, rough, fma(s, minus_b, rough, double_number(kOne)), rough);
    const Operand inverse = fma(s, better, fma(s, minus_b, better, double_number(kOne)), better);
    const Operand near = product(s, a.fraction, inverse);
    const Operand quotient = fma(s, fma(s, minus_b, near, a.fraction), inverse, near);

    const Operand cut = product(s, product(s, quotient, scale_1), scale_2, ".RZ");
    const Operand back_2 = power_of_two(s, make(s, "IADD3", {negated(other_half), zero(), zero()}));
    const Operand back_1 = power_of_two(s, make(s, "IADD3", {negated(first_half), zero(), zero()}));
    const Operand unscaled = product(s, product(s, cut, back_2), back_1);
    const Operand rest = fma(s, minus_b, unscaled, a.fraction);
    const Operand odd = odd_rest(s, rest, b.fraction, inverse);
    const Operand rounded = fma(s, product(s, odd, scale_1), scale_2, cut, rounding);

    const Register special = s.temporary_predicate();
    s.emit("PSETP.OR.AND", {define_predicate(special), always(), a.special, b.special, always()});
    return choose(s, if_true(special), product(s, a.fraction, rough), rounded);
}

/// a plus 1 unit of the last place where `larger` holds, minus one where `smaller` does.
Operand stepped(Selector &s, const Operand &a, const Operand &larger, const Operand &smaller) {
    const Operand up = choose(s, larger, number(1), number(0));
    const Operand step = choose(s, smaller, number(0xffffffff), up);
    return add_pairs(s, a, pair(s, step, make(s, "SHR.S32", {step, number(31)})));
}

/// Fraction in [1, 4) and half the exponent of the rest, for roots.
struct RootParts {
    Operand fraction;
    Operand exponent;
    Operand special; ///< predicate: zero, infinity, NaN or negative
    Operand value;   ///< the value to which `special` refers
};

RootParts root_parts(Selector &s, const Operand &a) {
    const NormalDouble parts = normalise(s, a);
    RootParts result;
    const Operand exponent =
        make(s, "IADD3", {make(s, "SHR.S32", {parts.exponent, number(20)}), number(-1023), zero()});
    result.exponent = make(s, "SHR.S32", {exponent, number(1)});
    const Operand odd = make(s, "SHL", {mask_with(s, exponent, 1), number(20)});
    result.fraction = pair(s, low(parts.fraction), make(s, "IADD3", {high(parts.fraction), odd, zero()}));
    const Operand minus = make_predicate(s, "ISETP.LT.AND", {high(a), zero(), always()});
    const Register special = s.temporary_predicate();
    s.emit("PSETP.OR.AND", {define_predicate(special), always(), parts.special, minus, always()});
    result.special = if_true(special);
    result.value = parts.fraction;
    return result;
}

/// a times 2^exponent, within the range of normal numbers.
Operand scaled(Selector &s, const Operand &a, const Operand &exponent) {
    const Operand field = make(s, "SHL", {exponent, number(20)});
    return pair(s, low(a), make(s, "IADD3", {high(a), field, zero()}));
}

Operand square_root(Selector &s, const Operand &a, const std::string &rounding) {
    const RootParts parts = root_parts(s, a);
    const Operand &m = parts.fraction;
    const Operand rough = to_double(s, make(s, "MUFU.RSQ", {to_single(s, m)}));
    const Operand root_0 = product(s, m, rough);
    const Operand half_0 = product(s, rough, double_number(kHalf));
    const Operand error = fma(s, negated(root_0), half_0, double_number(kHalf));
    const Operand root_1 = fma(s, root_0, error, root_0);
    const Operand half_1 = fma(s, half_0, error, half_0);
    const Operand near = fma(s, fma(s, negated(root_1), root_1, m), half_1, root_1);
    // With the remainder r = m - near^2 and u the last place: the root is above near + u/2 where r - u near > 0 and
    // below near - u/2 where r + u near <= 0, as all of them are multiples of u^2.
    const Operand rest = fma(s, negated(near), near, m);
    const Operand above = fma(s, negated(near), double_number(kUnit), rest);
    const Operand below = fma(s, near, double_number(kUnit), rest);
    const Operand larger = make_predicate(s, "DSETP.GT.AND", {above, double_number(0), always()});
    const Operand smaller = make_predicate(s, "DSETP.LE.AND", {below, double_number(0), always()});
    Operand root = stepped(s, near, larger, smaller);
    if (!rounding.empty()) {
        const bool up = rounding == ".RP";
        const Operand left = fma(s, negated(root), root, m);
        const Operand wrong =
            make_predicate(s, up ? "DSETP.GT.AND" : "DSETP.LT.AND", {left, double_number(0), always()});
        root = stepped(s, root, up ? wrong : never(), up ? never() : wrong);
    }
    const Operand of_special = to_double(s, make(s, "MUFU.SQRT", {to_single(s, parts.value)}));
    return choose(s, parts.special, of_special, scaled(s, root, parts.exponent));
}

Operand inverse_root(Selector &s, const Operand &a) {
    const RootParts parts = root_parts(s, a);
    const Operand &m = parts.fraction;
    Operand root = to_double(s, make(s, "MUFU.RSQ", {to_single(s, m)}));
    for (unsigned step = 0; step < 2; ++step) {
        const Operand error = fma(s, negated(product(s, m, root)), root, double_number(kOne));
        root = fma(s, product(s, root, double_number(kHalf)), error, root);
    }
    const Operand minus = make(s, "IADD3", {negated(parts.exponent), zero(), zero()});
    const Operand of_special = to_double(s, make(s, "MUFU.RSQ", {to_single(s, parts.value)}));
    return choose(s, parts.special, of_special, scaled(s, root, minus));
}

/// The source of the functions that read only the upper word: subnormal numbers are zeros.
Operand upper_part(Selector &s, const Operand &a) {
    const Operand field = mask_with(s, high(a), 0x7ff00000);
    const Operand small = make_predicate(s, "ISETP.EQ.AND", {field, zero(), always()});
    const Operand sign = mask_with(s, high(a), 0x80000000);
    return pair(s, zero(), choose(s, small, sign, high(a)));
}

Operand without_lower(Selector &s, const Operand &a) {
    return pair(s, zero(), high(a));
}

/// rcp.approx.ftz.f64: upper words only, subnormal results as zeros.
Operand rough_inverse(Selector &s, const Operand &a) {
    const NormalDouble parts = normalise(s, upper_part(s, a));
    const Operand inverse = to_double(s, make(s, "MUFU.RCP", {to_single(s, parts.fraction)}));
    const Operand magnitude = mask_with(s, high(inverse), 0x7fffffff);
    const Operand upper = make(s, "IADD3", {negated(parts.exponent), number(0x3ff00000), magnitude});
    const Operand small = make_predicate(s, "ISETP.LT.AND", {upper, number(0x00100000), always()});
    const Operand flushed_upper = choose(s, small, number(0), upper);
    const Operand with_sign = logic(s, high(a), number(0x80000000), flushed_upper, 0xe2);
    return pair(s, zero(), choose(s, parts.special, high(inverse), with_sign));
}

} // namespace

void select_double_function(Selector &s, const Selection &in) {
    const std::string &opcode = in.instruction.opcode;
    const auto source = [&](std::size_t index) { return s.in_register(s.read(in.operand(index), in.type())); };
    const bool upper_only = in.has("approx") && in.has("ftz");
    Operand result;
    if (opcode == "rcp") {
        result = upper_only ? rough_inverse(s, source(1))
                            : divide(s, s.in_register(wide_number(static_cast<std::int64_t>(kOne))), source(1),
                                     rounding_of(in));
    } else if (opcode == "div") {
        result = divide(s, source(1), source(2), rounding_of(in));
    } else if (opcode == "sqrt") {
        result = square_root(s, source(1), rounding_of(in));
    } else {
        result = upper_only ? without_lower(s, inverse_root(s, upper_part(s, source(1)))) : inverse_root(s, source(1));
    }
    s.write_value(in.operand(0), result, in.type());
}

} // namespace smsim::ptx::select

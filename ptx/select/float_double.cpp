// Selection of rcp, rsqrt, sqrt and div of double precision, rounded as written.
//
// To nearest, numbers away from the ends of the range take fused multiply-adds alone; a branch leads the other threads
// to code that is right for all operands. It also serves the other roundings.
//
// The usual way begins with MUFU of the fraction in single precision, which errs by less than 2^-22, and improves that
// by Newton's method. Its last DFMA adds the exact remainder, times the inverse, to a result next to the exact one, and
// is the only rounding (Markstein). It is wrong only where the exact result is so near to the middle m of two doubles
// that the error of the inverse moves the sum across m. With a, b and m as whole numbers A, B of 53 bits and M of 54:
//
// - div: the quotient is at least 1 / 2B last places from m, as A 2^54 is no multiple of B. An inverse
//   (1 + d) / b moves the sum less if |d| (B + 1) < 1, so if it is rounded correctly. Two steps err by less than 2^-90
//   before they are rounded, which is good enough for B < 2^53 - 2^16. The inverse of B = 2^53 - 1, 2^53 - 3 ...
//   2^53 - 127 is rounded wrongly (2^26 divisors were tried): they take the other way, as do all divisors with such a
//   lower word.
// - rcp: a step of third order and one of second, which computes its error exactly, give (1 - e^2) / b before they are
//   rounded, |e| < 2^-106 B (1 + 2^-13). That is across m only if B M = 2^106 - 1, so B = 2^53 - 1, which was tried.
// - sqrt: the root is k 2^-55 / sqrt(a) last places from m, k = A 2^54 - M^2 or A 2^55 - M^2. The errors of inverse and
//   remainder move the sum by at most 8 such units. All A with |k| < 2^21 were tried.
//
// tb/unit/ptx/rounding_test.cpp tries what is near these limits.
//
// On the other way sources are separated into fractions and exponents, so that no intermediate value leaves the range.
// A quotient of the fractions is found by Newton's method from the single-precision reciprocal and scaled to its
// exponent, which truncates it where the result is subnormal. The missing part is then computed without error as
// remainder and divided by the divisor, rounded to odd: the last bit is set where digits were dropped. The final fused
// multiply-add of the truncated quotient and the scaled rest is the only rounding, and because of the odd last bit it
// is that of the exact quotient.
#include "ptx/select/float.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

constexpr std::uint64_t kOne = 0x3ff0000000000000;
constexpr std::uint64_t kHalf = 0x3fe0000000000000;
constexpr std::uint64_t kThreeEighths = 0x3fd8000000000000;
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

/// The double whose fraction is that of the single-precision number g, with `offset` added to its upper word.
Operand estimate(Selector &s, const Operand &g, const Operand &offset) {
    return make(s, "IMAD.WIDE.U32", {g, number(1 << 29), pair(s, zero(), offset)}, 2); // 52 - 23 bits to the left
}

/// The bits of a normal number from the 24th of its fraction up: `kept` of them with `exponent` above them.
Operand leading_bits(Selector &s, const Operand &a, std::uint32_t kept, std::uint32_t exponent) {
    const Operand bits = make(s, "SHF.L", {in_word(s, low(a)), number(3), high(a)});
    return logic(s, bits, number(kept), s.in_register(number(exponent)), 0xea);
}

/// About 1 / a of a normal number whose reciprocal is normal.
Operand rough_reciprocal(Selector &s, const Operand &a) {
    const Operand fraction = leading_bits(s, a, 0x007fffff, 0x3f800000); // [1, 2)
    // The result has the exponent of MUFU's less that of a; subtracting the sign sets it.
    const Operand outside = mask_with(s, high(a), 0xfff00000);
    const Operand offset = make(s, "IADD3", {negated(outside), number(0x77f00000), zero()});
    return estimate(s, make(s, "MUFU.RCP", {fraction}), offset);
}

/// About 1 / sqrt(a) of a positive normal number.
Operand rough_inverse_root(Selector &s, const Operand &a) {
    const Operand fraction = leading_bits(s, a, 0x00ffffff, 0x3f000000); // [1/2, 2): the exponent's last bit is kept
    const Operand half = mask_with(s, make(s, "SHR", {high(a), number(1)}), 0xfff00000);
    const Operand offset = make(s, "IADD3", {negated(half), number(0x57f00000), zero()});
    return estimate(s, make(s, "MUFU.RSQ", {fraction}), offset);
}

/// Whether the exponent field of `a` is in `first` to `first` + `count` - 1, and `also`.
Operand exponent_in(Selector &s, const Operand &a, std::int64_t first, std::int64_t count, const Operand &also) {
    const Operand above = make(s, "LEA", {high(a), number(-(first << 21)), number(1)}); // the sign leaves the word
    return make_predicate(s, "ISETP.LT.U32.AND", {above, number(count << 21), also});
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

/// a / b to nearest. The exponents leave room for the quotient and for the last bit of the remainder.
Operand nearest_quotient(Selector &s, const Operand &a, const Operand &b) {
    const Operand fits_a = exponent_in(s, a, 513, 1021, always());
    const Operand fits_b = exponent_in(s, b, 513, 1021, fits_a);
    const Operand fits = make_predicate(s, "ISETP.LT.U32.AND", {low(b), number(0xffffff80), fits_b});
    const Operand minus_b = negated(b);
    Operand inverse = rough_reciprocal(s, b);
    for (unsigned step = 0; step < 2; ++step) {
        inverse = fma(s, inverse, fma(s, minus_b, inverse, double_number(kOne)), inverse);
    }
    const Operand near = product(s, a, inverse);
    const Operand result = common(s, 2);
    emit_to(s, define(result.reg, 2), "DFMA", {fma(s, minus_b, near, a), inverse, near});
    in_two_ways(s, fits, [&] { s.move(define(result.reg, 2), divide(s, a, b, "")); });
    return result;
}

/// 1 / a to nearest. The usual way is that of normal numbers whose reciprocal is one.
Operand nearest_reciprocal(Selector &s, const Operand &a) {
    const Operand fits = exponent_in(s, a, 1, 2044, always());
    const Operand minus_a = negated(a);
    const Operand rough = rough_reciprocal(s, a);
    const Operand error = fma(s, minus_a, rough, double_number(kOne));
    const Operand near = fma(s, rough, fma(s, error, error, error), rough);
    const Operand result = common(s, 2);
    emit_to(s, define(result.reg, 2), "DFMA", {near, fma(s, minus_a, near, double_number(kOne)), near});
    in_two_ways(s, fits, [&] {
        const Operand one = s.in_register(wide_number(static_cast<std::int64_t>(kOne)));
        s.move(define(result.reg, 2), divide(s, one, a, ""));
    });
    return result;
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

/// The root of a to nearest. The usual way is that of positive numbers with room for the last bit of the remainder.
Operand nearest_root(Selector &s, const Operand &a) {
    const Operand above = make(s, "IADD3", {high(a), number(-(54 << 20)), zero()});
    const Operand fits = make_predicate(s, "ISETP.LT.U32.AND", {above, number(1993 << 20), always()});
    const Operand rough = rough_inverse_root(s, a);
    const Operand half_rough = pair(s, low(rough), make(s, "IADD3", {high(rough), number(-(1 << 20)), zero()}));
    // With e = 1 - a y^2 the root a y and the inverse root y both lack the factor 1 + e/2 + 3/8 e^2 ...
    const Operand first = product(s, a, rough);
    const Operand error = fma(s, negated(first), rough, double_number(kOne));
    const Operand half = s.in_register(wide_number(static_cast<std::int64_t>(kHalf)));
    const Operand missing = product(s, error, fma(s, error, double_number(kThreeEighths), half));
    const Operand near = fma(s, first, missing, first);
    const Operand half_inverse = fma(s, half_rough, missing, half_rough);
    const Operand result = common(s, 2);
    emit_to(s, define(result.reg, 2), "DFMA", {fma(s, negated(near), near, a), half_inverse, near});
    in_two_ways(s, fits, [&] { s.move(define(result.reg, 2), square_root(s, a, "")); });
    return result;
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
Operand rough_inverse_of_any(Selector &s, const Operand &a) {
    const NormalDouble parts = normalise(s, upper_part(s, a));
    const Operand inverse = to_double(s, make(s, "MUFU.RCP", {to_single(s, parts.fraction)}));
    const Operand magnitude = mask_with(s, high(inverse), 0x7fffffff);
    const Operand upper = make(s, "IADD3", {negated(parts.exponent), number(0x3ff00000), magnitude});
    const Operand small = make_predicate(s, "ISETP.LT.AND", {upper, number(0x00100000), always()});
    const Operand flushed_upper = choose(s, small, number(0), upper);
    const Operand with_sign = logic(s, high(a), number(0x80000000), flushed_upper, 0xe2);
    return pair(s, zero(), choose(s, parts.special, high(inverse), with_sign));
}

/// The same, where nothing is subnormal by MUFU alone.
Operand rough_inverse(Selector &s, const Operand &a) {
    const Operand fits = exponent_in(s, a, 1, 2044, always());
    const Operand inverse = rough_reciprocal(s, pair(s, zero(), high(a)));
    const Operand result = common(s, 2);
    s.move(define(result.reg, 2), pair(s, zero(), high(inverse)));
    in_two_ways(s, fits, [&] { s.move(define(result.reg, 2), rough_inverse_of_any(s, a)); });
    return result;
}

} // namespace

void select_double_function(Selector &s, const Selection &in) {
    const std::string &opcode = in.instruction.opcode;
    const auto source = [&](std::size_t index) { return s.in_register(s.read(in.operand(index), in.type())); };
    const bool upper_only = in.has("approx") && in.has("ftz");
    const std::string rounding = rounding_of(in);
    const bool nearest = rounding.empty();
    Operand result;
    if (opcode == "rcp" && upper_only) {
        result = rough_inverse(s, source(1));
    } else if (opcode == "rcp" && nearest) {
        result = nearest_reciprocal(s, source(1));
    } else if (opcode == "rcp") {
        const Operand one = s.in_register(wide_number(static_cast<std::int64_t>(kOne)));
        result = divide(s, one, source(1), rounding);
    } else if (opcode == "div") {
        const Operand a = source(1);
        const Operand b = source(2);
        result = nearest ? nearest_quotient(s, a, b) : divide(s, a, b, rounding);
    } else if (opcode == "sqrt") {
        result = nearest ? nearest_root(s, source(1)) : square_root(s, source(1), rounding);
    } else {
        result = upper_only ? without_lower(s, inverse_root(s, upper_part(s, source(1)))) : inverse_root(s, source(1));
    }
    s.write_value(in.operand(0), result, in.type());
}

} // namespace smsim::ptx::select

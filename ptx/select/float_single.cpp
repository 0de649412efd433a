// Selection of rcp, sqrt, div and the approximate functions of single precision.
//
// To nearest, where neither operands nor result are near the ends of the range, reciprocal, square root and quotient
// are improved by fused multiply-adds of single precision, as the machines do it: the last one computes the exact error
// of a result within one unit of the last place and is the only rounding (Markstein). A branch leads the other threads
// to code that is right for all operands. It also serves the other roundings:
//
// The model's reciprocal and square root are rounded correctly to nearest, including subnormal numbers. For the other
// roundings the error of that result is computed exactly in double precision, and its sign decides whether the
// neighbour is needed.
//
// A quotient is computed in double precision with an error below 2^-52, and without error where it has 25 bits or
// fewer. No other quotient of two numbers of 24 bits is nearer than 2^-49 to a number of 25 bits, so the one rounding
// to single precision is that of the exact quotient, in every direction.
//
// The approximate functions scale subnormal sources, which the machines' special-function unit does not take, unless
// .ftz makes them zeros.
#include "ptx/select/float.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

constexpr std::uint32_t kOne = 0x3f800000;
constexpr std::uint32_t kLeastNormal = 0x00800000;
constexpr std::uint32_t kTwoTo24 = 0x4b800000;
constexpr std::uint64_t kDoubleOne = 0x3ff0000000000000;

Operand source(Selector &s, const Selection &in, std::size_t index) {
    return s.in_register(s.read(in.operand(index), in.type()));
}

void give(Selector &s, const Selection &in, const std::string &mnemonic, const std::vector<Operand> &sources) {
    emit_to(s, s.write(in.operand(0), in.type()), mnemonic, sources);
}

/// `value` as result: subnormal numbers as zeros under .ftz.
void give_flushed(Selector &s, const Selection &in, const Operand &value) {
    s.write_value(in.operand(0), flushed(s, in, value), in.type());
}

Operand to_double(Selector &s, const Operand &a) {
    return make(s, "F2F.F64.F32", {a}, 2);
}

/// y with 1 added to its bits where `larger` holds and subtracted where `smaller` does.
Operand stepped(Selector &s, const Operand &y, const Operand &larger, const Operand &smaller) {
    const Operand below = make(s, "IADD3.X", {y, number(0xffffffff), zero(), negated(smaller)});
    return make(s, "IADD3.X", {below, zero(), zero(), larger});
}

Operand product(Selector &s, const Operand &a, const Operand &b) {
    return make(s, "FMUL", {a, b});
}

Operand fma(Selector &s, const Operand &a, const Operand &b, const Operand &c) {
    return make(s, "FFMA", {a, b, c});
}

/// `function` of a with subnormal sources scaled by 2^24; the caller restores the result where `small` holds.
struct Scaled {
    Operand result;
    Operand small; ///< the source was subnormal or zero
};
Scaled scaled_function(Selector &s, const std::string &function, const Operand &a) {
    const Operand small = make_predicate(s, "FSETP.LT.AND", {absolute(a), single(kLeastNormal), always()});
    const Operand scale = choose(s, small, number(kTwoTo24), number(kOne));
    return {make(s, "MUFU." + function, {product(s, a, scale)}), small};
}

/// An approximate function whose result is multiplied by `factor` where the source was scaled.
void give_scaled(Selector &s, const Selection &in, const std::string &function, std::uint32_t factor) {
    const Operand a = source(s, in, 1);
    if (in.has("ftz")) {
        return give(s, in, "MUFU." + function + ".FTZ", {a});
    }
    const Scaled scaled = scaled_function(s, function, a);
    give(s, in, "FMUL", {scaled.result, choose(s, scaled.small, number(factor), number(kOne))});
}

/// 1 / a, to nearest, of numbers whose reciprocal is a normal number.
void select_nearest_reciprocal(Selector &s, const Selection &in) {
    const Operand a = flushed(s, in, source(s, in, 1));
    const Operand result = common(s);
    // Exponents 1 to 252: with 3 added, 4 and more of 8 bits.
    const Operand shifted = mask_with(s, make(s, "IADD3", {a, number(0x01800000), zero()}), 0x7f800000);
    const Operand fits = make_predicate(s, "ISETP.GT.U32.AND", {shifted, number(0x01ffffff), always()});
    in_two_ways(
        s, fits, [&] { emit_to(s, define(result.reg), "MUFU.RCP", {a}); },
        [&] {
            const Operand rough = make(s, "MUFU.RCP", {a});
            const Operand error = make(s, "FADD", {negated(fma(s, rough, a, single(0xbf800000))), negated(zero())});
            emit_to(s, define(result.reg), "FFMA", {rough, error, rough});
        });
    give_flushed(s, in, result);
}

/// The root of a, to nearest, of numbers from 2^-101 on.
void select_nearest_root(Selector &s, const Selection &in) {
    const Operand a = flushed(s, in, source(s, in, 1));
    const Operand result = common(s);
    const Operand inverse = make(s, "MUFU.RSQ", {a});
    const Operand above = make(s, "IADD3", {a, number(-0x0d000000), zero()});
    const Operand fits = make_predicate(s, "ISETP.LE.U32.AND", {above, number(0x727fffff), always()});
    in_two_ways(
        s, fits, [&] { emit_to(s, define(result.reg), "MUFU.SQRT", {a}); },
        [&] {
            const Operand root = product(s, a, inverse);
            const Operand half = product(s, inverse, single(0x3f000000));
            emit_to(s, define(result.reg), "FFMA", {fma(s, negated(root), root, a), half, root});
        });
    s.write_value(in.operand(0), result, in.type());
}

void select_reciprocal(Selector &s, const Selection &in) {
    const std::string rounding = rounding_of(in);
    if (in.has("approx")) {
        return give_scaled(s, in, "RCP", kTwoTo24);
    }
    if (rounding.empty()) {
        return select_nearest_reciprocal(s, in);
    }
    const Operand a = flushed(s, in, source(s, in, 1));
    const Operand y = make(s, "MUFU.RCP", {a});
    const Operand error = make(s, "DFMA", {negated(to_double(s, a)), to_double(s, y), double_number(kDoubleOne)}, 2);
    // Positive: |1/a| is larger than |y|.
    const Operand minus = make_predicate(s, "ISETP.LT.AND", {a, zero(), always()});
    const bool up = rounding == ".RP";
    const Operand grows = rounding == ".RZ" ? never() : up ? negated(minus) : minus;
    const Operand shrinks = rounding == ".RZ" ? always() : up ? minus : negated(minus);
    const Operand larger = make_predicate(s, "DSETP.GT.AND", {error, double_number(0), grows});
    const Operand smaller = make_predicate(s, "DSETP.LT.AND", {error, double_number(0), shrinks});
    give_flushed(s, in, stepped(s, y, larger, smaller));
}

void select_square_root(Selector &s, const Selection &in) {
    const std::string rounding = rounding_of(in);
    if (in.has("approx")) {
        return give_scaled(s, in, "SQRT", 0x39800000); // 2^-12
    }
    if (rounding.empty()) {
        return select_nearest_root(s, in);
    }
    const Operand a = flushed(s, in, source(s, in, 1));
    const Operand y = make(s, "MUFU.SQRT", {a});
    const Operand root = to_double(s, y);
    const Operand error = make(s, "DFMA", {negated(root), root, to_double(s, a)}, 2);
    const bool up = rounding == ".RP";
    const Operand wrong = make_predicate(s, up ? "DSETP.GT.AND" : "DSETP.LT.AND", {error, double_number(0), always()});
    s.write_value(in.operand(0), stepped(s, y, up ? wrong : never(), up ? never() : wrong), in.type());
}

/// div.approx: a times the reciprocal of b.
void select_rough_quotient(Selector &s, const Selection &in) {
    const Operand a = source(s, in, 1);
    if (in.has("ftz")) {
        return give(s, in, "FMUL.FTZ", {a, make(s, "MUFU.RCP.FTZ", {source(s, in, 2)})});
    }
    const Scaled inverse = scaled_function(s, "RCP", source(s, in, 2));
    const Operand back = choose(s, inverse.small, number(kTwoTo24), number(kOne));
    give(s, in, "FMUL", {product(s, a, inverse.result), back});
}

/// div.full: the same with both scaled where the reciprocal of b would leave the range of normal numbers.
void select_full_quotient(Selector &s, const Selection &in) {
    const Operand a = source(s, in, 1);
    const Operand b = flushed(s, in, source(s, in, 2));
    const Operand large = make_predicate(s, "FSETP.GT.AND", {absolute(b), single(0x7e800000), always()});
    const Operand small = make_predicate(s, "FSETP.LT.AND", {absolute(b), single(0x00800000), always()});
    const Operand up = choose(s, small, number(0x4b800000), number(kOne));
    const Operand scale = choose(s, large, number(0x3e800000), up);
    const Operand inverse = make(s, "MUFU.RCP", {make(s, "FMUL", {b, scale})});
    give(s, in, "FMUL" + flush_of(in), {make(s, "FMUL" + flush_of(in), {a, scale}), inverse});
}

/// a / b of any operands, as bits of the result; `in` says the rounding and .ftz.
Operand wide_quotient(Selector &s, const Selection &in, const Operand &a, const Operand &b) {
    const Operand dividend = to_double(s, a);
    const Operand divisor = to_double(s, b);
    Operand rough; // reciprocal of b to 2^-21; exact for zeros, infinities and NaNs
    if (in.has("ftz")) {
        rough = to_double(s, make(s, "MUFU.RCP", {b}));
    } else { // for a subnormal number it would overflow
        const Operand small = make_predicate(s, "FSETP.LT.AND", {absolute(b), single(0x00800000), always()});
        const Operand scale = choose(s, small, number(0x4f800000), number(kOne));
        const Operand inverse = make(s, "MUFU.RCP", {make(s, "FMUL", {b, scale})});
        rough = make(s, "DMUL", {to_double(s, inverse), to_double(s, scale)}, 2);
    }
    const Operand error = make(s, "DFMA", {negated(divisor), rough, double_number(kDoubleOne)}, 2);
    const Operand inverse = make(s, "DFMA", {rough, error, rough}, 2);
    const Operand first = make(s, "DMUL", {dividend, inverse}, 2);
    const Operand rest = make(s, "DFMA", {negated(divisor), first, dividend}, 2);
    const Operand quotient = make(s, "DFMA", {rest, inverse, first}, 2);
    // Zero, or NaN because the steps met an infinity: the plain product is right then.
    const Operand plain = make(s, "DMUL", {dividend, rough}, 2);
    const Operand good = make_predicate(s, "DSETP.GT.AND", {absolute(quotient), double_number(0), always()});
    return make(s, "F2F.F32.F64" + rounding_of(in) + flush_of(in), {choose(s, good, quotient, plain)});
}

/// Whether the exponent field of `field` is in `first` to `first` + `count` - 1, and `also`.
Operand exponent_in(Selector &s, const Operand &field, std::int64_t first, std::int64_t count, const Operand &also) {
    const Operand above = make(s, "IADD3", {field, number(-(first << 23)), zero()});
    return make_predicate(s, "ISETP.LT.U32.AND", {above, number(count << 23), also});
}

/// a / b, to nearest. A quotient of normal numbers with a normal reciprocal of b and room for the remainder's last bit
/// is that of the steps in single precision.
void select_nearest_quotient(Selector &s, const Selection &in) {
    const Operand a = flushed(s, in, source(s, in, 1));
    const Operand b = flushed(s, in, source(s, in, 2));
    const Operand field_a = mask_with(s, a, 0x7f800000);
    const Operand field_b = mask_with(s, b, 0x7f800000);
    const Operand fits_b = exponent_in(s, field_b, 1, 252, always());
    const Operand fits_a = exponent_in(s, field_a, 25, 230, fits_b);
    const Operand difference = make(s, "IADD3", {field_a, negated(field_b), number(125 << 23)});
    const Operand fits = make_predicate(s, "ISETP.LT.U32.AND", {difference, number(251LL << 23), fits_a});

    const Operand rough = make(s, "MUFU.RCP", {b});
    const Operand minus_b = negated(b);
    const Operand inverse = fma(s, rough, fma(s, minus_b, rough, single(kOne)), rough);
    const Operand first = product(s, a, inverse);
    const Operand second = fma(s, inverse, fma(s, minus_b, first, a), first);
    const Operand result = common(s);
    emit_to(s, define(result.reg), "FFMA", {inverse, fma(s, minus_b, second, a), second});
    in_two_ways(s, fits, [&] { s.move(define(result.reg), wide_quotient(s, in, a, b)); });
    s.write_value(in.operand(0), result, in.type());
}

void select_quotient(Selector &s, const Selection &in) {
    if (in.has("approx")) {
        return select_rough_quotient(s, in);
    }
    if (in.has("full")) {
        return select_full_quotient(s, in);
    }
    if (rounding_of(in).empty()) {
        return select_nearest_quotient(s, in);
    }
    s.write_value(in.operand(0),
                  wide_quotient(s, in, flushed(s, in, source(s, in, 1)), flushed(s, in, source(s, in, 2))), in.type());
}

} // namespace

void select_single_function(Selector &s, const Selection &in) {
    const std::string &opcode = in.instruction.opcode;
    if (opcode == "rcp") {
        return select_reciprocal(s, in);
    }
    if (opcode == "sqrt") {
        return select_square_root(s, in);
    }
    if (opcode == "div") {
        return select_quotient(s, in);
    }
    const Operand a = source(s, in, 1);
    if (opcode == "tanh") {
        s.write_value(in.operand(0), hyperbolic_tangent(s, flushed(s, in, a)), in.type());
        return;
    }
    if (opcode == "rsqrt") {
        return give_scaled(s, in, "RSQ", 0x45800000); // 2^12
    }
    if (opcode == "lg2" && !in.has("ftz")) {
        const Scaled scaled = scaled_function(s, "LG2", a);
        const Operand less = choose(s, scaled.small, number(0xc1c00000), number(0)); // -24
        return give(s, in, "FADD", {scaled.result, less});
    }
    const std::string function = opcode == "sin" ? "SIN" : opcode == "cos" ? "COS" : opcode == "lg2" ? "LG2" : "EX2";
    give(s, in, "MUFU." + function + flush_of(in), {a});
}

Operand hyperbolic_tangent(Selector &s, const Operand &a) {
    // 1 - 2 / (2^(2 |a| log2 e) + 1), and below 1/4, where that loses digits, a - a^3/3 + 2 a^5/15.
    constexpr std::uint32_t kTwoLog2E = 0x4038aa3b;
    constexpr std::uint32_t kTwo15ths = 0x3e088889;
    constexpr std::uint32_t kMinusThird = 0xbeaaaaab;
    const Operand scaled = make(s, "FMUL", {absolute(a), single(kTwoLog2E)});
    const Operand sum = make(s, "FADD", {make(s, "MUFU.EX2", {scaled}), single(kOne)});
    const Operand minus_two = s.in_register(number(0xc0000000));
    const Operand large = make(s, "FFMA", {make(s, "MUFU.RCP", {sum}), minus_two, single(kOne)});
    const Operand signed_large = logic(s, a, number(0x80000000), large, 0xe2);
    const Operand square = make(s, "FMUL", {a, a});
    const Operand third = s.in_register(number(kMinusThird));
    const Operand series = make(s, "FMUL", {make(s, "FFMA", {square, single(kTwo15ths), third}), square});
    const Operand small = logic(s, a, number(0x80000000), make(s, "FFMA", {series, a, a}), 0xe2); // tanh(-0) is -0
    const Operand near = make_predicate(s, "FSETP.LT.AND", {absolute(a), single(0x3e800000), always()});
    return choose(s, near, small, signed_large);
}

} // namespace smsim::ptx::select

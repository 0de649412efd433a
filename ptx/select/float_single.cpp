// Selection of rcp, sqrt, div and the approximate functions of single precision.
//
// The model's reciprocal and square root are rounded correctly to nearest, including subnormal numbers. For the other
// roundings the error of that result is computed exactly in double precision, and its sign decides whether the
// neighbour is needed.
//
// A quotient is computed in double precision with an error below 2^-52, and without error where it has 25 bits or
// fewer. No other quotient of two numbers of 24 bits is nearer than 2^-49 to a number of 25 bits, so the one rounding
// to single precision is that of the exact quotient, in every direction.
#include "ptx/select/float.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

constexpr std::uint32_t kOne = 0x3f800000;
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

void select_reciprocal(Selector &s, const Selection &in) {
    const std::string rounding = rounding_of(in);
    if (rounding.empty()) {
        return give(s, in, "MUFU.RCP" + flush_of(in), {source(s, in, 1)});
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
    if (rounding.empty()) {
        return give(s, in, "MUFU.SQRT" + flush_of(in), {source(s, in, 1)});
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
    const Operand inverse = make(s, "MUFU.RCP" + flush_of(in), {source(s, in, 2)});
    give(s, in, "FMUL" + flush_of(in), {a, inverse});
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

void select_exact_quotient(Selector &s, const Selection &in) {
    const Operand a = flushed(s, in, source(s, in, 1));
    const Operand b = flushed(s, in, source(s, in, 2));
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
    give(s, in, "F2F.F32.F64" + rounding_of(in) + flush_of(in), {choose(s, good, quotient, plain)});
}

void select_quotient(Selector &s, const Selection &in) {
    if (in.has("approx")) {
        return select_rough_quotient(s, in);
    }
    if (in.has("full")) {
        return select_full_quotient(s, in);
    }
    select_exact_quotient(s, in);
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
    const std::string function = opcode == "rsqrt" ? "RSQ"
                                 : opcode == "sin" ? "SIN"
                                 : opcode == "cos" ? "COS"
                                 : opcode == "lg2" ? "LG2"
                                                   : "EX2";
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

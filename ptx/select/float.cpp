// Selection of single and double precision: the choice by opcode, sums and products, signs, minimum and maximum.
#include "ptx/select/float.h"

#include <utility>

#include "ptx/select/half.h"

namespace smsim::ptx::select {

using namespace machine;

std::string rounding_of(const Selection &in) {
    return in.has("rz") ? ".RZ" : in.has("rm") ? ".RM" : in.has("rp") ? ".RP" : "";
}

std::string flush_of(const Selection &in) {
    return in.has("ftz") ? ".FTZ" : "";
}

Operand flushed(Selector &s, const Selection &in, const Operand &a) {
    constexpr std::uint32_t kMinusZero = 0x80000000; // adding it changes nothing
    return in.has("ftz") ? make(s, "FADD.FTZ", {a, single(kMinusZero)}) : a;
}

Operand within(Selector &s, const Operand &a, std::uint32_t bound) {
    const Operand below = make(s, "FMNMX", {a, single(bound), always()});
    return make(s, "FMNMX", {below, single(bound | 0x80000000), never()});
}

namespace {

constexpr std::int64_t kSign = 0x80000000;

bool is_double(const Selection &in) {
    return in.type().bits == 64;
}

/// If two types are written (add.f32.f16), all sources but the last one have the second.
Operand source(Selector &s, const Selection &in, std::size_t index) {
    if (in.types.size() > 1 && index + 1 < in.operands()) {
        return widened(s, s.in_register(s.read(in.operand(index), in.type(1))), in.type(1));
    }
    return s.read(in.operand(index), in.type());
}

void give(Selector &s, const Selection &in, const std::string &mnemonic, const std::vector<Operand> &sources) {
    emit_to(s, s.write(in.operand(0), in.type()), mnemonic, sources);
}

/// The second or third source: a number if the instruction accepts it.
Operand with_number(Selector &s, const Selection &in, const Operand &value) {
    return is_double(in) ? as_double(s, value) : as_single(value);
}

std::string modifiers(const Selection &in) {
    return rounding_of(in) + flush_of(in) + (in.has("sat") ? ".SAT" : "");
}

/// -x of a register or number.
Operand opposite(const Selection &in, const Operand &value) {
    if (!is_number(value)) {
        return negated(value);
    }
    return is_double(in)
               ? wide_number(static_cast<std::int64_t>(static_cast<std::uint64_t>(value.value) ^ (1ULL << 63)))
               : number(value.value ^ kSign);
}

/// FADD of double precision and the like have no .SAT.
void select_sum(Selector &s, const Selection &in) {
    const Operand a = source(s, in, 1);
    const Operand b = in.instruction.opcode == "sub" ? opposite(in, source(s, in, 2)) : source(s, in, 2);
    const bool swap = is_number(a) && !is_number(b);
    const Operand first = swap ? b : s.in_register(a);
    give(s, in, (is_double(in) ? "DADD" : "FADD") + modifiers(in), {first, with_number(s, in, swap ? a : b)});
}

void select_product(Selector &s, const Selection &in) {
    const Operand a = source(s, in, 1);
    const Operand b = source(s, in, 2);
    const bool swap = is_number(a) && !is_number(b);
    const Operand first = swap ? b : s.in_register(a);
    give(s, in, (is_double(in) ? "DMUL" : "FMUL") + modifiers(in), {first, with_number(s, in, swap ? a : b)});
}

void select_fused(Selector &s, const Selection &in) {
    Operand a = source(s, in, 1);
    Operand b = source(s, in, 2);
    const Operand c = source(s, in, 3);
    if (is_number(a) && !is_number(b)) {
        std::swap(a, b);
    }
    const Operand third = is_number(b) ? s.in_register(c) : with_number(s, in, c);
    give(s, in, (is_double(in) ? "DFMA" : "FFMA") + modifiers(in), {s.in_register(a), with_number(s, in, b), third});
}

/// Only the sign changes: NaNs keep their bits, subnormal numbers are unchanged unless .ftz is written.
void select_sign(Selector &s, const Selection &in) {
    const bool negate = in.instruction.opcode == "neg";
    const Operand a = s.in_register(source(s, in, 1));
    const Operand mask = number(negate ? kSign : 0x7fffffff);
    const Operand table = number(negate ? 0x3c : 0xc0);
    if (is_double(in)) {
        const Register result = s.temporary(2);
        s.undefined(result);
        s.emit("MOV", {define(result, 1, 0), low(a)});
        s.emit("LOP3", {define(result, 1, 1), high(a), mask, zero(), table});
        s.write_value(in.operand(0), use(result, 2), in.type());
        return;
    }
    give(s, in, "LOP3", {flushed(s, in, a), mask, zero(), table});
}

void select_copysign(Selector &s, const Selection &in) {
    // The sign of a, the rest of b: the sign's bit chooses.
    constexpr unsigned kChoice = 0xe2;
    const Operand a = s.in_register(source(s, in, 1));
    const Operand b = s.in_register(source(s, in, 2));
    if (is_double(in)) {
        const Operand upper = logic(s, high(a), number(kSign), high(b), kChoice);
        s.write_value(in.operand(0), pair(s, low(b), upper), in.type());
        return;
    }
    give(s, in, "LOP3", {a, number(kSign), b, number(kChoice)});
}

/// min and max of double precision, which the model lacks: -0 is less than +0, a NaN gives way to a number.
void select_double_extreme(Selector &s, const Selection &in) {
    const bool smallest = in.instruction.opcode == "min";
    const Operand a = s.in_register(source(s, in, 1));
    const Operand b = s.in_register(source(s, in, 2));
    const Operand a_number = make_predicate(s, "DSETP.NUM.AND", {a, a, always()});
    const Operand a_wins = make_predicate(s, smallest ? "DSETP.LTU.AND" : "DSETP.GTU.AND", {a, b, a_number});
    const Operand equal = make_predicate(s, "DSETP.EQ.AND", {a, b, always()});
    const Operand chosen = choose(s, a_wins, a, b);
    // Equal numbers can only differ in the sign of a zero.
    const Operand upper = logic(s, high(a), high(b), zero(), smallest ? 0xfc : 0xc0);
    const Operand result = pair(s, low(chosen), choose(s, equal, upper, high(chosen)));
    give(s, in, "DADD", {result, double_number(1ULL << 63)}); // makes a NaN canonical
}

void select_single_extreme(Selector &s, const Selection &in) {
    const Operand minimum = in.instruction.opcode == "min" ? always() : never();
    const Operand a = s.in_register(source(s, in, 1));
    const Operand b = source(s, in, 2);
    const bool magnitudes = in.has("abs");
    const bool number_only = !in.has("NaN") && !in.has("xorsign");
    const std::string mnemonic = "FMNMX" + flush_of(in);
    const Operand x = magnitudes ? absolute(a) : a;
    const Operand y = magnitudes ? absolute(s.in_register(b)) : as_single(b);
    if (number_only) {
        return give(s, in, mnemonic, {x, y, minimum});
    }
    Operand result = make(s, mnemonic, {x, y, minimum});
    if (in.has("xorsign")) {
        const Operand nan = make_predicate(s, "FSETP.NAN.AND", {result, result, always()});
        const Operand sign = mask_with(s, logic(s, a, b, zero(), 0x3c), static_cast<std::uint32_t>(kSign));
        const Operand with_sign = logic(s, result, number(0x7fffffff), sign, 0xea);
        result = choose(s, nan, result, with_sign);
    }
    if (in.has("NaN")) {
        const Operand nan = make_predicate(s, "FSETP.NAN.AND", {a, as_single(b), always()});
        result = choose(s, nan, number(0x7fffffff), result);
    }
    s.write_value(in.operand(0), result, in.type());
}

} // namespace

NormalDouble normalise(Selector &s, const Operand &a) {
    constexpr std::uint32_t kExponent = 0x7ff00000;
    constexpr std::uint64_t kTwoTo54 = 0x4350000000000000;
    const Operand field = mask_with(s, high(a), kExponent);
    const Operand small = make_predicate(s, "ISETP.EQ.AND", {field, zero(), always()});
    const Operand scaled = choose(s, small, make(s, "DMUL", {a, double_number(kTwoTo54)}, 2), a);
    const Operand scaled_field = mask_with(s, high(scaled), kExponent);
    const Operand moved = make(s, "IADD3", {scaled_field, number(-0x00100000), zero()});
    NormalDouble result;
    result.special = make_predicate(s, "ISETP.GE.U32.AND", {moved, number(0x7fe00000), always()});
    result.exponent = choose(s, small, make(s, "IADD3", {scaled_field, number(-(54 << 20)), zero()}), scaled_field);
    const Operand rest = mask_with(s, high(scaled), 0x800fffff);
    const Operand fraction = logic(s, rest, number(0x3ff00000), zero(), 0xfc);
    result.fraction = pair(s, low(scaled), choose(s, result.special, high(scaled), fraction));
    return result;
}

bool select_float(Selector &s, const Selection &in) {
    const std::string &opcode = in.instruction.opcode;
    if (in.types.empty() || in.type().kind != TypeClass::kFloat || in.type().bits == 16) {
        return false;
    }
    if (opcode == "add" || opcode == "sub") {
        select_sum(s, in);
    } else if (opcode == "mul") {
        select_product(s, in);
    } else if (opcode == "fma" || opcode == "mad") {
        select_fused(s, in);
    } else if (opcode == "neg" || opcode == "abs") {
        select_sign(s, in);
    } else if (opcode == "copysign") {
        select_copysign(s, in);
    } else if (opcode == "min" || opcode == "max") {
        is_double(in) ? select_double_extreme(s, in) : select_single_extreme(s, in);
    } else if (opcode == "rcp" || opcode == "sqrt" || opcode == "rsqrt" || opcode == "div" || opcode == "sin" ||
               opcode == "cos" || opcode == "lg2" || opcode == "ex2" || opcode == "tanh") {
        is_double(in) ? select_double_function(s, in) : select_single_function(s, in);
    } else {
        return false;
    }
    return true;
}

} // namespace smsim::ptx::select

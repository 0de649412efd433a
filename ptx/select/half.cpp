// Selection of 16-bit floats, f16 and bf16, single and in pairs: sums, products and fused multiply-adds are HADD2,
// HMUL2 and HFMA2; everything else is computed in single precision and rounded once more.
#include "ptx/select/half.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "ptx/instruction_table.h"
#include "ptx/select/float.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// The properties of f16, bf16, f16x2 or bf16x2.
struct Format {
    bool brain = false;
    unsigned lanes = 1;

    std::uint32_t exponent() const { return brain ? 0x7f80 : 0x7c00; }
    std::uint32_t one() const { return brain ? 0x3f80 : 0x3c00; }
    std::uint32_t greatest_as_single() const { return brain ? 0x7f7f0000 : 0x477fe000; }
};

bool is_half(Type type) {
    return type.name == "f16" || type.name == "f16x2" || type.name == "bf16" || type.name == "bf16x2";
}

Format format_of(Type type) {
    return {type.name.starts_with("b"), type.bits / 16};
}

/// Element `lane` of a value; the bits above its 16 are unspecified.
Operand element(Selector &s, const Operand &value, unsigned lane) {
    return lane == 0 ? value : make(s, "SHR", {value, number(16)});
}

/// 16 bits with a subnormal number as zero of its sign.
Operand flush_half(Selector &s, const Operand &a, Format format) {
    const Operand field = mask_with(s, a, format.exponent());
    const Operand small = make_predicate(s, "ISETP.EQ.AND", {field, zero(), always()});
    return choose(s, small, mask_with(s, a, 0x8000), a);
}

Operand widen(Selector &s, const Operand &a, Format format) {
    return format.brain ? make(s, "SHL", {a, number(16)}) : make(s, "F2F.F32.F16", {a});
}

Operand narrow(Selector &s, const Operand &a, Format format, const std::string &rounding = "") {
    return make(s, (format.brain ? "F2F.BF16.F32" : "F2F.F16.F32") + rounding, {a});
}

/// 0 instead of a negative number; a NaN is unchanged.
Operand rectified(Selector &s, const Operand &a) {
    const Operand negative = make_predicate(s, "FSETP.LE.AND", {a, single(0), always()});
    return choose(s, negative, number(0), a);
}

/// |a| limited to the greatest finite number; a NaN is unchanged.
Operand finite(Selector &s, const Operand &a, Format format) {
    const Operand inside = within(s, a, format.greatest_as_single());
    const Operand nan = make_predicate(s, "FSETP.NAN.AND", {a, a, always()});
    return choose(s, nan, a, inside);
}

/// The odd one of the two neighbours of an exact result; the result itself when both are the same.
Operand odd_of(Selector &s, const Operand &below, const Operand &above) {
    const Operand last = mask_with(s, below, 1);
    const Operand odd = make_predicate(s, "ISETP.NE.AND", {last, zero(), always()});
    return choose(s, odd, below, above);
}

/// True if `.ftz` refers to the 16-bit floats: in cvt it only refers to single precision.
bool flushes(const Selection &in) {
    return in.has("ftz") && in.instruction.opcode != "cvt";
}

/// Element `lane` of source `index` in single precision.
Operand argument(Selector &s, const Selection &in, std::size_t index, Type type, unsigned lane) {
    const Operand value = s.in_register(s.read(in.operand(index), type));
    const Operand bits = element(s, value, lane);
    const Format format = format_of(type);
    return widen(s, flushes(in) ? flush_half(s, bits, format) : bits, format);
}

/// Applies `.sat` and `.relu` to a result before it is rounded.
Operand limited(Selector &s, const Selection &in, const Operand &a) {
    if (in.has("sat")) {
        return make(s, "FADD.SAT", {a, single(0x80000000)});
    }
    return in.has("relu") ? rectified(s, a) : a;
}

Operand rounded(Selector &s, const Selection &in, const Operand &a, Format format) {
    const Operand bits = narrow(s, limited(s, in, a), format);
    return flushes(in) ? flush_half(s, bits, format) : bits;
}

void give_elements(Selector &s, const Selection &in, const std::array<Operand, 2> &bits, unsigned lanes) {
    if (lanes == 1) {
        return s.write_value(in.operand(0), bits[0], in.type());
    }
    s.emit("PRMT", {s.write(in.operand(0), in.type()), bits[0], number(0x5410), bits[1]});
}

/// Calls `compute(lane)` for the 16 bits of each element and writes the destination.
template <typename Compute> void for_elements(Selector &s, const Selection &in, Compute compute) {
    std::array<Operand, 2> bits;
    const unsigned lanes = format_of(in.type()).lanes;
    for (unsigned lane = 0; lane < lanes; ++lane) {
        bits[lane] = compute(lane);
    }
    give_elements(s, in, bits, lanes);
}

/// add, sub, mul and fma: one instruction for a pair. A single element is the lower half; the result of the upper one
/// is in the bits above its 16, which are unspecified.
void select_arithmetic(Selector &s, const Selection &in) {
    const Type type = in.type();
    const std::string &opcode = in.instruction.opcode;
    std::string mnemonic = opcode == "mul" ? "HMUL2" : opcode == "fma" ? "HFMA2" : "HADD2";
    mnemonic += format_of(type).brain ? ".BF16_V2" : "";
    mnemonic += flushes(in) ? ".FTZ" : "";
    mnemonic += in.has("sat") ? ".SAT" : in.has("relu") ? ".RELU" : "";
    std::vector<Operand> sources;
    for (std::size_t index = 1; index < in.operands(); ++index) {
        const Operand value = s.in_register(s.read(in.operand(index), type));
        sources.push_back(opcode == "sub" && index == 2 ? negated(value) : value);
    }
    s.write_value(in.operand(0), make(s, mnemonic, std::move(sources)), type);
}

void select_sign(Selector &s, const Selection &in) {
    const bool negate = in.instruction.opcode == "neg";
    const Type type = in.type();
    const auto change = [&](const Operand &a, std::uint32_t signs) {
        return logic(s, a, number(negate ? signs : ~signs), zero(), negate ? 0x3c : 0xc0);
    };
    const Operand a = s.in_register(s.read(in.operand(1), type));
    if (!in.has("ftz")) {
        return s.write_value(in.operand(0), change(a, 0x80008000), type);
    }
    for_elements(s, in,
                 [&](unsigned lane) { return change(flush_half(s, element(s, a, lane), format_of(type)), 0x8000); });
}

void select_extreme(Selector &s, const Selection &in) {
    const Type type = in.type();
    const Operand minimum = in.instruction.opcode == "min" ? always() : never();
    for_elements(s, in, [&](unsigned lane) {
        const Operand a = argument(s, in, 1, type, lane);
        const Operand b = argument(s, in, 2, type, lane);
        const bool magnitudes = in.has("abs");
        Operand result = make(s, "FMNMX", {magnitudes ? absolute(a) : a, magnitudes ? absolute(b) : b, minimum});
        if (in.has("xorsign")) {
            const Operand nan = make_predicate(s, "FSETP.NAN.AND", {result, result, always()});
            // Tests the sources before conversion: the single precision of a NaN has no sign.
            const Operand one = element(s, s.in_register(s.read(in.operand(1), type)), lane);
            const Operand other = element(s, s.in_register(s.read(in.operand(2), type)), lane);
            const Operand differs = make(s, "SHL", {logic(s, one, other, zero(), 0x3c), number(16)});
            const Operand sign = mask_with(s, differs, 0x80000000);
            result = choose(s, nan, result, logic(s, result, number(0x7fffffff), sign, 0xea));
        }
        if (in.has("NaN")) {
            const Operand nan = make_predicate(s, "FSETP.NAN.AND", {a, b, always()});
            result = choose(s, nan, number(0x7fffffff), result);
        }
        return narrow(s, result, format_of(type));
    });
}

std::string comparison(const Selection &in) {
    const std::string name = upper_case(modifier_among("FCMP", in.instruction.modifiers));
    const std::string tail = in.has("or") ? ".OR" : in.has("xor") ? ".XOR" : ".AND";
    return "FSETP." + name + tail;
}

void select_setp(Selector &s, const Selection &in) {
    const Type type = in.type();
    const ptx::Operand &destination = in.operand(0);
    const bool both = destination.kind == ptx::OperandKind::kPair;
    const Operand other = in.operands() > 3 ? s.read_predicate(in.operand(3)) : always();
    const Operand p = s.write_predicate(both ? destination.elements[0] : destination);
    const Operand q = both ? s.write_predicate(destination.elements[1]) : always();
    const Operand a = argument(s, in, 1, type, 0);
    const Operand b = argument(s, in, 2, type, 0);
    if (format_of(type).lanes == 1) {
        s.emit(comparison(in), {p, q, a, b, other});
        return;
    }
    // For pairs: the first predicate for the lower elements, the second one for the upper ones.
    const Operand a_high = argument(s, in, 1, type, 1);
    const Operand b_high = argument(s, in, 2, type, 1);
    const Operand lower = make_predicate(s, comparison(in), {a, b, other});
    const Operand upper = make_predicate(s, comparison(in), {a_high, b_high, other});
    s.emit("PSETP.AND.AND", {p, always(), lower, always(), always()});
    s.emit("PSETP.AND.AND", {q, always(), upper, always(), always()});
}

void select_set(Selector &s, const Selection &in) {
    const Type to = in.type(0);
    const Type from = in.type(1);
    const Operand other = in.operands() > 3 ? s.read_predicate(in.operand(3)) : always();
    const bool from_half = is_half(from);
    const std::uint32_t yes = is_half(to) ? format_of(to).one() : to.bits == 16 ? 0xffff : 0xffffffff;
    const unsigned lanes = from_half ? format_of(from).lanes : 1;
    std::array<Operand, 2> bits;
    for (unsigned lane = 0; lane < lanes; ++lane) {
        const Operand a = argument(s, in, 1, from, lane);
        const Operand b = argument(s, in, 2, from, lane);
        const Operand holds = make_predicate(s, comparison(in), {a, b, other});
        const std::uint32_t value = lanes == 2 ? yes & 0xffff : yes;
        bits[lane] = choose(s, holds, number(value), zero());
    }
    give_elements(s, in, bits, lanes);
}

void select_function(Selector &s, const Selection &in) {
    const Type type = in.type();
    for_elements(s, in, [&](unsigned lane) {
        const Operand a = argument(s, in, 1, type, lane);
        const Operand result = in.instruction.opcode == "tanh" ? hyperbolic_tangent(s, a) : make(s, "MUFU.EX2", {a});
        return rounded(s, in, result, format_of(type));
    });
}

/// A source of cvt in single precision, so that one more rounding to bf16 is right.
Operand as_single_source(Selector &s, const Operand &value, Type from) {
    if (is_half(from)) {
        return widen(s, value, format_of(from));
    }
    if (from.kind == TypeClass::kFloat && from.bits == 32) {
        return value;
    }
    const std::string mnemonic = from.kind == TypeClass::kFloat ? "F2F.F32.F64" : "I2F.F32." + upper_case(from.name);
    const Operand below = make(s, mnemonic + ".RM", {value});
    return odd_of(s, below, make(s, mnemonic + ".RP", {value}));
}

/// 16 bits of the type `to` from `value`.
Operand convert_element(Selector &s, const Selection &in, const Operand &value, Type from, Format to) {
    const bool adjusts = in.has("relu") || in.has("satfinite") || in.has("sat");
    const bool direct = !to.brain && !adjusts;
    if (direct && from.kind == TypeClass::kFloat && from.bits == 64) {
        return make(s, "F2F.F16.F64" + rounding_of(in), {value});
    }
    if (direct && from.kind != TypeClass::kFloat && !is_half(from)) {
        return make(s, "I2F.F16." + upper_case(from.name) + rounding_of(in), {value});
    }
    Operand number = as_single_source(s, value, from);
    if (in.has("satfinite")) {
        number = finite(s, number, to);
    }
    return narrow(s, limited(s, in, number), to, rounding_of(in));
}

void convert_to_half(Selector &s, const Selection &in) {
    const Type to = in.type(0);
    const Type from = in.type(1);
    const Format format = format_of(to);
    std::array<Operand, 2> bits;
    for (unsigned lane = 0; lane < format.lanes; ++lane) { // the first source is the upper element
        const Operand value = s.in_register(s.read(in.operand(format.lanes - lane), from));
        const bool flush = in.has("ftz") && from.kind == TypeClass::kFloat && from.bits == 32;
        bits[lane] = convert_element(s, in, flush ? flushed(s, in, value) : value, from, format);
    }
    if (format.lanes == 2) {
        return give_elements(s, in, bits, 2);
    }
    s.write_value(in.operand(0), bits[0], to);
}

std::string integral_rounding(const Selection &in) {
    return in.has("rni") ? ".RNI" : in.has("rmi") ? ".FLOOR" : in.has("rpi") ? ".CEIL" : in.has("rzi") ? ".TRUNC" : "";
}

void convert_from_half(Selector &s, const Selection &in) {
    const Type to = in.type(0);
    Operand value = argument(s, in, 1, in.type(1), 0);
    if (in.has("ftz") && to.kind == TypeClass::kFloat && to.bits == 32) { // bf16 has the exponents of f32
        value = flushed(s, in, value);
    }
    if (to.kind != TypeClass::kFloat) {
        const std::string mnemonic = "F2I." + upper_case(to.name) + ".F32" + integral_rounding(in);
        return s.write_value(in.operand(0), make(s, mnemonic, {value}, words_of_type(to)), to);
    }
    if (to.bits == 64) {
        s.emit(std::string("F2F.F64.F32") + (in.has("sat") ? ".SAT" : ""), {s.write(in.operand(0), to), value});
        return;
    }
    s.write_value(in.operand(0), limited(s, in, value), to);
}

/// cvt.rni.f16.f16 and the like.
void convert_to_integral(Selector &s, const Selection &in) {
    const Format format = format_of(in.type());
    Operand value = argument(s, in, 1, in.type(1), 0);
    if (!integral_rounding(in).empty()) {
        value = make(s, "F2F.F32.F32" + integral_rounding(in), {value});
    }
    s.write_value(in.operand(0), narrow(s, limited(s, in, value), format), in.type());
}

} // namespace

Operand widened(Selector &s, const Operand &value, Type type) {
    return widen(s, value, format_of(type));
}

bool select_half_conversion(Selector &s, const Selection &in) {
    if (in.types.size() < 2 || (!is_half(in.type(0)) && !is_half(in.type(1)))) {
        return false;
    }
    if (is_half(in.type(0)) && in.type(0) == in.type(1)) {
        convert_to_integral(s, in);
    } else if (is_half(in.type(0))) {
        convert_to_half(s, in);
    } else {
        convert_from_half(s, in);
    }
    return true;
}

bool select_half(Selector &s, const Selection &in) {
    const std::string &opcode = in.instruction.opcode;
    const bool any = std::ranges::any_of(in.types, is_half);
    if (!any || opcode == "cvt") {
        return false;
    }
    if (opcode == "add" || opcode == "sub" || opcode == "mul" || opcode == "fma") {
        select_arithmetic(s, in);
    } else if (opcode == "neg" || opcode == "abs") {
        select_sign(s, in);
    } else if (opcode == "min" || opcode == "max") {
        select_extreme(s, in);
    } else if (opcode == "setp") {
        select_setp(s, in);
    } else if (opcode == "set") {
        select_set(s, in);
    } else if (opcode == "ex2" || opcode == "tanh") {
        select_function(s, in);
    } else {
        return false;
    }
    return true;
}

} // namespace smsim::ptx::select

// Selection of comparisons and of selections by them: setp, set, selp, slct, testp.
#include <algorithm>
#include <array>
#include <string>

#include "ptx/instruction_table.h"
#include "ptx/select/integer.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// The model's name of a PTX comparison: those of unsigned numbers have their own names.
std::string comparison(std::string_view modifier) {
    return modifier == "lo"   ? "LT"
           : modifier == "ls" ? "LE"
           : modifier == "hi" ? "GT"
           : modifier == "hs" ? "GE"
                              : upper_case(modifier);
}

/// The model's name of "and", "or", "xor" of setp and set; AND by default.
std::string combination(const Selection &in) {
    return in.has("or") ? ".OR" : in.has("xor") ? ".XOR" : ".AND";
}

bool combines(const Selection &in) {
    return in.has("and") || in.has("or") || in.has("xor");
}

/// Emits the comparison of setp or set to p (and q).
void compare_to(Selector &s, const Selection &in, Type type, const Operand &p, const Operand &q) {
    const std::string compare = comparison(modifier_among("UCMP|FCMP", in.instruction.modifiers));
    const Operand other = combines(in) ? s.read_predicate(in.operand(3)) : always();
    const std::string tail = combination(in);
    const Operand b = argument(s, in, 2, type);
    if (type.kind == TypeClass::kFloat) {
        const Operand a = s.in_register(s.read(in.operand(1), type));
        const bool wide = type.bits == 64;
        const std::string mnemonic =
            (wide ? "DSETP." : "FSETP.") + compare + tail + (in.has("ftz") && !wide ? ".FTZ" : "");
        s.emit(mnemonic, {p, q, a, wide ? as_double(s, b) : as_single(b), other});
        return;
    }
    const Operand a = argument(s, in, 1, type);
    const bool with_signs = is_signed(type);
    if (type.bits < 64) {
        s.emit("ISETP." + compare + (with_signs ? "" : ".U32") + tail, {p, q, in_word(s, a), b, other});
        return;
    }
    if (!combines(in) && !q.has_register()) {
        emit_comparison(s, p, compare, !with_signs, a, b);
        return;
    }
    const Operand result = compare_integers(s, compare, !with_signs, a, b);
    s.emit("PSETP.AND" + tail, {p, q, result, always(), other});
}

void select_setp(Selector &s, const Selection &in) {
    const ptx::Operand &destination = in.operand(0);
    const bool both = destination.kind == ptx::OperandKind::kPair;
    const Operand p = s.write_predicate(both ? destination.elements[0] : destination);
    compare_to(s, in, in.type(), p, both ? s.write_predicate(destination.elements[1]) : always());
}

void select_set(Selector &s, const Selection &in) {
    const Register holds = s.temporary_predicate();
    compare_to(s, in, in.type(1), define_predicate(holds), always());
    const std::string_view name = in.type().name;
    const Operand yes = number(name == "f32"    ? 0x3f800000
                               : name == "f16"  ? 0x3c00
                               : name == "bf16" ? 0x3f80
                                                : 0xffffffff);
    give_word(s, in, "SEL", {zero(), yes, if_false(holds)});
}

void give_choice(Selector &s, const Selection &in, const Operand &predicate) {
    const Operand a = raw(s, in, 1);
    const Operand b = raw(s, in, 2);
    if (a.words == 2) {
        return give(s, in, choose(s, predicate, a, b));
    }
    if (is_number(a) && !is_number(b)) {
        return give_word(s, in, "SEL", {b, a, negated(predicate)});
    }
    give_word(s, in, "SEL", {in_word(s, a), b, predicate});
}

void select_selp(Selector &s, const Selection &in) {
    give_choice(s, in, s.read_predicate(in.operand(3)));
}

void select_slct(Selector &s, const Selection &in) {
    const Operand c = s.in_register(s.read(in.operand(3), in.type(1)));
    const bool floats = in.type(1).kind == TypeClass::kFloat;
    const std::string mnemonic = floats ? (in.has("ftz") ? "FSETP.GE.AND.FTZ" : "FSETP.GE.AND") : "ISETP.GE.AND";
    give_choice(s, in, make_predicate(s, mnemonic, {c, zero(), always()}));
}

void select_testp(Selector &s, const Selection &in) {
    const bool wide = in.type().bits == 64;
    const std::string setp = wide ? "DSETP." : "FSETP.";
    const Operand a = s.in_register(raw(s, in, 1));
    const Operand infinity = wide ? double_number(0x7ff0000000000000) : single(0x7f800000);
    const Operand least = wide ? double_number(0x0010000000000000) : single(0x00800000);
    const Operand nothing = wide ? double_number(0) : single(0);
    const Operand p = s.write_predicate(in.operand(0));
    if (in.has("number") || in.has("notanumber")) {
        s.emit(setp + (in.has("number") ? "NUM.AND" : "NAN.AND"), {p, always(), a, a, always()});
    } else if (in.has("finite") || in.has("infinite")) {
        s.emit(setp + (in.has("finite") ? "LT.AND" : "EQ.AND"), {p, always(), absolute(a), infinity, always()});
    } else if (in.has("normal")) {
        const Operand large = make_predicate(s, setp + "GE.AND", {absolute(a), least, always()});
        const Operand normal = make_predicate(s, setp + "LT.AND", {absolute(a), infinity, large});
        s.emit(setp + "EQ.OR", {p, always(), a, nothing, normal}); // zeros count as normal
    } else {
        const Operand small = make_predicate(s, setp + "LT.AND", {absolute(a), least, always()});
        s.emit(setp + "GT.AND", {p, always(), absolute(a), nothing, small});
    }
}

/// True for a type of 16-bit floats, which are compared in half.cpp.
bool is_half(Type type) {
    return (type.kind == TypeClass::kPacked || type.kind == TypeClass::kFloat) &&
           type.name.find("f16") != std::string_view::npos;
}

} // namespace

bool select_compare(Selector &s, const Selection &in) {
    const std::string &opcode = in.instruction.opcode;
    if (opcode == "selp") {
        select_selp(s, in);
    } else if (opcode == "slct") {
        select_slct(s, in);
    } else if (opcode == "testp") {
        select_testp(s, in);
    } else if (opcode == "setp" && !is_half(in.type())) {
        select_setp(s, in);
    } else if (opcode == "set" && !is_half(in.type(1))) {
        select_set(s, in);
    } else {
        return false;
    }
    return true;
}

} // namespace smsim::ptx::select

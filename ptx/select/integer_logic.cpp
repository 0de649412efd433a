// Selection of logic and shifts.
#include "ptx/select/integer.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

unsigned table_of(const std::string &opcode) {
    return opcode == "and" ? 0xc0 : opcode == "or" ? 0xfc : 0x3c;
}

void select_predicate_logic(Selector &s, const Selection &in) {
    const std::string &opcode = in.instruction.opcode;
    const std::string operation = opcode == "and" ? "AND" : opcode == "or" ? "OR" : "XOR";
    s.emit("PSETP." + operation + ".AND", {s.write_predicate(in.operand(0)), always(), s.read_predicate(in.operand(1)),
                                           s.read_predicate(in.operand(2)), always()});
}

} // namespace

void select_logic(Selector &s, const Selection &in) {
    if (in.type().kind == TypeClass::kPredicate) {
        return select_predicate_logic(s, in);
    }
    const unsigned table = table_of(in.instruction.opcode);
    Operand a = raw(s, in, 1);
    Operand b = raw(s, in, 2);
    if (is_number(a)) {
        std::swap(a, b);
    }
    if (in.type().bits < 64) {
        return give_word(s, in, "LOP3", {in_word(s, a), b, zero(), number(table)});
    }
    const Register result = s.temporary(2);
    s.undefined(result);
    for (unsigned i = 0; i < 2; ++i) {
        s.emit("LOP3", {define(result, 1, i), in_word(s, word(a, i)), word(b, i), zero(), number(table)});
    }
    give(s, in, use(result, 2));
}

void select_not(Selector &s, const Selection &in) {
    if (in.type().kind == TypeClass::kPredicate) {
        s.emit("PSETP.AND.AND", {s.write_predicate(in.operand(0)), always(), negated(s.read_predicate(in.operand(1))),
                                 always(), always()});
        return;
    }
    const Operand a = s.in_register(raw(s, in, 1));
    if (in.type().bits < 64) {
        return give_word(s, in, "LOP3", {a, zero(), zero(), number(0x0f)});
    }
    const Register result = s.temporary(2);
    s.undefined(result);
    for (unsigned i = 0; i < 2; ++i) {
        s.emit("LOP3", {define(result, 1, i), word(a, i), zero(), zero(), number(0x0f)});
    }
    give(s, in, use(result, 2));
}

void select_cnot(Selector &s, const Selection &in) {
    const Operand a = argument(s, in, 1, in.type());
    const Operand zeros = compare_integers(s, "EQ", true, a, a.words == 2 ? wide_number(0) : number(0));
    if (a.words == 2) {
        return give(s, in, choose(s, zeros, wide_number(1), wide_number(0)));
    }
    give_word(s, in, "SEL", {zero(), number(1), negated(zeros)});
}

void select_lop3(Selector &s, const Selection &in) {
    const bool with_predicate = in.has("and") || in.has("or");
    const ptx::Operand &destination = in.operand(0);
    const bool both = destination.kind == ptx::OperandKind::kPair;
    const Operand a = in_word(s, raw(s, in, 1));
    const Operand b = in_word(s, raw(s, in, 2));
    const Operand c = raw(s, in, 3);
    const Operand table = number(in.operand(4).value & 0xff);
    const ptx::Operand &value = both ? destination.elements[0] : destination;
    if (!with_predicate) {
        s.emit("LOP3", {s.write(value, in.type()), a, b, c, table});
        return;
    }
    const Operand result = make(s, "LOP3", {a, b, c, table});
    if (both) {
        s.emit(in.has("and") ? "ISETP.NE.AND" : "ISETP.NE.OR",
               {s.write_predicate(destination.elements[1]), always(), result, zero(), s.read_predicate(in.operand(5))});
    }
    s.write_value(value, result, in.type());
}

void select_shift(Selector &s, const Selection &in) {
    const Type type = in.type();
    const Operand amount = s.read(in.operand(2), bits_type(32));
    const bool left = in.instruction.opcode == "shl";
    // A left shift brings in nothing from above the type.
    const Operand a = left ? raw(s, in, 1) : argument(s, in, 1, type);
    if (type.bits == 64) {
        return give(s, in, left ? shift_left(s, a, amount) : shift_right(s, a, amount, is_signed(type)));
    }
    give_word(s, in, left ? "SHL" : is_signed(type) ? "SHR.S32" : "SHR", {in_word(s, a), amount});
}

void select_funnel_shift(Selector &s, const Selection &in) {
    const Operand lower = in_word(s, raw(s, in, 1));
    const Operand upper = raw(s, in, 2);
    const Operand amount = s.read(in.operand(3), bits_type(32));
    const std::string mnemonic = std::string(in.has("l") ? "SHF.L" : "SHF.R") + (in.has("wrap") ? ".W" : "");
    give_word(s, in, mnemonic, {lower, amount, is_number(amount) ? in_word(s, upper) : upper});
}

} // namespace smsim::ptx::select

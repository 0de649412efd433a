// Selection of the carry chains: add.cc, addc, sub.cc, subc, mad.cc, madc.
//
// The flag CC.CF of PTX is a carry after an addition and a borrow after a subtraction; the model's adder gives "no
// borrow". Both the flag and its complement are kept, so that a chain of either kind needs no instruction in between;
// the one that is not read vanishes.
#include "ptx/select/integer.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// Emits IADD3.X for each word: a + b + carry, with b as ~b where `complemented`. Returns the sum; `out` gets the
/// carry.
Operand add_with_carry(Selector &s, const Operand &a, const Operand &b, bool complemented, Operand carry,
                       const Operand &out) {
    const unsigned words = a.words;
    const Register sum = s.temporary(words);
    if (words > 1) {
        s.undefined(sum);
    }
    for (unsigned i = 0; i < words; ++i) {
        Operand x = word(a, i);
        Operand y = word(b, i);
        if (is_number(y)) {
            y = s.in_register(complemented ? number(~y.value) : y);
        } else if (complemented) {
            y = negated(y);
        }
        const bool last = i + 1 == words;
        const Register next = last ? kNoRegister : s.temporary_predicate();
        s.emit("IADD3.X", {define(sum, 1, i), last ? out : define_predicate(next), y, x, zero(), carry});
        carry = if_true(next);
    }
    return use(sum, words);
}

} // namespace

void select_carry(Selector &s, const Selection &in) {
    const std::string &opcode = in.instruction.opcode;
    const bool multiplies = opcode.starts_with("mad");
    const bool subtracts = opcode.starts_with("sub");
    const bool reads = opcode.ends_with("c");
    Operand a = raw(s, in, 1);
    Operand b = raw(s, in, 2);
    if (multiplies) {
        a = product_half(s, a, b, in.has("hi"), is_signed(in.type()));
        b = raw(s, in, 3);
    }
    const Register carry = s.carry();
    const Register no_carry = s.no_carry();
    const Operand taken = !reads ? (subtracts ? always() : never()) : if_true(subtracts ? no_carry : carry);
    const bool writes = in.has("cc");
    const Register out = subtracts ? no_carry : carry;
    const Operand sum = add_with_carry(s, a, b, subtracts, taken, writes ? define_predicate(out) : always());
    if (writes) {
        s.emit("PSETP.AND.AND",
               {define_predicate(subtracts ? carry : no_carry), always(), if_false(out), always(), always()});
    }
    give(s, in, sum);
}

} // namespace smsim::ptx::select

// Selection of multiplications, sums of differences and dot products.
#include "ptx/select/integer.h"

#include <utility>

#include "ptx/type.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// The factors of a product, with a number, if there is one, in the second place.
std::pair<Operand, Operand> factors(Selector &s, const Operand &a, const Operand &b) {
    return is_number(a) ? std::pair(in_word(s, b), a) : std::pair(a, b);
}

/// Emits IMAD with this mnemonic into `to`; numbers in any position.
void multiply_add(Selector &s, const std::string &mnemonic, const Operand &to, const Operand &a, const Operand &b,
                  const Operand &c) {
    const auto [x, y] = factors(s, a, b);
    s.emit(mnemonic, {to, x, y, is_number(y) || c.words > 1 ? in_word(s, c) : c});
}

Operand product(Selector &s, const std::string &mnemonic, const Operand &a, const Operand &b, const Operand &c,
                unsigned words = 1) {
    const Register reg = s.temporary(words);
    multiply_add(s, mnemonic, define(reg, words), a, b, c);
    return use(reg, words);
}

Type doubled(Type type) {
    return type.bits == 16 ? *find_type(is_signed(type) ? "s32" : "u32") : *find_type(is_signed(type) ? "s64" : "u64");
}

std::string with_sign(const std::string &mnemonic, bool is_signed) {
    return is_signed ? mnemonic : mnemonic + ".U32";
}

void multiply_wide(Selector &s, const Selection &in, bool adds) {
    const Type type = in.type();
    const Operand a = argument(s, in, 1, type);
    const Operand b = argument(s, in, 2, type);
    Operand c = adds ? s.read(in.operand(3), doubled(type)) : zero();
    if (is_number(c, 0)) {
        c = zero();
    }
    const Operand to = s.write(in.operand(0), doubled(type));
    multiply_add(s, type.bits == 16 ? "IMAD" : with_sign("IMAD.WIDE", is_signed(type)), to, a, b, c);
}

void multiply_16(Selector &s, const Selection &in, bool adds) {
    const Type type = in.type();
    const Operand c = adds ? raw(s, in, 3) : zero();
    if (in.has("lo")) {
        return multiply_add(s, "IMAD", s.write(in.operand(0), type), raw(s, in, 1), raw(s, in, 2), c);
    }
    const Operand whole = product(s, "IMAD", argument(s, in, 1, type), argument(s, in, 2, type), zero());
    const Operand upper = make(s, "SHR", {whole, number(16)});
    give(s, in, adds ? add_words(s, upper, c) : upper);
}

} // namespace

Operand product_half(Selector &s, const Operand &a, const Operand &b, bool upper, bool is_signed) {
    if (a.words == 1) {
        return product(s, upper ? with_sign("IMAD.HI", is_signed) : "IMAD", a, b, zero());
    }
    if (!upper) {
        return multiply_low(s, a, b, wide_number(0));
    }
    const Operand x = s.in_register(a);
    const Operand y = s.in_register(b);
    Operand result = multiply_high(s, x, y);
    if (is_signed) { // as an unsigned number a negative one is 2^64 too large
        const auto take_off = [&](const Operand &sign_of, const Operand &other) {
            const Operand minus = make_predicate(s, "ISETP.LT.AND", {high(sign_of), zero(), always()});
            result = subtract_pairs(s, result, choose(s, minus, other, wide_number(0)));
        };
        take_off(x, y);
        take_off(y, x);
    }
    return result;
}

void select_multiply(Selector &s, const Selection &in) {
    const bool adds = in.instruction.opcode == "mad";
    const Type type = in.type();
    if (in.has("cc")) {
        return select_carry(s, in);
    }
    if (in.has("wide")) {
        return multiply_wide(s, in, adds);
    }
    if (type.bits == 16) {
        return multiply_16(s, in, adds);
    }
    const Operand a = raw(s, in, 1);
    const Operand b = raw(s, in, 2);
    const Operand c = adds ? raw(s, in, 3) : type.bits == 64 ? wide_number(0) : zero();
    if (type.bits == 64) {
        if (in.has("lo")) {
            return give(s, in, multiply_low(s, is_number(b) ? s.in_register(a) : a, b, c));
        }
        const Operand upper = product_half(s, a, b, true, is_signed(type));
        return give(s, in, adds ? add_pairs(s, upper, c) : upper);
    }
    if (in.has("sat")) {
        return give(s, in, add_saturated(s, product_half(s, a, b, true, true), c, false));
    }
    multiply_add(s, in.has("lo") ? "IMAD" : with_sign("IMAD.HI", is_signed(type)), s.write(in.operand(0), type), a, b,
                 c);
}

void select_multiply_24(Selector &s, const Selection &in) {
    const bool with_signs = is_signed(in.type());
    const bool adds = in.instruction.opcode == "mad24";
    const auto factor = [&](std::size_t index) {
        const Operand upper = make(s, "SHL", {in_word(s, raw(s, in, index)), number(8)});
        return make(s, with_signs ? "SHR.S32" : "SHR", {upper, number(8)});
    };
    const Operand a = factor(1);
    const Operand b = factor(2);
    const Operand c = adds ? raw(s, in, 3) : zero();
    if (in.has("lo")) {
        return give_word(s, in, "IMAD", {a, b, c});
    }
    // Bits 16 to 47 of the product of 48.
    const Operand whole = make(s, with_sign("IMAD.WIDE", with_signs), {a, b, zero()}, 2);
    const Operand upper = make(s, "SHF.R", {low(whole), number(16), high(whole)});
    if (in.has("sat")) {
        return give(s, in, add_saturated(s, upper, c, false));
    }
    give_word(s, in, "IADD3", {upper, c, zero()});
}

void select_sad(Selector &s, const Selection &in) {
    const Type type = in.type();
    const Operand a = argument(s, in, 1, type);
    const Operand b = argument(s, in, 2, type);
    const Operand c = raw(s, in, 3);
    if (type.bits == 64) {
        const Operand less = compare_integers(s, "LT", !is_signed(type), a, b);
        const Operand greatest = choose(s, less, b, a);
        const Operand least = choose(s, less, a, b);
        return give(s, in, add_pairs(s, subtract_pairs(s, greatest, least), c));
    }
    const std::string mnemonic = with_sign("IMNMX", is_signed(type));
    const auto [x, y] = factors(s, a, b);
    const Operand greatest = make(s, mnemonic, {x, y, never()});
    const Operand least = make(s, mnemonic, {x, y, always()});
    give_word(s, in, "IADD3", {negated(least), greatest, in_word(s, c)});
}

void select_dot_product(Selector &s, const Selection &in) {
    const bool two = in.instruction.opcode == "dp2a";
    const Operand a = in_word(s, s.read(in.operand(1), bits_type(32)));
    const Operand b = in_word(s, s.read(in.operand(2), bits_type(32)));
    Operand sum = in_word(s, s.read(in.operand(3), bits_type(32)));
    // Byte `index`, with the selector's nibble 4 (a byte of RZ) or the sign of the byte (bit 3) above it.
    const auto byte = [&](const Operand &value, unsigned index, bool sign) {
        const unsigned fill = sign ? index | 8U : 4U;
        return make(s, "PRMT", {value, number(fill * 0x1110 | index), zero()});
    };
    const auto half = [&](const Operand &value, unsigned index, bool sign) {
        const unsigned fill = sign ? (2 * index + 1) | 8U : 4U;
        return make(s, "PRMT", {value, number(fill * 0x1100 | (2 * index + 1) * 0x10 | 2 * index), zero()});
    };
    const bool a_sign = is_signed(in.type(0));
    const bool b_sign = is_signed(in.type(1));
    const unsigned first = in.has("hi") ? 2 : 0;
    for (unsigned i = 0; i < (two ? 2U : 4U); ++i) {
        const Operand x = two ? half(a, i, a_sign) : byte(a, i, a_sign);
        sum = make(s, "IMAD", {x, byte(b, two ? first + i : i, b_sign), sum});
    }
    s.write_value(in.operand(0), sum, bits_type(32));
}

} // namespace smsim::ptx::select

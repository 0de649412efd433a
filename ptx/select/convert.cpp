// Selection of cvt between integers, and between integers, single and double precision.
#include <algorithm>
#include <cctype>
#include <string>

#include "ptx/select/convert_tensor.h"
#include "ptx/select/float.h"
#include "ptx/select/half.h"
#include "ptx/select/integer.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

std::int64_t greatest(Type type) {
    const unsigned bits = type.bits - (is_signed(type) ? 1 : 0);
    return bits == 64 ? -1 : static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
}

std::int64_t least(Type type) {
    return is_signed(type) ? -greatest(type) - 1 : 0;
}

/// min or max of `value` and a number, in the order of the source's type.
Operand clamp(Selector &s, const Operand &value, std::int64_t bound, bool from_signed, bool minimum) {
    if (value.words == 1) {
        return make(s, from_signed ? "IMNMX" : "IMNMX.U32",
                    {in_word(s, value), number(bound), minimum ? always() : never()});
    }
    const Operand limit = wide_number(bound);
    const Operand inside = compare_integers(s, minimum ? "LT" : "GT", !from_signed, value, limit);
    return choose(s, inside, value, limit);
}

/// `value` of the type `from` (extended to its words) within the range of `to`.
Operand saturate(Selector &s, Operand value, Type from, Type to) {
    const bool from_signed = is_signed(from);
    if (from_signed && (!is_signed(to) || from.bits > to.bits)) {
        value = clamp(s, value, least(to), true, false);
    }
    const unsigned from_digits = from.bits - (from_signed ? 1 : 0);
    const unsigned to_digits = to.bits - (is_signed(to) ? 1 : 0);
    if (from_digits > to_digits) {
        value = clamp(s, value, greatest(to), from_signed, true);
    }
    return value;
}

void convert_integers(Selector &s, const Selection &in) {
    const Type to = in.type(0);
    const Type from = in.type(1);
    Operand value = s.read_extended(in.operand(1), from);
    if (in.has("sat")) {
        value = saturate(s, value, from, to);
    }
    if (to.bits < 64) {
        s.write_value(in.operand(0), low(value), to);
        return;
    }
    if (value.words == 2) {
        s.write_value(in.operand(0), value, to);
        return;
    }
    if (is_number(value)) {
        const auto bits = static_cast<std::uint32_t>(value.value);
        const std::int64_t whole = is_signed(from) ? static_cast<std::int32_t>(bits) : std::int64_t{bits};
        s.write_value(in.operand(0), wide_number(whole), to);
        return;
    }
    // A value saturated to an unsigned type has no sign any more.
    const bool with_sign = is_signed(from) && !(in.has("sat") && !is_signed(to));
    s.write_value(in.operand(0), pair(s, value, with_sign ? make(s, "SHR.S32", {value, number(31)}) : zero()), to);
}

void convert_to_float(Selector &s, const Selection &in) {
    const Type to = in.type(0);
    const Operand value = s.in_register(s.read(in.operand(1), in.type(1)));
    const std::string mnemonic = "I2F." + upper_case(to.name) + "." + upper_case(in.type(1).name) + rounding_of(in);
    const unsigned words = words_of_type(to);
    if (!in.has("sat")) {
        s.emit(mnemonic, {s.write(in.operand(0), to), value});
        return;
    }
    const Operand number = make(s, mnemonic, {value}, words);
    s.emit("F2F." + upper_case(to.name) + "." + upper_case(to.name) + ".SAT", {s.write(in.operand(0), to), number});
}

std::string integral_rounding(const Selection &in) {
    return in.has("rni") ? ".RNI" : in.has("rmi") ? ".FLOOR" : in.has("rpi") ? ".CEIL" : in.has("rzi") ? ".TRUNC" : "";
}

void convert_to_integer(Selector &s, const Selection &in) {
    const Type to = in.type(0);
    const Type from = in.type(1);
    const Operand value = s.in_register(s.read(in.operand(1), from));
    const std::string mnemonic =
        "F2I." + upper_case(to.name) + "." + upper_case(from.name) + integral_rounding(in) + flush_of(in);
    s.write_value(in.operand(0), make(s, mnemonic, {value}, words_of_type(to)), to);
}

void convert_floats(Selector &s, const Selection &in) {
    const Type to = in.type(0);
    const Type from = in.type(1);
    const Operand value = s.in_register(s.read(in.operand(1), from));
    const std::string rounding = integral_rounding(in).empty() ? rounding_of(in) : integral_rounding(in);
    if (to == from && rounding.empty() && !in.has("sat") && !in.has("ftz")) {
        s.write_value(in.operand(0), value, to);
        return;
    }
    s.emit("F2F." + upper_case(to.name) + "." + upper_case(from.name) + rounding + flush_of(in) +
               (in.has("sat") ? ".SAT" : ""),
           {s.write(in.operand(0), to), value});
}

/// cvt.pack: the first source above the second one, both saturated; if narrower than 16 bits, followed by the low bits
/// of a third.
void convert_packed(Selector &s, const Selection &in) {
    const Type to = in.type(0);
    const Type from = in.type(1);
    const auto part = [&](std::size_t index) {
        return saturate(s, in_word(s, s.read(in.operand(index), from)), from, to);
    };
    const Operand upper = part(1);
    const Operand lower = part(2);
    const Operand destination = s.write(in.operand(0), bits_type(32));
    if (to.bits == 16) {
        s.emit("PRMT", {destination, lower, number(0x5410), upper});
        return;
    }
    const Operand rest = in_word(s, s.read(in.operand(3), bits_type(32)));
    if (to.bits == 8) {
        const Operand bytes = make(s, "PRMT", {lower, number(0x0040), upper});
        s.emit("PRMT", {destination, bytes, number(0x5410), rest});
        return;
    }
    const std::uint32_t mask = (1U << to.bits) - 1;
    const Operand above = make(s, "SHL", {mask_with(s, upper, mask), number(to.bits)});
    const Operand moved = make(s, "SHL", {rest, number(std::int64_t{2} * to.bits)});
    s.emit("LOP3", {destination, mask_with(s, lower, mask), above, moved, number(0xfe)});
}

} // namespace

bool select_convert(Selector &s, const Selection &in) {
    if (in.instruction.opcode != "cvt") {
        return false;
    }
    if (in.has("pack")) {
        convert_packed(s, in);
        return true;
    }
    if (select_tensor_conversion(s, in) || select_half_conversion(s, in)) {
        return true;
    }
    const bool to_float = in.type(0).kind == TypeClass::kFloat;
    const bool from_float = in.type(1).kind == TypeClass::kFloat;
    if (to_float && from_float) {
        convert_floats(s, in);
    } else if (to_float) {
        convert_to_float(s, in);
    } else if (from_float) {
        convert_to_integer(s, in);
    } else {
        convert_integers(s, in);
    }
    return true;
}

} // namespace smsim::ptx::select

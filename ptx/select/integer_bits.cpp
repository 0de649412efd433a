// Selection of counting, bit fields and permutations of bytes.
#include "ptx/select/integer.h"

#include <algorithm>
#include <array>

namespace smsim::ptx::select {

using namespace machine;

namespace {

Operand word_argument(Selector &s, const Selection &in, std::size_t index) {
    return s.read(in.operand(index), bits_type(32));
}

void give_count(Selector &s, const Selection &in, const Operand &value) {
    s.write_value(in.operand(0), value, bits_type(32));
}

/// The highest one of a pair: its position, 0xffffffff without one.
Operand leading_of_pair(Selector &s, const Operand &a) {
    const Operand upper = make(s, "FLO", {high(a)});
    const Operand lower = make(s, "FLO", {low(a)});
    const Operand empty = make_predicate(s, "ISETP.EQ.AND", {high(a), zero(), always()});
    return choose(s, empty, lower, make(s, "IADD3", {upper, number(32), zero()}));
}

/// The number of bits that the low byte of a length specifies, at most `limit`.
Operand clamped_byte(Selector &s, const Operand &length, std::int64_t limit) {
    if (is_number(length)) {
        return number(std::min<std::int64_t>(length.value & 0xff, limit));
    }
    return make(s, "IMNMX.U32", {mask_with(s, length, 0xff), number(limit), always()});
}

Operand low_byte(Selector &s, const Operand &value) {
    return is_number(value) ? number(value.value & 0xff) : mask_with(s, value, 0xff);
}

/// minuend - a.
Operand distance(Selector &s, std::int64_t minuend, const Operand &a) {
    return is_number(a) ? number(minuend - a.value) : make(s, "IADD3", {negated(a), number(minuend), zero()});
}

/// The lowest `length` bits of a word or pair, extended.
Operand lowest_bits(Selector &s, const Operand &a, const Operand &length, bool with_sign) {
    const Operand unused = distance(s, 32 * static_cast<std::int64_t>(a.words), length);
    return shift_right(s, shift_left(s, a, unused), unused, with_sign);
}

/// `length` ones from bit 0 on.
Operand ones(Selector &s, const Operand &length, unsigned words) {
    const Operand all = words == 2 ? wide_number(-1) : number(0xffffffff);
    const Operand above = shift_left(s, s.in_register(all), length);
    if (words == 1) {
        return logic(s, above, zero(), zero(), 0x0f);
    }
    return pair(s, logic(s, low(above), zero(), zero(), 0x0f), logic(s, high(above), zero(), zero(), 0x0f));
}

} // namespace

void select_population(Selector &s, const Selection &in) {
    const Operand a = s.in_register(raw(s, in, 1));
    const Operand lower = make(s, "POPC", {low(a)});
    give_count(s, in, a.words == 1 ? lower : add_words(s, lower, make(s, "POPC", {high(a)})));
}

void select_leading_zeros(Selector &s, const Selection &in) {
    const Operand a = s.in_register(raw(s, in, 1));
    const Operand position = a.words == 1 ? make(s, "FLO", {a}) : leading_of_pair(s, a);
    give_count(s, in, distance(s, a.words == 1 ? 31 : 63, position));
}

void select_find_leading(Selector &s, const Selection &in) {
    const Operand a = s.in_register(raw(s, in, 1));
    const bool with_sign = is_signed(in.type());
    if (a.words == 1) {
        const std::string sign = with_sign ? ".S32" : "";
        return give_count(s, in, make(s, "FLO" + sign + (in.has("shiftamt") ? ".SH" : ""), {a}));
    }
    Operand bits = a;
    if (with_sign) { // zeros instead of the sign's copies
        const Operand sign = make(s, "SHR.S32", {high(a), number(31)});
        bits = pair(s, logic(s, low(a), sign, zero(), 0x3c), logic(s, high(a), sign, zero(), 0x3c));
    }
    const Operand position = leading_of_pair(s, bits);
    if (!in.has("shiftamt")) {
        return give_count(s, in, position);
    }
    const Operand none = make_predicate(s, "ISETP.LT.AND", {position, zero(), always()});
    give_count(s, in, choose(s, none, position, distance(s, 63, position)));
}

void select_reverse(Selector &s, const Selection &in) {
    const Operand a = s.in_register(raw(s, in, 1));
    const Operand lower = make(s, "BREV", {low(a)});
    give(s, in, a.words == 1 ? lower : pair(s, make(s, "BREV", {high(a)}), lower));
}

void select_extract(Selector &s, const Selection &in) {
    // Position and length are the low bytes of their operands. Beyond the upper end there are zeros, or the sign: the
    // shift fills up the same way.
    const bool with_sign = is_signed(in.type());
    const Operand a = raw(s, in, 1);
    const Operand position = low_byte(s, word_argument(s, in, 2));
    const Operand length = clamped_byte(s, word_argument(s, in, 3), 32 * static_cast<std::int64_t>(a.words));
    if (a.words == 1 && with_sign && is_number(position) && is_number(length) && length.value != 0 &&
        position.value + length.value <= 32) { // the upper end of the field to that of the word, and back
        const Operand up = make(s, "SHL", {s.in_register(a), number(32 - position.value - length.value)});
        return give_word(s, in, "SHR.S32", {up, number(32 - length.value)});
    }
    const Operand shifted = shift_right(s, a, position, with_sign);
    if (a.words == 1 && is_number(length) && !with_sign) {
        return give(s, in, mask_with(s, shifted, static_cast<std::uint32_t>((std::uint64_t{1} << length.value) - 1)));
    }
    give(s, in, lowest_bits(s, shifted, length, with_sign));
}

void select_insert(Selector &s, const Selection &in) {
    const Operand a = raw(s, in, 1);
    const Operand b = s.in_register(raw(s, in, 2));
    const Operand position = low_byte(s, word_argument(s, in, 3));
    const Operand length = low_byte(s, word_argument(s, in, 4));
    const Operand mask = shift_left(s, ones(s, length, a.words), position);
    const Operand field = shift_left(s, a, position);
    constexpr unsigned kChoice = 0xca; // mask ? field : b
    if (a.words == 1) {
        return give_word(s, in, "LOP3", {mask, field, b, number(kChoice)});
    }
    give(
        s, in,
        pair(s, logic(s, low(mask), low(field), low(b), kChoice), logic(s, high(mask), high(field), high(b), kChoice)));
}

void select_bit_mask(Selector &s, const Selection &in) {
    Operand position = word_argument(s, in, 1);
    Operand length = word_argument(s, in, 2);
    if (in.has("wrap")) {
        position = mask_with(s, position, 31);
        length = mask_with(s, length, 31);
    }
    give_word(s, in, "SHL", {ones(s, length, 1), position});
}

void select_extension(Selector &s, const Selection &in) {
    const Operand length = word_argument(s, in, 2);
    const Operand limited =
        in.has("wrap") ? mask_with(s, length, 31) : make(s, "IMNMX.U32", {in_word(s, length), number(32), always()});
    give(s, in, lowest_bits(s, raw(s, in, 1), limited, is_signed(in.type())));
}

void select_find_nth(Selector &s, const Selection &in) {
    // fns.b32 d, mask, base, offset. Backwards is forwards in the reversed mask.
    const Operand mask = s.in_register(word_argument(s, in, 1));
    const Operand base = s.in_register(word_argument(s, in, 2));
    const Operand offset = s.in_register(word_argument(s, in, 3));
    const Operand backwards = make_predicate(s, "ISETP.LT.AND", {offset, zero(), always()});
    const Operand here = make_predicate(s, "ISETP.EQ.AND", {offset, zero(), always()});
    const Operand bits = choose(s, backwards, make(s, "BREV", {mask}), mask);
    const Operand from = choose(s, backwards, distance(s, 31, base), base);
    const Operand all_above = make(s, "SHL", {s.in_register(number(0xffffffff)), from});
    const Operand only = make(s, "SHL", {s.in_register(number(1)), from});
    Operand rest = logic(s, bits, choose(s, here, only, all_above), zero(), 0xc0);
    // Finds the one in `rest` with `index` others below it: by halves.
    Operand index = choose(s, here, number(0), make(s, "IADD3", {make(s, "IABS", {offset}), number(-1), zero()}));
    const Operand exists = make_predicate(s, "ISETP.GT.U32.AND", {make(s, "POPC", {rest}), index, always()});
    Operand place = zero();
    for (unsigned width = 16; width > 0; width /= 2) {
        const Operand below = make(s, "POPC", {mask_with(s, rest, (1U << width) - 1)});
        const Operand above = make_predicate(s, "ISETP.GE.U32.AND", {index, below, always()});
        index = choose(s, above, make(s, "IADD3", {index, negated(below), zero()}), index);
        rest = choose(s, above, make(s, "SHR", {rest, number(width)}), rest);
        place = choose(s, above, make(s, "IADD3", {place, number(width), zero()}), place);
    }
    const Operand found = choose(s, backwards, distance(s, 31, place), place);
    give(s, in, choose(s, exists, found, number(0xffffffff)));
}

void select_permute(Selector &s, const Selection &in) {
    struct Mode {
        std::string_view name;
        std::array<std::uint16_t, 4> selectors; ///< by the low bits of c
    };
    constexpr std::array kModes = {
        Mode{"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, Mode{"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
        Mode{"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, Mode{"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
        Mode{"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, Mode{"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
    };
    const Operand a = in_word(s, raw(s, in, 1));
    const Operand b = raw(s, in, 2);
    Operand selector = raw(s, in, 3);
    const auto *mode = std::ranges::find_if(kModes, [&](const Mode &one) { return in.has(one.name); });
    if (mode != kModes.end()) {
        const auto &table = mode->selectors;
        if (is_number(selector)) {
            selector = number(table[static_cast<std::size_t>(selector.value & 3)]);
        } else {
            const Operand choices = pair(s, number(table[1] << 16 | table[0]), number(table[3] << 16 | table[2]));
            const Operand bit = make(s, "SHL", {mask_with(s, selector, 3), number(4)});
            selector = low(shift_right(s, choices, bit, false));
        }
    }
    give_word(s, in, "PRMT", {a, selector, is_number(selector) ? in_word(s, b) : b});
}

} // namespace smsim::ptx::select

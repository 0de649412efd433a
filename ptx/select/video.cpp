// Selection of the video instructions: scalar ones on bytes and halves in 64 bits, which hold every intermediate
// result, and those on two halves or four bytes element by element in a word.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/instruction_table.h"
#include "ptx/select/integer.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// Bytes of a word from `first` on.
struct Part {
    unsigned first = 0;
    unsigned bytes = 4;
    unsigned bits() const { return 8 * bytes; }
};

/// The part that a selector names ("b2", "h1"); the whole word without one.
Part part_of(std::string_view selector) {
    if (selector.empty()) {
        return {};
    }
    const unsigned bytes = selector[0] == 'h' ? 2 : 1;
    return {static_cast<unsigned>(selector[1] - '0') * bytes, bytes};
}

/// The extended part of a word.
Operand extracted(Selector &s, const Operand &word, Part part, bool with_sign) {
    std::int64_t selector = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned sign = 8 | (part.first + part.bytes - 1);
        selector |= std::int64_t{i < part.bytes ? part.first + i : with_sign ? sign : 4} << (4 * i);
    }
    return part.bytes == 4 ? word : make(s, "PRMT", {word, number(selector), zero()});
}

/// `rest` with `part` replaced by the low bytes of `value`.
Operand inserted(Selector &s, const Operand &value, Part part, const Operand &rest) {
    std::int64_t selector = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const bool inside = i >= part.first && i < part.first + part.bytes;
        selector |= std::int64_t{inside ? i - part.first : 4 + i} << (4 * i);
    }
    return part.bytes == 4 ? value : make(s, "PRMT", {value, number(selector), rest});
}

Operand word_of(Selector &s, const Selection &in, std::size_t index) {
    return in_word(s, s.read(in.operand(index), bits_type(32)));
}

/// The comparison that vset and similar instructions write.
std::string comparison_of(const Selection &in) {
    return upper_case(modifier_among("SCMP", in.instruction.modifiers));
}

std::int64_t greatest(bool with_sign, unsigned bits) {
    return (std::int64_t{1} << (bits - (with_sign ? 1 : 0))) - 1;
}
std::int64_t least(bool with_sign, unsigned bits) {
    return with_sign ? -(std::int64_t{1} << (bits - 1)) : 0;
}

// --- scalar
// ------------------------------------------------------------------------------------------------------------

/// Source `index` (1 or 2) as 64 bits.
Operand wide_source(Selector &s, const Selection &in, std::size_t index, Type type) {
    const bool with_sign = is_signed(type);
    const Operand word = extracted(s, word_of(s, in, index), part_of(in.operand(index).component), with_sign);
    return pair(s, word, with_sign ? make(s, "SHR.S32", {word, number(31)}) : zero());
}

/// The lesser or greater of `value` and a number.
Operand limited(Selector &s, const Operand &value, std::int64_t bound, bool upper, bool is_unsigned) {
    const Operand inside = compare_integers(s, upper ? "LT" : "GT", is_unsigned, value, wide_number(bound));
    return choose(s, inside, value, wide_number(bound));
}

Operand shifted(Selector &s, const Selection &in, const Operand &a, const Operand &amount) {
    const Operand count =
        in.has("wrap") ? mask_with(s, low(amount), 31) : make(s, "IMNMX.U32", {low(amount), number(32), always()});
    return in.instruction.opcode == "vshl" ? shift_left(s, a, count) : shift_right(s, a, count, true);
}

/// The result before saturation; for vset a word.
Operand scalar_result(Selector &s, const Selection &in) {
    const std::string &opcode = in.instruction.opcode;
    const bool sets = opcode == "vset";
    const Operand a = wide_source(s, in, 1, in.type(sets ? 0 : 1));
    const Operand b = wide_source(s, in, 2, in.type(sets ? 1 : 2));
    if (sets) {
        return choose(s, compare_integers(s, comparison_of(in), false, a, b), in_word(s, number(1)), zero());
    }
    if (opcode == "vadd") {
        return add_pairs(s, a, b);
    }
    if (opcode == "vsub") {
        return subtract_pairs(s, a, b);
    }
    if (opcode == "vshl" || opcode == "vshr") {
        return shifted(s, in, a, b);
    }
    const Operand less = compare_integers(s, "LT", false, a, b);
    if (opcode == "vabsdiff") {
        return choose(s, less, subtract_pairs(s, b, a), subtract_pairs(s, a, b));
    }
    return opcode == "vmin" ? choose(s, less, a, b) : choose(s, less, b, a);
}

void select_scalar(Selector &s, const Selection &in) {
    const bool with_sign = in.instruction.opcode != "vset" && is_signed(in.type());
    const Part target = part_of(in.operand(0).component);
    Operand value = scalar_result(s, in);
    if (in.has("sat")) {
        const bool fills = in.instruction.opcode == "vshl" && !is_signed(in.type(1)); // 32 bits shifted by 32
        value = limited(s, value, greatest(with_sign, target.bits()), true, fills);
        value = limited(s, value, least(with_sign, target.bits()), false, false);
    }
    Operand result = low(value);
    if (in.operands() > 3) {
        const Operand c = word_of(s, in, 3);
        if (in.has("add")) {
            result = add_words(s, result, c);
        } else if (in.has("min") || in.has("max")) {
            result = make(s, with_sign ? "IMNMX" : "IMNMX.U32", {result, c, in.has("min") ? always() : never()});
        } else {
            result = inserted(s, result, target, c);
        }
    }
    s.write_value(in.operand(0), result, bits_type(32));
}

// --- two halves, four bytes
// --------------------------------------------------------------------------------------------

/// Element `lane` of source `index` (1 or 2): the selector names elements of both sources, the first ones those of a.
Operand element(Selector &s, const std::array<Operand, 2> &words, std::string_view selector, unsigned lanes,
                unsigned lane, bool with_sign) {
    const unsigned chosen = static_cast<unsigned>(selector[selector.size() - 1 - lane] - '0');
    const unsigned bytes = 4 / lanes;
    return extracted(s, words[chosen / lanes], {chosen % lanes * bytes, bytes}, with_sign);
}

Operand lane_result(Selector &s, const Selection &in, const std::string &operation, const Operand &x,
                    const Operand &y) {
    if (operation == "vset") {
        return choose(s, compare_integers(s, comparison_of(in), false, x, y), in_word(s, number(1)), zero());
    }
    if (operation == "vmin" || operation == "vmax") {
        return make(s, "IMNMX", {x, y, operation == "vmin" ? always() : never()});
    }
    if (operation == "vsub" || operation == "vabsdiff") {
        const Operand difference = make(s, "IADD3", {x, negated(y), zero()});
        return operation == "vsub" ? difference
                                   : make(s, "IMNMX", {difference, make(s, "IADD3", {y, negated(x), zero()}), never()});
    }
    const Operand sum = make(s, "IADD3", {x, y, zero()});
    if (operation == "vadd") {
        return sum;
    }
    // The average is rounded up, that of a negative sum down.
    const Operand sign = make(s, "SHR.S32", {sum, number(31)});
    const Operand one_more = make(s, "IADD3", {sum, number(1), sign});
    return make(s, "SHR.S32", {one_more, number(1)});
}

void select_lanes(Selector &s, const Selection &in) {
    const std::string &opcode = in.instruction.opcode;
    const std::string operation = opcode.substr(0, opcode.size() - 1);
    const unsigned lanes = opcode.ends_with('2') ? 2 : 4;
    const bool sets = operation == "vset";
    const bool with_sign = !sets && is_signed(in.type());
    const std::array<Operand, 2> words = {word_of(s, in, 1), word_of(s, in, 2)};
    const auto selector = [&](std::size_t index) -> std::string_view {
        const std::string &written = in.operand(index).component;
        if (!written.empty()) {
            return written;
        }
        return index == 1 ? (lanes == 2 ? "h10" : "b3210") : (lanes == 2 ? "h32" : "b7654");
    };
    const std::string &mask = in.operand(0).component;
    Operand result = word_of(s, in, 3);
    for (unsigned lane = 0; lane < lanes; ++lane) {
        if (!mask.empty() && mask.find(static_cast<char>('0' + lane)) == std::string::npos) {
            continue;
        }
        const Operand x = element(s, words, selector(1), lanes, lane, is_signed(in.type(sets ? 0 : 1)));
        const Operand y = element(s, words, selector(2), lanes, lane, is_signed(in.type(sets ? 1 : 2)));
        Operand value = lane_result(s, in, operation, x, y);
        const unsigned bits = 32 / lanes;
        if (in.has("sat")) {
            value = make(s, "IMNMX", {value, number(greatest(with_sign, bits)), always()});
            value = make(s, "IMNMX", {value, number(least(with_sign, bits)), never()});
        }
        result = in.has("add") ? make(s, "IADD3", {in_word(s, result), value, zero()})
                               : inserted(s, value, {lane * bits / 8, bits / 8}, result);
    }
    s.write_value(in.operand(0), result, bits_type(32));
}

} // namespace

bool select_video(Selector &s, const Selection &in) {
    constexpr std::array<std::string_view, 8> kScalar = {"vadd", "vsub", "vabsdiff", "vmin",
                                                         "vmax", "vshl", "vshr",     "vset"};
    constexpr std::array<std::string_view, 7> kLanes = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"};
    const std::string_view opcode = in.instruction.opcode;
    if (std::ranges::find(kScalar, opcode) != kScalar.end()) {
        select_scalar(s, in);
        return true;
    }
    if ((opcode.ends_with('2') || opcode.ends_with('4')) &&
        std::ranges::find(kLanes, opcode.substr(0, opcode.size() - 1)) != kLanes.end()) {
        select_lanes(s, in);
        return true;
    }
    return false;
}

} // namespace smsim::ptx::select

// Selection of cvt from and to tf32 and pairs of 8-bit floats: one F2FP each, but for ties away from zero.
#include "ptx/select/convert_tensor.h"

#include <algorithm>
#include <string>

#include "ptx/select/float.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

bool is_eights(Type type) {
    return type.name == "e4m3x2" || type.name == "e5m2x2";
}

/// A type as F2FP names it: that of an element.
std::string element_name(Type type) {
    const std::string_view name = type.name;
    return upper_case(name.ends_with("x2") ? name.substr(0, name.size() - 2) : name);
}

/// cvt.rna.tf32: F2FP has no such rounding. Half of the last digit is added to the bits and the rest cut off.
void round_away(Selector &s, const Selection &in) {
    constexpr std::uint32_t kHalf = 0x1000;
    constexpr std::uint32_t kCut = 0xffffe000;
    constexpr std::uint32_t kLargest = 0x7f7fe000;
    const Operand a = s.read_register(in.operand(1), in.type(1));
    Operand rounded = mask_with(s, add_words(s, a, number(kHalf)), kCut);
    if (in.has("satfinite")) {
        rounded = within(s, rounded, kLargest);
    }
    const Operand nan = make_predicate(s, "FSETP.NAN.AND", {a, a, always()});
    s.write_value(in.operand(0), choose(s, nan, number(0x7fffffff), rounded), in.type(0));
}

} // namespace

bool select_tensor_conversion(Selector &s, const Selection &in) {
    const auto is_tensor = [](Type type) { return type.name == "tf32" || is_eights(type); };
    if (!std::ranges::any_of(in.types, is_tensor)) {
        return false;
    }
    if (in.has("rna")) {
        round_away(s, in);
        return true;
    }
    const Type to = in.type(0);
    const Type from = in.type(1);
    const std::string mnemonic = "F2FP." + element_name(to) + "_" + element_name(from) + (in.has("rz") ? ".RZ" : "") +
                                 (in.has("satfinite") ? ".SATFINITE" : "") + (in.has("relu") ? ".RELU" : "");
    // A single source is the second one of F2FP.
    const bool both = in.operands() == 3;
    const Operand upper = both ? s.read_register(in.operand(1), from) : zero();
    const Operand lower = s.read_register(in.operand(both ? 2 : 1), from);
    s.write_value(in.operand(0), make(s, mnemonic, {upper, lower}), to);
    return true;
}

} // namespace smsim::ptx::select

// The table of instructions: order, and correct use of its notation.
#include <algorithm>

#include <gtest/gtest.h>

#include "ptx/instruction_table.h"

namespace smsim::ptx {
namespace {

TEST(InstructionTable, IsSortedByOpcode) {
    EXPECT_TRUE(std::ranges::is_sorted(instruction_forms(), {}, &InstructionForm::opcode));
}

TEST(InstructionTable, OperandWordsAreKnownAndRowsExist) {
    for (const InstructionForm &form : instruction_forms()) {
        EXPECT_LE(form.row, 7U) << form.opcode;
        EXPECT_EQ(form.operands.find_first_not_of("dDwePaAbBcukpismvVxylqQzZt/? *"), std::string_view::npos)
            << form.opcode;
        EXPECT_TRUE(form.operands != "*" || !covers_row(form.row) || form.row == 6 || form.opcode == "call")
            << form.opcode;
    }
}

TEST(InstructionTable, OptionalSlotsMayBeLeftOut) {
    const InstructionForm form{"t", 2, "RND? ftz? :f32|f64", "d a"};
    std::vector<Type> types;
    EXPECT_TRUE(match_modifiers(form, {"rn", "ftz", "f32"}, types));
    EXPECT_TRUE(match_modifiers(form, {"f64"}, types));
    EXPECT_EQ(types, std::vector<Type>{*find_type("f64")});
    EXPECT_FALSE(match_modifiers(form, {"rn"}, types));
}

TEST(InstructionTable, ModifiersComeInAnyOrderAndOnce) {
    const InstructionForm form{"t", 2, "RND ftz? :f32|f64 :f32|f64", "d a"};
    std::vector<Type> types;
    EXPECT_TRUE(match_modifiers(form, {"f64", "ftz", "f32", "rn"}, types));
    EXPECT_EQ(types, (std::vector<Type>{*find_type("f64"), *find_type("f32")})) << "types keep their order";
    EXPECT_TRUE(match_modifiers(form, {"ftz", "rn", "f32", "f64"}, types));
    EXPECT_EQ(types, (std::vector<Type>{*find_type("f32"), *find_type("f64")}));
    EXPECT_FALSE(match_modifiers(form, {"ftz", "ftz", "rn", "f32", "f64"}, types));
    EXPECT_FALSE(match_modifiers(form, {"rn", "rn", "f32", "f64"}, types));
    EXPECT_FALSE(match_modifiers(form, {"f64", "ftz", "f32"}, types)) << "the rounding is missing";
    const InstructionForm twice{"t", 2, "cta|gpu? add cta|gpu? :u32", "d a"};
    EXPECT_TRUE(match_modifiers(twice, {"u32", "gpu", "add"}, types));
}

TEST(InstructionTable, WordsThatSelectTheInstructionComeFirst) {
    std::vector<Type> types;
    const auto known = [&](std::string_view opcode, const std::vector<std::string> &modifiers) {
        return std::ranges::any_of(
            forms_of(opcode), [&](const InstructionForm &form) { return match_modifiers(form, modifiers, types); });
    };
    EXPECT_FALSE(known("mul", {"u32", "lo"}));
    EXPECT_FALSE(known("mul", {"s16", "wide"}));
    EXPECT_FALSE(known("mad", {"sat", "hi", "s32"}));
    EXPECT_TRUE(known("mad", {"hi", "s32", "sat"}));
    EXPECT_TRUE(known("mad", {"lo", "u32", "cc"}));
    EXPECT_FALSE(known("bar", {"popc", "red", "u32"}));
    EXPECT_TRUE(known("bar", {"red", "u32", "popc"}));
    EXPECT_FALSE(known("bar", {"sync", "warp"}));
    EXPECT_FALSE(known("barrier", {"red", "cta", "popc", "u32"}));
    EXPECT_TRUE(known("barrier", {"cta", "red", "aligned", "popc", "u32"}));
    EXPECT_TRUE(known("barrier", {"aligned", "sync"}));
    EXPECT_FALSE(known("cvt", {"sat", "pack", "u16", "s32"}));
    EXPECT_TRUE(known("cvt", {"pack", "u16", "s32", "sat"}));
    EXPECT_FALSE(known("cvta", {"global", "to", "u64"}));
    EXPECT_TRUE(known("cvta", {"to", "u64", "global"}));
    EXPECT_FALSE(known("shf", {"wrap", "l", "b32"}));
    EXPECT_TRUE(known("shf", {"l", "b32", "wrap"}));
    EXPECT_FALSE(known("dp2a", {"u32", "lo", "u32"}));
}

} // namespace
} // namespace smsim::ptx

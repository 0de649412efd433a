// The table of instructions: order, and that its own notation is used rightly.
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
        EXPECT_EQ(form.operands.find_first_not_of("dDwePaAbBcukpismvVxylt/? *"), std::string_view::npos) << form.opcode;
        EXPECT_TRUE(form.operands != "*" || form.row == 0 || form.row > kCoveredRows || form.opcode == "call")
            << form.opcode;
    }
}

TEST(InstructionTable, OptionalSlotsMayBeLeftOutAndOrderCounts) {
    const InstructionForm form{"t", 2, "RND? ftz? :f32|f64", "d a"};
    std::vector<Type> types;
    EXPECT_TRUE(match_modifiers(form, {"rn", "ftz", "f32"}, types));
    EXPECT_TRUE(match_modifiers(form, {"f64"}, types));
    EXPECT_EQ(types, std::vector<Type>{*find_type("f64")});
    EXPECT_FALSE(match_modifiers(form, {"ftz", "rn", "f32"}, types));
    EXPECT_FALSE(match_modifiers(form, {"rn"}, types));
}

} // namespace
} // namespace smsim::ptx

// Instruction order, register numbers, loop alignment: the last steps of the compiler, rule by rule.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ptx/machine/alignment.h"
#include "ptx/machine/allocate.h"
#include "ptx/machine/schedule.h"
#include "tb/unit/ptx/code_text.h"

namespace smsim::ptx::test {
namespace {

using namespace machine;

std::string scheduled(const std::string &registers, const std::string &text) {
    return behind([](Function &function) { schedule_blocks(function); }, registers, text);
}

TEST(Schedule, ALoadMovesBeforeIndependentInstructions) {
    EXPECT_EQ(
        scheduled("v0 v1 v2 v3", "L0:\nFADD v1, v0, v0;\nLDS v2, [v0];\nFADD v3, v1, v2;\nSTS [0x0], v3;\nexit\n"),
        "L0:\nLDS v2, [v0];\nFADD v1, v0, v0;\nFADD v3, v1, v2;\nSTS [0x0], v3;\nexit\n");
}

/// A branch waits for its predicate: the code that computes it precedes a chain that takes less time.
TEST(Schedule, ThePredicateOfABranchIsComputedEarly) {
    EXPECT_EQ(
        scheduled(
            "v0 v1 p2",
            "L0:\nFADD v0, v0, v0;\nFADD v0, v0, v0;\nISETP.NE.AND p2, PT, v1, RZ, PT;\nif p2 go L1 else L2\nL1:\n"
            "STS [0x0], v0;\nexit\nL2:\nexit\n"),
        "L0:\nISETP.NE.AND p2, PT, v1, RZ, PT;\nFADD v0, v0, v0;\nFADD v0, v0, v0;\nif p2 go L1 else L2\nL2:\n"
        "exit\nL1:\nSTS [0x0], v0;\nexit\n");
}

/// A pipe takes an instruction every other cycle: instructions of two pipes alternate.
TEST(Schedule, InstructionsOfTwoPipesAlternate) {
    EXPECT_EQ(
        scheduled("v0 v1 v2 v3",
                  "L0:\nFADD v0, v0, v0;\nFADD v1, v1, v1;\nLOP3 v2, v2, v3, RZ, 0xc0;\nLOP3 v3, v3, 0x1, RZ, 0xc0;\n"
                  "STS [0x0], v0;\nSTS [0x4], v1;\nSTS [0x8], v2;\nSTS [0xc], v3;\nexit\n"),
        "L0:\nFADD v0, v0, v0;\nLOP3 v2, v2, v3, RZ, 0xc0;\nFADD v1, v1, v1;\nLOP3 v3, v3, 0x1, RZ, 0xc0;\n"
        "STS [0x0], v0;\nSTS [0x8], v2;\nSTS [0x4], v1;\nSTS [0xc], v3;\nexit\n");
}

/// Register numbers by name.
std::vector<int> numbered(const std::string &registers, const std::string &text, bool rotate, unsigned general = 255) {
    Function function = CodeReader().read(registers, text);
    struct NoCalls : CallEffects {
        RegisterSet none;
        const RegisterSet &clobbered(const Instruction & /*call*/) const override { return none; }
    } calls;
    const Allocation allocation =
        allocate(function, {.general = general, .reserved = {}, .rotate = rotate}, calls, "k.ptx");
    return {allocation.number.begin(), allocation.number.end()};
}

/// The load may still read the register that holds its address when the next value is written.
TEST(Allocate, AKernelTakesARegisterThatNoAccessNearByStillReads) {
    const std::string text =
        "L0:\nS2R v0, SR_TID.X;\nSHL v1, v0, 0x2;\nSTS [v1], v0;\nSHL v2, v0, 0x3;\nSTS [v2], v0;\nexit\n";
    const std::string names = "v0 v1 v2";
    EXPECT_EQ(numbered(names, text, false)[2], numbered(names, text, false)[1]);
    EXPECT_NE(numbered(names, text, true)[2], numbered(names, text, true)[1]);
}

TEST(Allocate, RotationKeepsToTheGranulesThatAreNeededAnyway) {
    std::string names = "v0";
    std::string text = "L0:\nS2R v0, SR_TID.X;\n";
    for (int i = 1; i < 60; i += 2) {
        names += " v" + std::to_string(i) + " v" + std::to_string(i + 1);
        text += "SHL v" + std::to_string(i) + ", v0, 0x2;\nLDS v" + std::to_string(i + 1) + ", [v" + std::to_string(i) +
                "];\nSTS [0x0], v" + std::to_string(i + 1) + ";\n";
    }
    text += "exit";
    for (const int number : numbered(names, text, true)) {
        EXPECT_LT(number, 8);
    }
    for (const int number : numbered(names, text, true, 4)) {
        EXPECT_LT(number, 4);
    }
}

TEST(RoomBefore, ALoopBeginsALineWhereItThenLiesOnFewer) {
    const std::vector<LoopSpan> one = {{5, 12}}; // eight instructions
    EXPECT_EQ(room_before(0, one), 3U);
    EXPECT_EQ(room_before(3, one), 0U);
    EXPECT_EQ(room_before(0, std::vector<LoopSpan>{{5, 7}}), 0U);
    EXPECT_EQ(room_before(0, std::vector<LoopSpan>()), 0U);
}

TEST(RoomBefore, AnInnerLoopCountsMoreThanThoseAroundIt) {
    EXPECT_EQ(room_before(0, std::vector<LoopSpan>{{0, 15}, {4, 11}}), 4U);
    EXPECT_EQ(room_before(0, std::vector<LoopSpan>{{0, 15}}), 0U);
}

TEST(RoomBefore, ALongLoopDoesNotCount) {
    EXPECT_EQ(room_before(0, std::vector<LoopSpan>{{5, 12 + 128}}), 0U);
}

} // namespace
} // namespace smsim::ptx::test

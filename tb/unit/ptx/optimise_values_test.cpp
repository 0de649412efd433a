// Passes on values: the resulting code, rule by rule.
#include <gtest/gtest.h>

#include "ptx/optimise/combine.h"
#include "ptx/optimise/gather.h"
#include "ptx/optimise/offsets.h"
#include "ptx/optimise/propagate.h"
#include "ptx/optimise/share.h"
#include "ptx/optimise/webs.h"
#include "tb/unit/ptx/code_text.h"

namespace smsim::ptx::test {
namespace {

using optimise::combine;
using optimise::gather_words;
using optimise::propagate;
using optimise::share_numbers;
using optimise::split_registers;
using optimise::take_offsets;

// --- split -----------------------------------------------------------------------------------------------------------

TEST(SplitRegisters, DefinitionsThatNoReaderSharesPart) {
    EXPECT_EQ(behind(split_registers, "v0 v1:2",
                     "L0:\n S2R v0, SR_TID.X;\n STS [0x0], v0;\n S2R v0, SR_TID.Y;\n STS [0x4], v0;\n exit\n"),
              "L0:\nS2R v0, SR_TID.X;\nSTS [0x0], v0;\nS2R v2, SR_TID.Y;\nSTS [0x4], v2;\nexit\n");
}

TEST(SplitRegisters, DefinitionsThatMeetStayOne) {
    const std::string both = "L0:\nS2R v0, SR_TID.X;\nISETP.LT.AND p1, PT, v0, 0x4, PT;\nif p1 go L1 else L2\n"
                             "L2:\nMOV v2, 0x1;\ngo L3\nL1:\nMOV v2, 0x2;\ngo L3\nL3:\nSTS [0x0], v2;\nexit\n";
    EXPECT_EQ(behind(split_registers, "v0 p1 v2", both), both);
}

TEST(SplitRegisters, AGuardedDefinitionBelongsToTheOneBefore) {
    const std::string guarded = "L0:\nS2R v0, SR_TID.X;\nISETP.LT.AND p1, PT, v0, 0x4, PT;\nMOV v2, 0x1;\n"
                                "@p1 MOV v2, 0x2;\nSTS [0x0], v2;\nexit\n";
    EXPECT_EQ(behind(split_registers, "v0 p1 v2", guarded), guarded);
}

TEST(SplitRegisters, WordsOfAPairThatIsNeverUsedAsOneAreSplit) {
    EXPECT_EQ(behind(split_registers, "v0:2",
                     "L0:\n S2R v0.0, SR_TID.X;\n S2R v0.1, SR_TID.Y;\n STS [0x0], v0.0;\n STS [0x4], v0.1;\n exit\n"),
              "L0:\nS2R v1, SR_TID.X;\nS2R v2, SR_TID.Y;\nSTS [0x0], v1;\nSTS [0x4], v2;\nexit\n");
}

// --- propagate -------------------------------------------------------------------------------------------------------

TEST(Propagate, CopiesAndNumbersReplaceTheirReads) {
    EXPECT_EQ(
        behind(
            propagate, "v0 v1 v2 v3",
            "L0:\n S2R v0, SR_TID.X;\n MOV v1, v0;\n MOV v2, 0x7;\n IADD3 v3, v2, v1, RZ;\n STS [0x0], v3;\n exit\n"),
        "L0:\nS2R v0, SR_TID.X;\nIADD3 v3, v0, 0x7, RZ;\nSTS [0x0], v3;\nexit\n");
}

TEST(Propagate, AConstantOperandTakesThePlaceOfItsRegister) {
    EXPECT_EQ(
        behind(propagate, "v0 v1 v2",
               "L0:\n S2R v0, SR_TID.X;\n MOV v1, c[0x0][0x160];\n FFMA v2, v1, v0, v0;\n STS [0x0], v2;\n exit\n"),
        "L0:\nS2R v0, SR_TID.X;\nFFMA v2, v0, c[0x0][0x160], v0;\nSTS [0x0], v2;\nexit\n");
}

TEST(Propagate, OnlyOneOperandOfAnInstructionIsNoRegister) {
    EXPECT_EQ(behind(propagate, "v0 v1 v2 v3",
                     "L0:\n S2R v0, SR_TID.X;\n MOV v1, c[0x0][0x160];\n MOV v2, 0x3;\n IMAD v3, v0, v2, v1;\n STS "
                     "[0x0], v3;\n exit\n"),
              "L0:\nS2R v0, SR_TID.X;\nMOV v1, c[0x0][0x160];\nIMAD v3, v0, 0x3, v1;\nSTS [0x0], v3;\nexit\n");
}

TEST(Propagate, NumbersAreFolded) {
    const auto constant = [](const std::string &operation) {
        return behind(propagate, "v0 v1 v2",
                      "L0:\n MOV v0, 0x5;\n MOV v1, 0xffffffff;\n " + operation + ";\n STS [0x0], v2;\n exit\n");
    };
    const auto value = [](const std::string &number) { return "L0:\nMOV v2, " + number + ";\nSTS [0x0], v2;\nexit\n"; };
    EXPECT_EQ(constant("IADD3 v2, v0, -v1, RZ"), value("0x6"));
    EXPECT_EQ(constant("IMAD v2, v0, v0, v1"), value("0x18"));
    EXPECT_EQ(constant("SHL v2, v1, v0"), value("0xffffffe0"));
    EXPECT_EQ(constant("SHR v2, v1, v0"), value("0x7ffffff"));
    EXPECT_EQ(constant("SHR.S32 v2, v1, v0"), value("0xffffffff"));
    EXPECT_EQ(constant("SHL v2, v0, v1"), "L0:\nSTS [0x0], RZ;\nexit\n");
    EXPECT_EQ(constant("LOP3 v2, v0, v1, RZ, 0x3c"), value("0xfffffffa"));
}

TEST(Propagate, ANegatedTermOfASumWithCarryStaysInItsRegister) {
    const std::string sum = "L0:\nS2R v0, SR_TID.X;\nMOV v1, 0x5;\nIADD3 v2, p3, -v1, v0, RZ;\n"
                            "IADD3.X v4, v0, RZ, RZ, p3;\nSTS [0x0], v2;\nSTS [0x4], v4;\nexit\n";
    EXPECT_EQ(behind(propagate, "v0 v1 v2 p3 v4", sum), sum) << "0 - x carries unless x is 0, and -0 does not";
}

TEST(Propagate, ADecidedBranchGoesOneWay) {
    EXPECT_EQ(behind(propagate, "v0 p1",
                     "L0:\n MOV v0, 0x3;\n ISETP.LT.AND p1, PT, v0, 0x4, PT;\n if p1 go L1 else L2\n"
                     "L1:\n STS [0x0], RZ;\n exit\nL2:\n STS [0x4], RZ;\n exit\n"),
              "L0:\ngo L1\nL1:\nSTS [0x0], RZ;\nexit\n");
}

TEST(Propagate, EqualInstructionsBelowOneAnotherComputeOnce) {
    EXPECT_EQ(behind(propagate, "v0 v1 v2 v3",
                     "L0:\n S2R v0, SR_TID.X;\n SHL v1, v0, 0x2;\n SHL v2, v0, 0x2;\n IADD3 v3, v1, v2, RZ;\n STS "
                     "[0x0], v3;\n exit\n"),
              "L0:\nS2R v0, SR_TID.X;\nSHL v1, v0, 0x2;\nIADD3 v3, v1, v1, RZ;\nSTS [0x0], v3;\nexit\n");
}

TEST(Propagate, ClocksAndValuesOfOtherLanesAreReadEachTime) {
    const std::string twice = "L0:\nS2R v0, SR_CLOCK_LO;\nS2R v1, SR_CLOCK_LO;\nSTS [0x0], v0;\nSTS [0x4], v1;\nexit\n";
    EXPECT_EQ(behind(propagate, "v0 v1", twice), twice);
    const std::string votes = "L0:\nVOTE.ANY v0, PT, PT;\nVOTE.ANY v1, PT, PT;\nSTS [0x0], v0;\nSTS [0x4], v1;\nexit\n";
    EXPECT_EQ(behind(propagate, "v0 v1", votes), votes);
}

TEST(Propagate, AVariableReplacesItsCopyUntilItIsWritten) {
    EXPECT_EQ(
        behind(propagate, "v0 v1 v2",
               "L0:\n S2R v0, SR_TID.X;\n MOV v1, v0;\n STS [0x0], v1;\n IADD3 v0, v0, 0x1, RZ;\n STS [0x4], v1;\n"
               " STS [0x8], v0;\n exit\n"),
        "L0:\nS2R v0, SR_TID.X;\nMOV v1, v0;\nSTS [0x0], v0;\nIADD3 v0, v0, 0x1, RZ;\nSTS [0x4], v1;\n"
        "STS [0x8], v0;\nexit\n");
}

TEST(Propagate, TheNumberOfAVariableReplacesItUntilItIsWritten) {
    EXPECT_EQ(behind(propagate, "v0 v1 p2 v3",
                     "L0:\nMOV v0, 0x3;\nMOV v1, v0;\ngo L1\nL1:\nIADD3 v0, v0, 0x1, RZ;\nIADD3 v1, v1, v0, RZ;\n"
                     "ISETP.LT.AND p2, PT, v0, 0x9, PT;\nif p2 go L1 else L2\nL2:\nSTS [0x0], v1;\nexit\n"),
              "L0:\nMOV v0, 0x3;\nMOV v1, 0x3;\ngo L1\nL1:\nIADD3 v0, v0, 0x1, RZ;\nIADD3 v1, v1, v0, RZ;\n"
              "ISETP.LT.AND p2, PT, v0, 0x9, PT;\nif p2 go L1 else L2\nL2:\nSTS [0x0], v1;\nexit\n");
}

TEST(Propagate, TheLaneOfAShuffleIsANumberWhereItFitsItsField) {
    EXPECT_EQ(behind(propagate, "v0 v1 v2 v3 v4",
                     "L0:\n S2R v0, SR_TID.X;\n MOV v1, 0x1f;\n MOV v2, 0x20;\n SHFL.IDX PT, v3, v0, v1, RZ;\n"
                     " SHFL.IDX PT, v4, v0, v2, RZ;\n STS [0x0], v3;\n STS [0x4], v4;\n exit\n"),
              "L0:\nS2R v0, SR_TID.X;\nMOV v2, 0x20;\nSHFL.IDX PT, v3, v0, 0x1f, RZ;\nSHFL.IDX PT, v4, v0, v2, RZ;\n"
              "STS [0x0], v3;\nSTS [0x4], v4;\nexit\n");
}

TEST(Propagate, TheOppositeOfAComparisonIsItsPredicateNegated) {
    EXPECT_EQ(
        behind(propagate, "v0 p1 p2",
               "L0:\n S2R v0, SR_TID.X;\n FSETP.GT.AND p1, PT, v0, v0, PT;\n FSETP.LEU.AND p2, PT, v0, v0, PT;\n"
               " @p1 STS [0x0], v0;\n @p2 STS [0x4], v0;\n exit\n"),
        "L0:\nS2R v0, SR_TID.X;\nFSETP.GT.AND p1, PT, v0, v0, PT;\n@p1 STS [0x0], v0;\n@!p1 STS [0x4], v0;\nexit\n");
}

// --- gather ----------------------------------------------------------------------------------------------------------

TEST(GatherWords, WordsAreComputedWhereAPairWantsThem) {
    EXPECT_EQ(
        behind(
            gather_words, "v0 v1 v2:2",
            "L0:\n S2R v0, SR_TID.X;\n S2R v1, SR_TID.Y;\n MOV v2.0, v0;\n MOV v2.1, v1;\n STS.64 [0x0], v2;\n exit\n"),
        "L0:\nS2R v2.0, SR_TID.X;\nS2R v2.1, SR_TID.Y;\nSTS.64 [0x0], v2;\nexit\n");
}

const std::string kLoop = "L0:\nMOV v0, 0x0;\ngo L1\nL1:\n";

TEST(GatherWords, ANewValueOfAVariableIsComputedInIt) {
    EXPECT_EQ(behind(gather_words, "v0 v1 p2",
                     kLoop + " IADD3 v1, v0, 0x1, RZ;\n MOV v0, v1;\n ISETP.LT.AND p2, PT, v1, 0x9, PT;\n if p2 go L1 "
                             "else L2\nL2:\n exit\n"),
              kLoop + "IADD3 v0, v0, 0x1, RZ;\nISETP.LT.AND p2, PT, v0, 0x9, PT;\nif p2 go L1 else L2\nL2:\nexit\n");
}

TEST(GatherWords, AVariableThatIsReadInBetweenKeepsItsOldValue) {
    const std::string loop = kLoop +
                             "IADD3 v1, v0, 0x1, RZ;\nSTS [0x0], v0;\nMOV v0, v1;\nISETP.LT.AND p2, PT, v1, 0x9, PT;\n"
                             "if p2 go L1 else L2\nL2:\nexit\n";
    EXPECT_EQ(behind(gather_words, "v0 v1 p2", loop), loop);
}

TEST(GatherWords, TwoSuccessiveNewValuesAreKeptApart) {
    // v1 is read after the second new value is made: it must not become v0, which then holds that value.
    const std::string loop =
        kLoop + "IADD3 v1, v0, 0x1, RZ;\nMOV v0, v1;\nIADD3 v3, v0, 0x2, RZ;\nSTS [0x0], v1;\nMOV v0, v3;\n"
                "ISETP.LT.AND p2, PT, v3, 0x9, PT;\nif p2 go L1 else L2\nL2:\nexit\n";
    EXPECT_EQ(behind(gather_words, "v0 v1 p2 v3", loop),
              kLoop + "IADD3 v0, v0, 0x1, RZ;\nIADD3 v3, v0, 0x2, RZ;\nSTS [0x0], v0;\nMOV v0, v3;\n"
                      "ISETP.LT.AND p2, PT, v3, 0x9, PT;\nif p2 go L1 else L2\nL2:\nexit\n");
}

// --- combine ---------------------------------------------------------------------------------------------------------

std::string combined(const std::string &registers, const std::string &text, const std::string &end) {
    return behind(combine, registers,
                  "L0:\n S2R v0, SR_TID.X;\n S2R v1, SR_TID.Y;\n" + text + "\n " + end + "\n exit\n");
}
std::string expected(const std::string &text) {
    return "L0:\nS2R v0, SR_TID.X;\nS2R v1, SR_TID.Y;\n" + text + "\nexit\n";
}

TEST(Combine, AShiftedTermIsLea) {
    EXPECT_EQ(combined("v0 v1 v2 v3", "SHL v2, v0, 0x2;\nIADD3 v3, v2, v1, RZ;", "STS [0x0], v3;"),
              expected("LEA v3, v0, v1, 0x2;\nSTS [0x0], v3;"));
}

TEST(Combine, AProductAndASumAreImad) {
    EXPECT_EQ(combined("v0 v1 v2 v3", "IMAD v2, v0, 0x18, RZ;\nIADD3 v3, v1, v2, RZ;", "STS [0x0], v3;"),
              expected("IMAD v3, v0, 0x18, v1;\nSTS [0x0], v3;"));
}

TEST(Combine, ThreeTermsAreOneSum) {
    EXPECT_EQ(combined("v0 v1 v2 v3", "IADD3 v2, v0, -v1, RZ;\nIADD3 v3, -v2, 0x5, RZ;", "STS [0x0], v3;"),
              expected("IADD3 v3, -v0, 0x5, v1;\nSTS [0x0], v3;"));
}

TEST(Combine, ATermThatOthersReadStays) {
    const std::string sum = "SHL v2, v0, 0x2;\nIADD3 v3, v2, v1, RZ;\nSTS [0x0], v3;";
    EXPECT_EQ(combined("v0 v1 v2 v3", sum, "STS [0x4], v2;"), expected(sum + "\nSTS [0x4], v2;"));
}

TEST(Combine, LogicOfThreeInputsIsOneLop3) {
    // (a & b) | ~c
    EXPECT_EQ(combined("v0 v1 v2 v3 v4", "S2R v4, SR_TID.Z;\nLOP3 v2, v0, v1, RZ, 0xc0;\nLOP3 v3, v2, v4, RZ, 0xf3;",
                       "STS [0x0], v3;"),
              expected("S2R v4, SR_TID.Z;\nLOP3 v3, v0, v1, v4, 0xd5;\nSTS [0x0], v3;"));
}

TEST(Combine, OffsetsGoIntoAddresses) {
    EXPECT_EQ(combined("v0 v1 v2", "IADD3 v2, v0, 0xfffffffc, RZ;", "STS [v2+0x10], v1;"),
              expected("STS [v0+0xc], v1;"));
    EXPECT_EQ(
        combined("v0 v1 v2:2 v3:2 p4",
                 "IMAD.WIDE v2, v0, 0x4, RZ;\nIADD3 v3.0, p4, v2.0, 0x20, RZ;\nIADD3.X v3.1, PT, v2.1, RZ, RZ, p4;",
                 "STG [v3], v1;"),
        expected("IMAD.WIDE v2, v0, 0x4, RZ;\nSTG [v2+0x20], v1;"));
}

TEST(Combine, AnOffsetBeyondTheFieldStays) {
    const std::string far = "IADD3 v2, v0, 0x7fffff, RZ;\nSTS [v2+0x4], v1;";
    EXPECT_EQ(combined("v0 v1 v2", far, ""), expected(far));
}

TEST(Combine, AProductAddedToAPairIsOneInstruction) {
    EXPECT_EQ(combined("v0 v1 v2:2 v3:2 p4",
                       "IMAD.WIDE v2, v0, 0x4, RZ;\nIADD3 v3.0, p4, v2.0, c[0x0][0x160], RZ;\nIADD3.X v3.1, PT, v2.1, "
                       "c[0x0][0x164], RZ, p4;",
                       "STG [v3], v1;"),
              expected("MOV v5, 0x4;\nIMAD.WIDE v3, v0, v5, c[0x0][0x160];\nSTG [v3], v1;"));
}

/// Words at arbitrary places are made a pair, once for all products that are added to it.
TEST(Combine, AProductAddedToTwoWordsAddsThemAsAPair) {
    const auto sum = [](const std::string &product, const std::string &result) {
        return "IADD3 " + result + ".0, p4, " + product + ".0, v0, RZ;\nIADD3.X " + result + ".1, PT, " + product +
               ".1, v1, RZ, p4;\n";
    };
    EXPECT_EQ(combined("v0 v1 v2:2 v3:2 p4 v5 v6:2 v7:2",
                       "S2R v5, SR_TID.Z;\nIMAD.WIDE v2, v5, 0x4, RZ;\n" + sum("v2", "v3") + "LDG v5, [v3];\n",
                       "STG [v3], v5;"),
              expected("MOV v8.0, v0;\nMOV v8.1, v1;\nS2R v5, SR_TID.Z;\nIMAD.WIDE v3, v5, 0x4, v8;\nLDG v5, [v3];\n"
                       "STG [v3], v5;"));
}

TEST(Combine, AWordShiftedAsAPairIsAProduct) {
    EXPECT_EQ(combined("v0 v1 v2 v3 v4:2 p5",
                       "SHL v2, v0, 0x3;\nSHF.L v3, v0, 0x3, RZ;\nIADD3 v4.0, p5, v2, c[0x0][0x160], RZ;\n"
                       "IADD3.X v4.1, PT, v3, c[0x0][0x164], RZ, p5;",
                       "STG [v4], v1;"),
              expected("MOV v6, 0x8;\nIMAD.WIDE.U32 v4, v0, v6, c[0x0][0x160];\nSTG [v4], v1;"));
}

TEST(Combine, ComparisonsCombineThemselves) {
    const std::string first = "ISETP.LT.AND p2, PT, v0, 0x4, PT;\n";
    EXPECT_EQ(combined("v0 v1 p2 p3 p4", first + "ISETP.EQ.AND p3, PT, v1, 0x1, PT;\nPSETP.OR.AND p4, PT, p2, p3, PT;",
                       "@p4 STS [0x0], v1;\n @p2 STS [0x4], v1;"),
              expected(first + "ISETP.EQ.OR p4, PT, v1, 0x1, p2;\n@p4 STS [0x0], v1;\n@p2 STS [0x4], v1;"));
    EXPECT_EQ(combined("v0 v1 p2 p3 p4",
                       first + "ISETP.EQ.AND p3, PT, v1, 0x1, PT;\nPSETP.AND.AND p4, PT, p2, !p3, PT;",
                       "@p4 STS [0x0], v1;\n @p2 STS [0x4], v1;"),
              expected(first + "ISETP.NE.AND p4, PT, v1, 0x1, p2;\n@p4 STS [0x0], v1;\n@p2 STS [0x4], v1;"));
}

TEST(Combine, AComparisonThatDiffersFromAPredicateSaysSoItself) {
    const std::string first = "ISETP.LT.AND p2, PT, v0, 0x4, PT;\n";
    const auto differ = [&](const std::string &sign) {
        return combined("v0 v1 p2 p3 p4",
                        first + "ISETP.EQ.AND p3, PT, v1, 0x1, PT;\nPSETP.XOR.AND p4, PT, p2, " + sign + "p3, PT;",
                        "@p4 STS [0x0], v1;\n @p2 STS [0x4], v1;");
    };
    const std::string stores = " p4, PT, v1, 0x1, p2;\n@p4 STS [0x0], v1;\n@p2 STS [0x4], v1;";
    EXPECT_EQ(differ(""), expected(first + "ISETP.EQ.XOR" + stores));
    EXPECT_EQ(differ("!"), expected(first + "ISETP.NE.XOR" + stores));
}

TEST(Combine, SignsOfFloatsGoIntoOperands) {
    EXPECT_EQ(combined("v0 v1 v2 v3", "LOP3 v2, v0, 0x80000000, RZ, 0x3c;\nFADD v3, v1, v2;", "STS [0x0], v3;"),
              expected("FADD v3, v1, -v0;\nSTS [0x0], v3;"));
    EXPECT_EQ(combined("v0 v1 v2 v3", "LOP3 v2, v0, 0x7fffffff, RZ, 0xc0;\nFADD v3, v1, -v2;", "STS [0x0], v3;"),
              expected("FADD v3, v1, -|v0|;\nSTS [0x0], v3;"));
}

TEST(Combine, AVariableThatIsWrittenInBetweenIsNotReadLater) {
    const std::string text =
        "L0:\nS2R v0, SR_TID.X;\nIADD3 v1, v0, 0x10, RZ;\nIADD3 v0, v0, 0x1, RZ;\nSTS [v1], v0;\nexit\n";
    EXPECT_EQ(behind(combine, "v0 v1", text), text);
}

// --- offset ----------------------------------------------------------------------------------------------------------

/// Both texts after `S2R v0; S2R v1`, and the first one with its offsets moved into addresses.
void expect_offsets(const std::string &before, const std::string &after) {
    const auto whole = [](const std::string &code) {
        return "L0:\nS2R v0, SR_TID.X;\nS2R v1, SR_TID.Y;\n" + code + "\nexit\n";
    };
    EXPECT_EQ(behind(take_offsets, "v0 v1 v2 v3 v4 v5", whole(before)), whole(after));
}

TEST(TakeOffsets, AnIndexIsScaledWithoutItsNumber) {
    expect_offsets("IADD3 v2, v0, 0x20, RZ;\nSHL v3, v2, 0x2;\nSTS [v3+0x8], v1;",
                   "SHL v6, v0, 0x2;\nSTS [v6+0x88], v1;");
    expect_offsets("IADD3 v2, v0, 0x20, RZ;\nLEA v3, v2, v1, 0x2;\nSTS [v3], v1;",
                   "LEA v6, v0, v1, 0x2;\nSTS [v6+0x80], v1;");
    expect_offsets("IADD3 v2, v0, 0x3, RZ;\nIMAD v3, v2, 0x90, v1;\nSTS [v3], v1;",
                   "IMAD v6, v0, 0x90, v1;\nSTS [v6+0x1b0], v1;");
}

TEST(TakeOffsets, NumbersComeOutOfSeveralOperations) {
    expect_offsets("IADD3 v2, v0, 0x3, RZ;\nSHL v3, v2, 0x2;\nIADD3 v4, v1, 0x10, RZ;\nIADD3 v5, v4, v3, RZ;\n"
                   "STS [v5], v1;",
                   "SHL v6, v0, 0x2;\nIADD3 v7, v1, v6, RZ;\nSTS [v7+0x1c], v1;");
}

TEST(TakeOffsets, ANumberMayBeNegative) {
    expect_offsets("IADD3 v2, v0, 0xffffffff, RZ;\nSHL v3, v2, 0x2;\nSTS [v3+0x8], v1;",
                   "SHL v6, v0, 0x2;\nSTS [v6+0x4], v1;");
}

TEST(TakeOffsets, AnIndexThatOthersReadStaysForThem) {
    expect_offsets("IADD3 v2, v0, 0x20, RZ;\nLEA v3, v2, v1, 0x2;\nSTS [v3], v2;",
                   "IADD3 v2, v0, 0x20, RZ;\nLEA v6, v0, v1, 0x2;\nSTS [v6+0x80], v2;");
}

TEST(TakeOffsets, AVariableIsReadBeforeItIsWrittenAgain) {
    expect_offsets("IADD3 v2, v1, 0x1, RZ;\nSHL v3, v2, 0x2;\nIADD3 v1, v1, v0, RZ;\nSTS [v3], v1;",
                   "SHL v6, v1, 0x2;\nIADD3 v1, v1, v0, RZ;\nSTS [v6+0x4], v1;");
    const std::string written = "IADD3 v2, v1, 0x1, RZ;\nIADD3 v1, v1, v0, RZ;\nSHL v3, v2, 0x2;\nSTS [v3], v1;";
    expect_offsets(written, written);
}

TEST(TakeOffsets, AGuardedDefinitionStays) {
    const std::string guarded = "ISETP.LT.AND p6, PT, v0, 0x4, PT;\nIADD3 v2, v0, 0x1, RZ;\nSHL v3, v0, 0x3;\n"
                                "@p6 SHL v3, v2, 0x2;\nSTS [v3], v0;";
    const std::string whole = "L0:\nS2R v0, SR_TID.X;\n" + guarded + "\nexit\n";
    EXPECT_EQ(behind(take_offsets, "v0 v1 v2 v3 v4 v5 p6", whole), whole);
}

TEST(TakeOffsets, AnOffsetBeyondTheFieldStays) {
    const std::string far = "IADD3 v2, v0, 0x7fffff, RZ;\nSHL v3, v2, 0x2;\nSTS [v3], v1;";
    expect_offsets(far, far);
}

TEST(TakeOffsets, AddressesOf64BitsStay) {
    const std::string wide = "L0:\nS2R v0, SR_TID.X;\nIADD3 v1, v0, 0x20, RZ;\n"
                             "IMAD.WIDE v2, v1, 0x4, RZ;\nSTG [v2], v0;\nexit\n";
    EXPECT_EQ(behind(take_offsets, "v0 v1 v2:2", wide), wide);
}

// --- share -----------------------------------------------------------------------------------------------------------

TEST(ShareNumbers, OneRegisterHoldsANumberForTwoWays) {
    EXPECT_EQ(behind(share_numbers, "v0 p1 v2 v3",
                     "L0:\n S2R v0, SR_TID.X;\n ISETP.LT.AND p1, PT, v0, 0x4, PT;\n if p1 go L1 else L2\n"
                     "L1:\n MOV v2, 0x7;\n STS [v0], v2;\n exit\nL2:\n MOV v3, 0x7;\n STS [v0+0x4], v3;\n exit\n"),
              "L0:\nS2R v0, SR_TID.X;\nISETP.LT.AND p1, PT, v0, 0x4, PT;\nMOV v3, 0x7;\nif p1 go L1 else L2\n"
              "L2:\nSTS [v0+0x4], v3;\nexit\nL1:\nSTS [v0], v3;\nexit\n");
}

} // namespace
} // namespace smsim::ptx::test

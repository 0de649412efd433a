// Condition flags in the oracle: what `.CC` sets, and all tests on them (engines.md "Condition tests").
#include <gtest/gtest.h>

#include <cmath>

#include "tb/oracle/flags.h"
#include "tb/oracle/test_support.h"

namespace smsim::oracle::test {
namespace {

/// Whether a thread that has executed `text` jumps on the test `name`.
bool jumps(const std::string &text, const std::string &name) {
    Bench bench(
        ".engine token_stack\n MOV R8, 0x5; MOV R9, 0x3; MOV R10, 0x80000000; MOV R11, 0xffffffff; MOV R0, 0x1;" +
        text + " BRA CC." + name + ", over; MOV R0, RZ; over: EXIT;");
    bench.launch.block = {1, 1, 1};
    return bench.finish().threads.at(0).registers.at(0) == 1;
}

/// The four flags after `text`, as "ZSCO" with dots for those that are not set.
std::string flags(const std::string &text) {
    std::string set = "....";
    // Z alone or with S is EQU.
    set[0] = jumps(text, "EQU") ? 'Z' : '.';
    set[1] = jumps(text, "SFT") ? 'S' : '.';
    set[2] = jumps(text, "HS") ? 'C' : '.';
    set[3] = jumps(text, "OFT") ? 'O' : '.';
    return set;
}

TEST(OracleFlags, SumsSetZeroSignCarryAndSignedOverflow) {
    EXPECT_EQ(flags("IADD3.CC R1, R8, R9, RZ;"), "....");
    EXPECT_EQ(flags("IADD3.CC RZ, R11, 0x1, RZ;"), "Z.C.");
    EXPECT_EQ(flags("IADD3.CC R1, R10, -0x1, RZ;"), "..CO");
    EXPECT_EQ(flags("IADD3.CC R1, R10, R10, RZ;"), "Z.CO");
    EXPECT_EQ(flags("IADD3.CC R1, R10, R9, RZ;"), ".S..");
}

TEST(OracleFlags, CarryOfASubtractionIsNoBorrow) {
    EXPECT_EQ(flags("IADD3.CC R1, R8, -R9, RZ;"), "..C.");
    EXPECT_EQ(flags("IADD3.CC R1, R9, -R8, RZ;"), ".S..");
    EXPECT_EQ(flags("IADD3.CC R1, R9, -R9, RZ;"), "Z.C.");
    EXPECT_EQ(flags("IADD3.CC R1, RZ, -R10, RZ;"), ".S.O");
    EXPECT_EQ(flags("ISETP.EQ.AND.CC P0, PT, R8, R9, PT;"), "..C.");
    EXPECT_EQ(flags("ISETP.T.AND.CC P0, PT, R9, R8, PT;"), ".S..");
    EXPECT_EQ(flags("ISETP.EQ.U32.AND.CC P0, PT, R10, 0x1, PT;"), "..CO");
}

TEST(OracleFlags, LogicAndFloatsSetZeroAndSignOnly) {
    EXPECT_EQ(flags("LOP3.CC R1, R11, R8, RZ, 0xc0;"), "....");
    EXPECT_EQ(flags("LOP3.CC R1, R11, R10, RZ, 0xc0;"), ".S..");
    EXPECT_EQ(flags("LOP3.CC RZ, RZ, R10, RZ, 0xc0;"), "Z...");
    EXPECT_EQ(flags("FADD.CC R1, RZ, 1.5;"), "....");
    EXPECT_EQ(flags("FADD.CC R1, RZ, -1.5;"), ".S..");
    EXPECT_EQ(flags("FADD.CC R1, -RZ, -0.0;"), "Z...") << "the negative zero is a zero";
    EXPECT_EQ(flags("FMUL.CC R1, RZ, +INF;"), "ZS..");
    EXPECT_EQ(flags("MOV R2, 1.0; FFMA.CC R1, R2, -2.0, RZ;"), ".S..");
}

TEST(OracleFlags, FloatComparesAreUnorderedWithZeroAndSign) {
    EXPECT_EQ(flags("FSETP.GT.AND.CC P0, PT, RZ, 1.0, PT;"), ".S..");
    EXPECT_EQ(flags("FSETP.GT.AND.CC P0, PT, RZ, -1.0, PT;"), "....");
    EXPECT_EQ(flags("FSETP.GT.AND.CC P0, PT, RZ, -0.0, PT;"), "Z...");
    EXPECT_EQ(flags("FSETP.GT.AND.CC P0, PT, RZ, NAN, PT;"), "ZS..");
}

TEST(OracleFlags, AFalseGuardKeepsTheFlags) {
    EXPECT_EQ(flags("IADD3.CC R1, R10, R10, RZ; @!PT LOP3.CC R1, R11, R8, RZ, 0xc0;"), "Z.CO");
}

TEST(OracleFlags, TestsOfADifferenceCompare) {
    const std::uint32_t values[] = {0, 1, 5, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff};
    for (const std::uint32_t a : values) {
        for (const std::uint32_t b : values) {
            const std::uint32_t d = a - b;
            const auto sa = static_cast<std::int32_t>(a);
            const auto sb = static_cast<std::int32_t>(b);
            const bool overflow = std::int64_t{sa} - sb != static_cast<std::int32_t>(d);
            const auto set = static_cast<std::uint8_t>((d == 0 ? kZero : 0) | (d >> 31 != 0 ? kSign : 0) |
                                                       (a >= b ? kCarry : 0) | (overflow ? kOverflow : 0));
            const auto test = [&](ConditionTest which) { return passes(which, set); };
            EXPECT_EQ(test(ConditionTest::kLt), sa < sb) << a << " " << b;
            EXPECT_EQ(test(ConditionTest::kLe), sa <= sb) << a << " " << b;
            EXPECT_EQ(test(ConditionTest::kGt), sa > sb) << a << " " << b;
            EXPECT_EQ(test(ConditionTest::kGe), sa >= sb) << a << " " << b;
            EXPECT_EQ(test(ConditionTest::kEq), a == b);
            EXPECT_EQ(test(ConditionTest::kNe), a != b);
            EXPECT_EQ(test(ConditionTest::kLo), a < b);
            EXPECT_EQ(test(ConditionTest::kLs), a <= b);
            EXPECT_EQ(test(ConditionTest::kHi), a > b);
            EXPECT_EQ(test(ConditionTest::kHs), a >= b);
        }
    }
}

TEST(OracleFlags, TestsThatEndInUAreAlsoTrueForUnordered) {
    const std::uint8_t unordered = kZero | kSign;
    for (const ConditionTest test : {ConditionTest::kLtu, ConditionTest::kEqu, ConditionTest::kLeu, ConditionTest::kGtu,
                                     ConditionTest::kNeu, ConditionTest::kGeu, ConditionTest::kNan}) {
        EXPECT_TRUE(passes(test, unordered)) << condition_test_name(test);
    }
    for (const ConditionTest test : {ConditionTest::kLt, ConditionTest::kEq, ConditionTest::kLe, ConditionTest::kGt,
                                     ConditionTest::kNe, ConditionTest::kGe, ConditionTest::kNum}) {
        EXPECT_FALSE(passes(test, unordered)) << condition_test_name(test);
    }
}

TEST(OracleFlags, TheComplementOfATestHoldsWhereItDoesNot) {
    using enum ConditionTest;
    const std::pair<ConditionTest, ConditionTest> pairs[] = {{kLt, kGeu}, {kLe, kGtu},  {kEq, kNeu},  {kGt, kLeu},
                                                             {kNe, kEqu}, {kGe, kLtu},  {kNum, kNan}, {kOff, kOft},
                                                             {kLo, kHs},  {kSff, kSft}, {kLs, kHi},   {kF, kT}};
    for (const auto &[one, other] : pairs) {
        for (std::uint8_t set = 0; set < 16; ++set) {
            EXPECT_NE(passes(one, set), passes(other, set)) << condition_test_name(one) << " " << int{set};
        }
    }
}

} // namespace
} // namespace smsim::oracle::test

// Results of single instructions in the oracle (docs/records/compute-set.md), each rule once.
#include <gmock/gmock.h>

#include "tb/oracle/test_support.h"

namespace smsim::oracle::test {
namespace {

TEST(OracleInteger, Iadd3NegatesByComplementAndOneAndGivesTheCarry) {
    EXPECT_EQ(compute("MOV R1, 0x7; MOV R2, 0x5; IADD3 R0, P0, R1, -R2, RZ;"), 2U);
    EXPECT_TRUE(compute_predicate("MOV R1, 0x7; MOV R2, 0x5; IADD3 R0, P0, R1, -R2, RZ;"));
    EXPECT_FALSE(compute_predicate("MOV R1, 0x5; MOV R2, 0x7; IADD3 R0, P0, R1, -R2, RZ;"));
}

TEST(OracleInteger, Iadd3XTakesTheCarryInPlaceOfTheOne) {
    EXPECT_EQ(compute("MOV R1, 0x7; MOV R2, 0x5; IADD3.X R0, P0, R1, -R2, RZ, !PT;"), 1U);
    EXPECT_EQ(compute("MOV R1, 0x7; MOV R2, 0x5; IADD3.X R0, P0, R1, R2, RZ, PT;"), 13U);
}

TEST(OracleInteger, ImadGivesLowHighAndWideProducts) {
    const std::string values = "MOV R1, -0x2; MOV R2, 0x3; MOV R3, 0xa; ";
    EXPECT_EQ(compute(values + "IMAD R0, R1, R2, R3;"), 4U);
    EXPECT_EQ(compute(values + "IMAD.HI R0, R1, R2, RZ;"), 0xffffffffU);
    EXPECT_EQ(compute(values + "IMAD.HI.U32 R0, R1, R2, RZ;"), 2U);
    EXPECT_EQ(compute(values + "MOV R6, 0x8; MOV R7, 0x1; IMAD.WIDE R[4:5], R1, R2, R[6:7];", 5), 1U);
    EXPECT_EQ(compute(values + "IMAD.WIDE.U32 R[4:5], R1, R2, RZ;", 5), 2U);
}

TEST(OracleInteger, AWideImmediateIsExtendedAsTheProductIs) {
    EXPECT_EQ(compute("MOV R2, 0x0; IMAD.WIDE R[4:5], R2, R2, -0x1;", 5), 0xffffffffU);
    EXPECT_EQ(compute("MOV R2, 0x0; IMAD.WIDE.U32 R[4:5], R2, R2, 0xffffffff;", 5), 0U);
}

TEST(OracleInteger, LeaIabsAndMinimum) {
    EXPECT_EQ(compute("MOV R1, 0x3; MOV R2, 0x100; LEA R0, R1, R2, 0x4;"), 0x130U);
    EXPECT_EQ(compute("IABS R0, -0x5;"), 5U);
    EXPECT_EQ(compute("IABS R0, 0x80000000;"), 0x80000000U);
    EXPECT_EQ(compute("MOV R1, -0x1; IMNMX R0, R1, 0x1, PT;"), 0xffffffffU);
    EXPECT_EQ(compute("MOV R1, -0x1; IMNMX.U32 R0, R1, 0x1, PT;"), 1U);
    EXPECT_EQ(compute("MOV R1, -0x1; IMNMX R0, R1, 0x1, !PT;"), 1U);
}

TEST(OracleInteger, Lop3LooksBitsUpWithAAsHighestIndexBit) {
    const std::string values = "MOV R1, 0xf0; MOV R2, 0xcc; MOV R3, 0xaa; ";
    EXPECT_EQ(compute(values + "LOP3 R0, R1, R2, R3, 0xe8;"), 0xe8U);
    EXPECT_EQ(compute(values + "LOP3 R0, R1, R2, R3, 0x40;"), 0x40U);
}

TEST(OracleInteger, ShiftsBy32OrMoreGiveZeroOrTheSign) {
    EXPECT_EQ(compute("MOV R1, -0x8; SHL R0, R1, 0x20;"), 0U);
    EXPECT_EQ(compute("MOV R1, -0x8; SHR R0, R1, 0x20;"), 0U);
    EXPECT_EQ(compute("MOV R1, -0x8; SHR.S32 R0, R1, 0x21;"), 0xffffffffU);
    EXPECT_EQ(compute("MOV R1, -0x8; SHR.S32 R0, R1, 0x1;"), 0xfffffffcU);
}

TEST(OracleInteger, ShfShiftsThePairAndClampsOrWraps) {
    const std::string values = "MOV R1, 0x80000001; MOV R2, 0x40000003; ";
    EXPECT_EQ(compute(values + "SHF.L R0, R1, 0x1, R2;"), 0x80000007U);
    EXPECT_EQ(compute(values + "SHF.R R0, R1, 0x1, R2;"), 0xc0000000U);
    EXPECT_EQ(compute(values + "SHF.L R0, R1, 0x21, R2;"), 0x80000001U);
    EXPECT_EQ(compute(values + "SHF.L.W R0, R1, 0x20, R2;"), 0x40000003U);
}

TEST(OracleInteger, PrmtPicksBytesOfThePairOrTheirSigns) {
    EXPECT_EQ(compute("MOV R1, 0x44332211; MOV R2, 0x88776655; PRMT R0, R1, 0xf740, R2;"), 0xff885511U);
}

TEST(OracleInteger, BitCounts) {
    EXPECT_EQ(compute("POPC R0, 0xf0f0;"), 8U);
    EXPECT_EQ(compute("BREV R0, 0x3;"), 0xc0000000U);
    EXPECT_EQ(compute("FLO R0, 0x100;"), 8U);
    EXPECT_EQ(compute("FLO.SH R0, 0x100;"), 23U);
    EXPECT_EQ(compute("FLO.S32 R0, 0xfffffeff;"), 8U);
    EXPECT_EQ(compute("FLO R0, RZ;"), 0xffffffffU);
}

TEST(OracleInteger, SetpWritesTheCombinationAndThatOfTheComplement) {
    EXPECT_TRUE(compute_predicate("MOV R1, -0x1; ISETP.LT.AND P0, P1, R1, 0x1, PT;", 0));
    EXPECT_FALSE(compute_predicate("MOV R1, -0x1; ISETP.LT.AND P0, P1, R1, 0x1, PT;", 1));
    EXPECT_FALSE(compute_predicate("MOV R1, -0x1; ISETP.LT.U32.AND P0, P1, R1, 0x1, PT;", 0));
    EXPECT_TRUE(compute_predicate("ISETP.NE.OR P0, P1, RZ, RZ, PT;", 0));
    EXPECT_FALSE(compute_predicate("ISETP.EQ.XOR P0, P1, RZ, RZ, PT;", 0));
}

TEST(OracleInteger, WhereBothResultsNameOnePredicateTheSecondStays) {
    EXPECT_FALSE(compute_predicate("ISETP.EQ.AND P0, P0, RZ, RZ, PT;"));
}

TEST(OracleInteger, PredicateLogic) {
    EXPECT_TRUE(compute_predicate("PSETP.AND.OR P0, P1, PT, !PT, PT;"));
    EXPECT_TRUE(compute_predicate("PLOP3 P0, P1, PT, !PT, PT, 0x20, 0x0;"));
    EXPECT_FALSE(compute_predicate("PLOP3 P0, P1, PT, !PT, PT, 0x20, 0x0;", 1));
}

TEST(OracleInteger, PredicatesTravelThroughRegistersUnderAMask) {
    EXPECT_EQ(compute("ISETP.EQ.AND P1, PT, RZ, RZ, PT; MOV R1, 0xf5; P2R R0, PR, R1, 0x3;"), 0xf6U);
    EXPECT_FALSE(compute_predicate("ISETP.EQ.AND P1, PT, RZ, RZ, PT; MOV R1, 0x1; R2P PR, R1, 0x3;", 1));
}

TEST(OracleInteger, SelectAndMoveFromConstantAndUniformRegister) {
    EXPECT_EQ(compute("MOV R1, 0x4; SEL R0, R1, 0x5, !PT;"), 5U);
    EXPECT_EQ(compute("MOV R0, c[0x0][0x0];"), static_cast<std::uint32_t>(kBuffer));
    EXPECT_EQ(compute("UMOV UR3, 0x9; MOV R0, UR3;"), 9U);
    EXPECT_EQ(compute("MOV R0, 0x9; MOV R0, RZ;"), 0U);
}

TEST(OracleFloat, RoundsToNearestEvenAndFusesFfma) {
    EXPECT_EQ(compute("MOV R1, 1.5; FADD R0, R1, 2.25;"), 0x40700000U);
    EXPECT_EQ(compute("MOV R1, 1.5; FMUL R0, -R1, 2.0;"), 0xc0400000U);
    // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, which a separately rounded product would lose.
    EXPECT_EQ(compute("MOV R1, 0f3f800800; MOV R2, 0f3f801000; FFMA R0, R1, R1, -R2;"), 0x33800000U);
}

TEST(OracleFloat, ANanIsCanonical) {
    EXPECT_EQ(compute("MOV R1, 0fffc12345; FADD R0, R1, 1.0;"), 0x7fffffffU);
}

TEST(OracleFloat, ComparesOrderedAndUnordered) {
    EXPECT_TRUE(compute_predicate("MOV R1, 1.0; FSETP.LT.AND P0, PT, R1, 2.0, PT;"));
    EXPECT_FALSE(compute_predicate("MOV R1, NAN; FSETP.NE.AND P0, PT, R1, 2.0, PT;"));
    EXPECT_TRUE(compute_predicate("MOV R1, NAN; FSETP.NEU.AND P0, PT, R1, 2.0, PT;"));
}

TEST(OracleFloat, OtherModesAreRefused) {
    for (const char *text : {"FADD.RZ R0, R1, R2; EXIT;", "FMUL.FTZ R0, R1, R2; EXIT;", "MUFU.RCP R0, R1; EXIT;"}) {
        EXPECT_EQ(Bench(text).fail().kind, Failure::Kind::kIllegal) << text;
    }
}

TEST(OracleHalf, EachHalfIsRoundedOnceToNearestEven) {
    EXPECT_EQ(compute("MOV R1, 0x3c004000; HADD2 R0, R1, 0x3c003800;"), 0x40004100U);
    EXPECT_EQ(compute("MOV R1, 0x68006801; HADD2 R0, R1, 0x3c003c00;"), 0x68006802U) << "ties";
    EXPECT_EQ(compute("MOV R1, 0x7bff0001; HMUL2 R0, R1, 0x40003800;"), 0x7c000000U);
    EXPECT_EQ(compute("MOV R1, 0x04008001; HMUL2 R0, R1, 0x38003c00;"), 0x02008001U) << "subnormal numbers stay";
    // Between 2048 and 2050, and the smallest number on one side of the midpoint.
    EXPECT_EQ(compute("MOV R1, 0x42004200; MOV R2, 0x80010001; HFMA2 R0, R1, 0x61566156, R2;"), 0x68006801U);
    EXPECT_EQ(compute("MOV R1, 0x40e040e0; MOV R2, 0x80010000; HFMA2.BF16_V2 R0, R1, 0x42144214, R2;"), 0x43814382U);
}

TEST(OracleHalf, NansAreCanonicalAndZerosHaveTheSignsOfIeee) {
    EXPECT_EQ(compute("MOV R1, 0xfe017c00; HADD2 R0, R1, 0x3c00fc00;"), 0x7fff7fffU);
    EXPECT_EQ(compute("MOV R1, 0x7c00fc00; HMUL2 R0, R1, 0x00003c00;"), 0x7ffffc00U);
    EXPECT_EQ(compute("MOV R1, 0x3c008000; HADD2 R0, R1, 0xbc008000;"), 0x00008000U);
    EXPECT_EQ(compute("MOV R1, 0x80003c00; HMUL2 R0, R1, 0x3c008000;"), 0x80008000U);
    EXPECT_EQ(compute("MOV R1, 0x7c003c00; MOV R2, 0xfc007c00; HFMA2 R0, R1, 0x3c003c00, R2;"), 0x7fff7c00U);
}

TEST(OracleHalf, ModifiersChooseHalvesFlushAndLimit) {
    const std::string values = "MOV R1, 0x3c004000; MOV R2, 0x42004400; ";
    EXPECT_EQ(compute(values + "HADD2.A_H0_H0 R0, R1, R2;"), 0x45004600U);
    EXPECT_EQ(compute(values + "HADD2.B_H1_H1 R0, -R1, R2;"), 0x40003c00U);
    EXPECT_EQ(compute(values + "HFMA2.C_H1_H1 R0, R1, R2, -R1;"), 0x40004700U);
    EXPECT_EQ(compute("MOV R1, 0x03ff83ff; HADD2.FTZ R0, R1, 0x00018000;"), 0x00008000U);
    EXPECT_EQ(compute("MOV R1, 0x7fff4000; HMUL2.SAT R0, R1, 0x3c003c00;"), 0x00003c00U);
    EXPECT_EQ(compute("MOV R1, 0x7fffbc00; HMUL2.RELU R0, R1, 0x3c003c00;"), 0x7fff0000U);
}

TEST(OracleSpecial, ThreadsKnowTheirPlace) {
    Bench bench("S2R R0, SR_TID.X; S2R R1, SR_TID.Y; S2R R2, SR_TID.Z; S2R R3, SR_CTAID.X; S2R R4, SR_CTAID.Y;"
                "S2R R5, SR_WARPID; S2R R6, SR_LANEID; S2R R7, SR_NTID.Y; S2R R8, SR_NCTAID.X; S2R R9, SR_SMID; EXIT;");
    bench.launch.grid = {3, 2, 1};
    bench.launch.block = {5, 4, 3};
    const Result result = bench.finish();
    ASSERT_EQ(result.threads.size(), 360U);
    const std::vector<std::uint32_t> last_but_one = result.threads.at(4 * 60 + 58).registers;
    EXPECT_THAT(std::vector(last_but_one.begin(), last_but_one.begin() + 10),
                testing::ElementsAre(3, 3, 2, 1, 1, 1, 26, 4, 3, 0));
}

TEST(OracleSpecial, LaneMasks) {
    Bench bench("S2R R0, SR_EQMASK; S2R R1, SR_LTMASK; S2R R2, SR_LEMASK; S2R R3, SR_GTMASK; S2R R4, SR_GEMASK; EXIT;");
    const std::vector<std::uint32_t> row = bench.finish().threads.at(4).registers;
    EXPECT_THAT(std::vector(row.begin(), row.begin() + 5),
                testing::ElementsAre(0x10, 0xf, 0x1f, 0xffffffe0, 0xfffffff0));
}

TEST(OracleSpecial, ClocksAndConvergenceBarriersAreDrawn) {
    for (const char *text :
         {"S2R R0, SR_CLOCKLO; EXIT;", "CS2R.32 R0, SR_GLOBALTIMERLO; EXIT;", "BMOV R0, B3; EXIT;"}) {
        const Bench bench(text);
        EXPECT_NE(registers(bench.finish(1), 0), registers(bench.finish(2), 0)) << text;
    }
}

TEST(OracleSpecial, TheUpperHalfOfAPairIsZeroUnlessAClock) {
    EXPECT_EQ(compute("MOV R3, 0x1; CS2R R[2:3], SR_NTID.X;", 3), 0U);
}

} // namespace
} // namespace smsim::oracle::test

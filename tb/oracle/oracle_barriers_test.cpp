// CTA barriers in the oracle (bcu.md): what completes them, what they compute, and their faults.
#include <gmock/gmock.h>

#include "tb/oracle/test_support.h"

namespace smsim::oracle::test {
namespace {

using testing::Each;
using testing::HasSubstr;

/// R9: the thread; R8: its warp; P0: its warp is warp 0; P1: its number is odd.
const std::string kPlace = "S2R R9, SR_TID.X; S2R R8, SR_WARPID; ISETP.EQ.AND P0, PT, R8, RZ, PT;"
                           "LOP3 R7, R9, 0x1, RZ, 0xc0; ISETP.NE.AND P1, PT, R7, RZ, PT; ";

struct Warps : Bench {
    Warps(unsigned threads, const std::string &text) : Bench(text) {
        launch.block = {threads, 1, 1};
        launch.shared_bytes = 256;
    }
};

TEST(OracleBarriers, SyncBlocksAllThreadsUntilAllWarpsHaveArrived) {
    const Warps bench(80, kPlace + "SHL R1, R8, 0x2; STS [R1], R8; BAR.SYNC 0x3; LDS R0, [0x8]; EXIT;");
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        EXPECT_THAT(registers(bench.finish(seed), 0), Each(2U));
    }
}

TEST(OracleBarriers, AnExitedWarpCountsForABarrierOfAll) {
    const Warps bench(96, kPlace + "@P0 EXIT; BAR.SYNC 0x0; MOV R0, 0x1; EXIT;");
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        EXPECT_EQ(bench.finish(seed).threads[40].registers[0], 1U);
    }
}

TEST(OracleBarriers, AnExitedWarpDoesNotCountForABarrierWithACount) {
    const Warps bench(64, kPlace + "@P0 EXIT; BAR.SYNC 0x1, 0x40; EXIT;");
    const Failure failure = bench.fail();
    EXPECT_EQ(failure.kind, Failure::Kind::kDeadlock);
    EXPECT_THAT(failure.detail, HasSubstr("barrier 1: 1 of 2 warps"));
}

TEST(OracleBarriers, ArvDoesNotWait) {
    const Warps bench(64, kPlace + "@P0 BRA.U first; BAR.SYNC 0x2, 0x40; EXIT; first: BAR.ARV 0x2, 0x40; EXIT;");
    EXPECT_FALSE(bench.run().failure);
}

TEST(OracleBarriers, ReductionsAskThePredicatesOfTheExecutingThreads) {
    const Warps bench(80, kPlace + "BAR.RED.POPC 0x0, P1; B2R.RESULT R0, P2; BAR.RED.OR 0x0, P0; B2R.RESULT R1, P3;"
                                   "@P1 BAR.RED.AND 0x0, P1; B2R.RESULT R2, P4; BAR.RED.AND 0x0, P1;"
                                   "B2R.RESULT R3, P5; EXIT;");
    const Result result = bench.finish();
    EXPECT_THAT(registers(result, 0), Each(40U));
    EXPECT_THAT(registers(result, 1), Each(0U));
    for (const ThreadState &thread : result.threads) {
        EXPECT_EQ(thread.predicates & 0b111100, 0b011000);
    }
}

TEST(OracleBarriers, RegistersNameBarrierAndCount) {
    for (const char *text :
         {"MOV R1, 0x13; MOV R2, 0x1040; BAR.SYNC R1, R2;", "MOV R1, 0x3; BAR.SYNC R1, 0x40;",
          "MOV R2, 0x40; BAR.SYNC 0x3, R2;", "MOV R1, 0x403; BAR.RED.POPC R1, PT;", "MOV R1, 0x3; BAR.SYNC R1;"}) {
        EXPECT_FALSE(Warps(64, std::string(text) + " EXIT;").run().failure) << text;
    }
}

TEST(OracleBarriers, CountsAreWholeWarpsAndArvNeedsOne) {
    EXPECT_EQ(Warps(64, "BAR.SYNC 0x0, 0x30; EXIT;").fault(), "BarrierCount");
    EXPECT_EQ(Warps(64, "BAR.ARV 0x0, 0x0; EXIT;").fault(), "BarrierCount");
}

TEST(OracleBarriers, ThreadsOfAWarpAgreeOnTheOperands) {
    EXPECT_EQ(Warps(32, kPlace + "BAR.SYNC R9; EXIT;").fault(), "BarrierOperand");
    EXPECT_FALSE(Warps(32, kPlace + "SHL R1, R9, 0x4; BAR.SYNC R1; EXIT;").run().failure) << "only the bits used";
}

TEST(OracleBarriers, ALaterArrivalAgreesWithTheFirst) {
    for (const char *first : {"BAR.SYNC 0x0, 0x60;", "BAR.RED.OR 0x0, 0x40, PT;", "BAR.ARV 0x0, 0x60;"}) {
        const Warps bench(64, kPlace + "@P0 BRA.U other; BAR.RED.AND 0x0, 0x40, PT; EXIT; other: " + first + " EXIT;");
        EXPECT_EQ(bench.fault(), "BarrierMismatch") << first;
    }
}

/// Kind SYNC, three warps arrived, two expected.
const std::string kOverfull = "MOV R1, 0x4103; R2B.BAR 0x0, R1; ";

TEST(OracleBarriers, MoreArrivalsThanExpectedOverflow) {
    EXPECT_EQ(Warps(32, kOverfull + "BAR.SYNC 0x0, 0x40; EXIT;").fault(), "BarrierOverflow");
}

TEST(OracleBarriers, StateIsReadAndWrittenAsAWord) {
    EXPECT_EQ(compute("BAR.ARV 0x4, 0x60; B2R.BAR R0, 0x4;"), 0x4181U);
    EXPECT_EQ(compute("B2R.BAR R0, 0x4;"), 0U);
    EXPECT_EQ(compute("MOV R1, 0xffff4102; R2B.BAR 0x4, R1; B2R.BAR R0, 0x4;"), 0x4102U) << "no result bits of SYNC";
    EXPECT_EQ(compute("BAR.RED.POPC 0x1, PT; B2R.WARP R0;"), 0x000a8001U);
    EXPECT_EQ(compute("MOV R1, 0x000a8001; R2B.WARP R1; B2R.RESULT R0;"), 1U);
}

TEST(OracleBarriers, ARestoredReductionGoesOn) {
    // POPC, one of two warps, three ones so far.
    EXPECT_EQ(compute("MOV R1, 0x001a8101; R2B.BAR 0x0, R1; BAR.RED.POPC 0x0, 0x40, PT; B2R.RESULT R0;"), 4U);
}

TEST(OracleBarriers, RestoringABarrierWithBlockedWarpsIsBusy) {
    const Warps bench(64, kPlace + "@P0 BRA.U other; BAR.SYNC 0x0, 0x40; EXIT;"
                                   "other: B2R.BAR R1, 0x0; ISETP.EQ.AND P2, PT, R1, RZ, PT; @P2 BRA other;"
                                   "WARPSYNC 0xffffffff; R2B.BAR 0x0, RZ; EXIT;");
    EXPECT_EQ(bench.fault(), "BarrierBusy");
}

TEST(OracleBarriers, AWarpWithoutAnExecutingThreadDoesNotArrive) {
    const Warps bench(32, "@!PT BAR.SYNC 0x0, 0x60; B2R.BAR R0, 0x0; EXIT;");
    EXPECT_THAT(registers(bench.finish(), 0), Each(0U));
}

TEST(OracleBarriers, ThreadsWithoutASetAreRefused) {
    EXPECT_EQ(Warps(32, "YIELD; BAR.SYNC 0x0; EXIT;").fail().kind, Failure::Kind::kIllegal);
}

} // namespace
} // namespace smsim::oracle::test

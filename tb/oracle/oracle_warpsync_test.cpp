// Where threads meet in the oracle: WARPSYNC, and operations that a set executes at once.
#include <gmock/gmock.h>

#include "tb/oracle/test_support.h"

namespace smsim::oracle::test {
namespace {

using testing::Each;
using testing::HasSubstr;

/// Every thread is on its own path; P0: the lane is odd; R9: the lane.
const std::string kParted = "S2R R9, SR_LANEID; LOP3 R8, R9, 0x1, RZ, 0xc0; ISETP.NE.AND P0, PT, R8, RZ, PT;"
                            "@P0 BRA parted; NOP; parted: ";
const std::string kBallot = "VOTE.ALL R0, PT, PT; ";

TEST(OracleWarpsync, AMaskMeetsAndIsASet) {
    const Bench immediate(kParted + "WARPSYNC 0xffffffff; " + kBallot + "EXIT;");
    const Bench uniform(kParted + "UMOV UR2, 0x0; WARPSYNC ~UR2; " + kBallot + "EXIT;");
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        EXPECT_THAT(registers(immediate.finish(seed), 0), Each(0xffffffffU));
        EXPECT_THAT(registers(uniform.finish(seed), 0), Each(0xffffffffU));
    }
}

TEST(OracleWarpsync, ExitedThreadsAreNotWaitedFor) {
    // Odd lanes end, some of them after the even ones have arrived.
    const Bench bench(kParted + "@!P0 BRA meet; NOP; NOP; EXIT; meet: WARPSYNC 0xffffffff; " + kBallot + "EXIT;");
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        EXPECT_EQ(bench.finish(seed).threads[4].registers[0], 0x55555555U);
    }
}

TEST(OracleWarpsync, GroupsByRegisterPassByThemselves) {
    const Bench bench(kParted + "MOV R1, 0x55555555; @P0 MOV R1, 0xaaaaaaaa; WARPSYNC R1; " + kBallot + "EXIT;");
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Result result = bench.finish(seed);
        EXPECT_EQ(result.threads[2].registers[0], 0x55555555U);
        EXPECT_EQ(result.threads[3].registers[0], 0xaaaaaaaaU);
    }
}

TEST(OracleWarpsync, AFalseGuardGoesOnAndLeavesTheSet) {
    const std::string head = "S2R R9, SR_LANEID; LOP3 R8, R9, 0x1, RZ, 0xc0; ISETP.NE.AND P0, PT, R8, RZ, PT;";
    const Bench bench(head + "@P0 WARPSYNC 0xaaaaaaaa; @!P0 EXIT; " + kBallot + "EXIT;");
    EXPECT_EQ(bench.finish().threads[1].registers[0], 0xaaaaaaaaU);
    EXPECT_EQ(Bench(head + "@P0 WARPSYNC 0xaaaaaaaa; " + kBallot + "EXIT;").fail().kind, Failure::Kind::kIllegal);
}

TEST(OracleWarpsync, AThreadOutsideItsOwnMaskIsAFault) {
    EXPECT_EQ(Bench("WARPSYNC 0x7fffffff; EXIT;").fault(), "WarpSyncMembership");
}

TEST(OracleWarpsync, MasksThatContradictOneAnotherAreAFault) {
    // Lane 0 names 0 and 1, lane 1 names 0 to 2, lane 2 names 1 and 2.
    Bench bench("S2R R9, SR_LANEID; MOV R1, 0x3; ISETP.EQ.AND P0, PT, R9, 0x1, PT; @P0 MOV R1, 0x7;"
                "ISETP.EQ.AND P1, PT, R9, 0x2, PT; @P1 MOV R1, 0x6; WARPSYNC R1; EXIT;");
    bench.launch.block = {3, 1, 1};
    EXPECT_EQ(bench.fault(), "WarpSyncMembership");
}

TEST(OracleWarpsync, WaitingForAbsentThreadsIsADeadlockThatNamesBothSides) {
    const Bench bench(kParted + "@P0 BRA other; WARPSYNC 0xffffffff; EXIT; other: NOP; WARPSYNC 0xffffffff; EXIT;");
    const Failure failure = bench.fail();
    EXPECT_EQ(failure.kind, Failure::Kind::kDeadlock);
    EXPECT_THAT(failure.detail, HasSubstr("lanes 0x55555555"));
    EXPECT_THAT(failure.detail, HasSubstr("lanes 0xaaaaaaaa"));
    EXPECT_THAT(failure.detail, HasSubstr("WARPSYNC"));
}

TEST(OracleSet, IsKnownAtTheStartAndWithoutTheExited) {
    Bench bench("S2R R9, SR_LANEID; ISETP.LT.AND P0, PT, R9, 0x4, PT; @P0 EXIT; " + kBallot + "EXIT;");
    bench.launch.block = {40, 1, 1};
    const Result result = bench.finish();
    EXPECT_EQ(result.threads[31].registers[0], 0xfffffff0U);
    EXPECT_EQ(result.threads[39].registers[0], 0xf0U);
}

TEST(OracleSet, EndsAtWhateverMayDivergeIt) {
    for (const char *text : {"@P0 BRA next; next: ", "@!P0 BRX R1; ", "BRX R1; ", "YIELD; ", "NANOSLEEP 0x1; ",
                             "BSYNC B0; ", "@P0 WARPSYNC 0xffffffff; "}) {
        EXPECT_EQ(Bench(text + kBallot + "EXIT;").fail().kind, Failure::Kind::kIllegal) << text;
    }
}

TEST(OracleSet, OutlivesJumpsThatAllTake) {
    for (const char *text : {"BRA next; next: ", "CALL.REL next; next: ", "BSSY B0, next; BREAK B0; next: ",
                             "ISETP.EQ.AND P0, PT, RZ, RZ, PT; @P0 BRA.U next; NOP; next: "}) {
        EXPECT_FALSE(Bench(text + kBallot + "EXIT;").run().failure) << text;
    }
}

/// R9: the lane; P0: the lane is below 4.
const std::string kLane = "S2R R9, SR_LANEID; ISETP.LT.AND P0, PT, R9, 0x4, PT; ";

TEST(OracleSet, VoteAsksTheExecutingLanes) {
    const Bench bench(kLane + "@P0 VOTE.ALL R0, P1, P0; VOTE.ANY R1, P2, P0; VOTE.EQ R2, P3, P0; EXIT;");
    const Result result = bench.finish();
    EXPECT_EQ(result.threads[0].registers[0], 0xfU);
    EXPECT_EQ(result.threads[4].registers[0], 0U);
    EXPECT_EQ(result.threads[0].predicates, 0b0111);
    EXPECT_EQ(result.threads[4].predicates, 0b0100);
}

TEST(OracleSet, MatchFindsTheLanesWithTheSameValue) {
    const Bench bench(kLane +
                      "SHR R1, R9, 0x3; MATCH.ANY R0, P1, R1; MATCH.ALL R2, P2, R1; MATCH.ALL R3, P3, RZ; EXIT;");
    const ThreadState thread = bench.finish().threads[9];
    EXPECT_EQ(thread.registers[0], 0xff00U);
    EXPECT_EQ(thread.registers[2], 0U);
    EXPECT_EQ(thread.registers[3], 0xffffffffU);
    EXPECT_EQ(thread.predicates, 0b1000);
}

TEST(OracleSet, ReduxReducesOverTheExecutingLanes) {
    const Bench bench(kLane + "IADD3 R1, R9, -0x2, RZ; @P0 REDUX.ADD R0, R9; REDUX.MIN.S32 R2, R1; REDUX.MIN R3, R1;"
                              "REDUX.XOR R4, R9; EXIT;");
    const std::vector<std::uint32_t> row = bench.finish().threads[1].registers;
    EXPECT_EQ(row[0], 6U);
    EXPECT_EQ(row[2], 0xfffffffeU);
    EXPECT_EQ(row[3], 0U);
    EXPECT_EQ(row[4], 0U);
}

TEST(OracleSet, ShflReadsInsideItsSegment) {
    const Bench bench(kLane + "SHFL.IDX PT, R0, R9, 0x3, 0x1f; SHFL.UP P1, R1, R9, 0x1, 0x0;"
                              "SHFL.DOWN P2, R2, R9, 0x2, 0x181f; SHFL.BFLY P3, R3, R9, 0x1, 0x1f; EXIT;");
    const Result result = bench.finish();
    EXPECT_THAT(registers(result, 0), Each(3U));
    EXPECT_EQ(result.threads[0].registers[1], 0U);
    EXPECT_EQ(result.threads[5].registers[1], 4U);
    EXPECT_EQ(result.threads[0].predicates & 0b10, 0);
    EXPECT_EQ(result.threads[5].registers[2], 7U);
    EXPECT_EQ(result.threads[6].registers[2], 6U) << "segments of eight lanes";
    EXPECT_EQ(result.threads[6].registers[3], 7U);
}

TEST(OracleSet, ALaneInRangeThatDoesNotExecuteGivesOnesOwnValue) {
    const Bench bench(kLane + "@P0 SHFL.IDX P1, R0, R9, 0x8, 0x1f; EXIT;");
    const ThreadState thread = bench.finish().threads[2];
    EXPECT_EQ(thread.registers[0], 2U);
    EXPECT_EQ(thread.predicates, 0b11);
}

TEST(OracleSet, AUniformRegisterTakesTheLowestExecutingLane) {
    const Bench bench(kLane + "@!P0 R2UR UR1, R9; MOV R0, UR1; S2UR UR2, SR_LANEID; MOV R1, UR2; EXIT;");
    const Result result = bench.finish();
    EXPECT_THAT(registers(result, 0), Each(4U));
    EXPECT_THAT(registers(result, 1), Each(0U));
}

} // namespace
} // namespace smsim::oracle::test

// Control flow in the oracle: jumps, traps and exits of single threads, and outcomes that a set determines (bru.md
// Branches).
#include <gmock/gmock.h>

#include <set>

#include "tb/oracle/test_support.h"

namespace smsim::oracle::test {
namespace {

using testing::Each;
using testing::ElementsAre;

/// P0: the lane is below 8. P1: the lane is below 16.
const std::string kLanePredicates = "S2R R9, SR_LANEID; ISETP.LT.AND P0, PT, R9, 0x8, PT;"
                                    "ISETP.LT.AND P1, PT, R9, 0x10, PT; ";
/// From here on no thread is known to be together with others.
const std::string kAlone = "@P0 BRA alone; alone: ";

TEST(OracleBranches, EachThreadTakesItsOwnWay) {
    const Bench bench(kLanePredicates + "loop: IADD3 R0, R0, 0x1, RZ; ISETP.LT.AND P2, PT, R0, R9, PT;"
                                        "@P2 BRA loop; BRA P1, over; MOV R1, 0x1; over: EXIT;");
    const Result result = bench.finish();
    EXPECT_EQ(result.threads[0].registers[0], 1U);
    EXPECT_EQ(result.threads[31].registers[0], 31U);
    EXPECT_EQ(result.threads[15].registers[1], 0U);
    EXPECT_EQ(result.threads[16].registers[1], 1U);
}

TEST(OracleBranches, IndirectTargetsAreRelativeToTheNextInstructionOrAbsolute) {
    EXPECT_EQ(compute("MOV R1, 0x10; BRX R1, 0x10; MOV R0, 0x1; EXIT; MOV R0, 0x2;"), 2U);
    EXPECT_EQ(compute("MOV R3, RZ; LEPC R[2:3], `(back - .); CALL.REL function; back: MOV R1, 0x1; BRA over;"
                      "function: IADD3 R0, R0, 0x5, RZ; RET.ABS R[2:3], 0x0; over: NOP;"),
              5U);
}

TEST(OracleBranches, ATargetOutsideTheProgramIsIllegal) {
    EXPECT_EQ(Bench("MOV R1, 0x8; BRX R1; EXIT;").fault(), "IllegalTarget");
    EXPECT_EQ(Bench("MOV R2, 0x1000; MOV R3, RZ; RET.ABS R[2:3]; EXIT;").fault(), "IllegalTarget");
    EXPECT_EQ(Bench("MOV R2, 0x1000; NOP;").fault(), "IllegalTarget");
    EXPECT_FALSE(Bench("@!PT RET.ABS R[2:3], 0x7ff0; EXIT;").run().failure);
}

TEST(OracleBranches, BraUJumpsOnlyWhenAllOfTheSetDo) {
    const std::string text = "@P1 BRA.U over; MOV R0, 0x1; over: BAR.SYNC 0x0; EXIT;";
    EXPECT_THAT(registers(Bench(kLanePredicates + text).finish(), 0), Each(1U));
    EXPECT_THAT(registers(Bench("ISETP.EQ.AND P1, PT, RZ, RZ, PT; " + text).finish(), 0), Each(0U));
}

TEST(OracleBranches, BraDivAndConvSeeWhetherTheWholeWarpJumps) {
    const std::string all = "ISETP.EQ.AND P1, PT, RZ, RZ, PT; ";
    const std::string div = "@P1 BRA.DIV over; MOV R0, 0x1; over: EXIT;";
    const std::string conv = "@P1 BRA.CONV over; MOV R0, 0x1; over: EXIT;";
    EXPECT_THAT(registers(Bench(all + div).finish(), 0), Each(1U));
    EXPECT_THAT(registers(Bench(all + conv).finish(), 0), Each(0U));
    EXPECT_THAT(registers(Bench(kLanePredicates + conv).finish(), 0), Each(1U));
    const std::vector<std::uint32_t> some = registers(Bench(kLanePredicates + div).finish(), 0);
    EXPECT_EQ(some[15], 0U);
    EXPECT_EQ(some[16], 1U);
}

TEST(OracleBranches, ExitedThreadsDoNotMakeAWarpDiverged) {
    const Bench bench(kLanePredicates + "@!P1 EXIT; BRA.DIV over; MOV R0, 0x1; over: EXIT;");
    EXPECT_EQ(bench.finish().threads[0].registers[0], 1U);
}

TEST(OracleBranches, WithAUniformRegisterAllOfTheSetJumpOrNone) {
    const std::string rest = "@P0 BRA.DIV UR1, over; MOV R0, 0x1; over: BAR.SYNC 0x0; EXIT;";
    // Lane 8 is the first lane whose guard is false.
    EXPECT_THAT(registers(Bench(kLanePredicates + "UMOV UR1, 0x100; " + rest).finish(), 0), Each(0U));
    EXPECT_THAT(registers(Bench(kLanePredicates + "UMOV UR1, 0xff; " + rest).finish(), 0), Each(1U));
    EXPECT_THAT(
        registers(Bench(kLanePredicates + "UMOV UR1, 0xff; @P0 BRA.DIV ~UR1, over; MOV R0, 0x1; over: EXIT;").finish(),
                  0),
        Each(0U));
}

/// How many lanes jump at `branch` over several runs, without a known set.
std::set<std::uint32_t> outcomes(const std::string &branch, unsigned lane) {
    std::set<std::uint32_t> seen;
    const Bench bench(kLanePredicates + kAlone + branch + " over; MOV R0, 0x1; over: EXIT;");
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
        seen.insert(bench.finish(seed).threads.at(lane).registers[0]);
    }
    return seen;
}

TEST(OracleBranches, WithoutASetAnyOutcomeOfSomeWarpStateIsDrawn) {
    EXPECT_THAT(outcomes("@P1 BRA.U", 3), ElementsAre(0, 1));
    EXPECT_THAT(outcomes("@P1 BRA.DIV", 3), ElementsAre(0, 1));
    EXPECT_THAT(outcomes("@P1 BRA.CONV UR1,", 3), ElementsAre(0, 1));
    EXPECT_THAT(outcomes("@P1 BRA.CONV UR1,", 20), ElementsAre(0, 1)) << "taken along with the active threads";
}

TEST(OracleBranches, WithoutASetAFalseGuardNeverJumpsAndNoGuardAlways) {
    EXPECT_THAT(outcomes("@P1 BRA.U", 20), ElementsAre(1));
    EXPECT_THAT(outcomes("@P1 BRA.DIV", 20), ElementsAre(1));
    EXPECT_THAT(outcomes("@!PT BRA.CONV UR1,", 3), ElementsAre(1));
    EXPECT_THAT(outcomes("BRA.U", 3), ElementsAre(0));
}

TEST(OracleBranches, OutcomesThatDependOnOtherThreadsAreDrawnOnceForTheSet) {
    const Bench bench(kLanePredicates + "@!P1 BRA wait; WARPSYNC 0xffff; BRA.DIV over; MOV R0, 0x1;"
                                        "over: BAR.SYNC 0x0, 0x20; wait: WARPSYNC 0xffffffff; EXIT;");
    std::set<std::uint32_t> seen;
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
        const std::vector<std::uint32_t> values = registers(bench.finish(seed), 0);
        seen.insert(values[0]);
        EXPECT_EQ(values[15], values[0]);
    }
    EXPECT_THAT(seen, ElementsAre(0, 1));
}

const std::string kHandler = " EXIT; handler: IADD3 R8, R8, 0x1, RZ; RTT;";

Result run_with_handler(const std::string &text, std::uint64_t seed = 1) {
    Bench bench(text + kHandler);
    bench.launch.trap_handler = static_cast<std::int64_t>(bench.program.size_bytes()) - 32;
    return bench.run(seed);
}

TEST(OracleBranches, ATrapGoesToTheHandlerAndReturns) {
    const Result result = run_with_handler("TRAP 0x3; MOV R1, 0x1; BAR.SYNC 0x0;");
    ASSERT_FALSE(result.failure) << result.failure->detail;
    EXPECT_THAT(registers(result, 8), Each(1U));
    EXPECT_THAT(registers(result, 1), Each(1U));
}

TEST(OracleBranches, OneTrueGuardTakesTheSetToTheHandler) {
    EXPECT_THAT(registers(run_with_handler(kLanePredicates + "@P0 TRAP 0x3;"), 8), Each(1U));
    EXPECT_THAT(registers(run_with_handler("@P0 TRAP 0x3;"), 8), Each(0U));
}

TEST(OracleBranches, WithoutASetAThreadWithAFalseGuardMayEnterTheHandler) {
    std::set<std::uint32_t> seen;
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
        const Result result = run_with_handler(kLanePredicates + kAlone + "@P0 TRAP 0x3;", seed);
        seen.insert(result.threads.at(20).registers[8]);
        EXPECT_EQ(result.threads.at(3).registers[8], 1U);
    }
    EXPECT_THAT(seen, ElementsAre(0, 1));
}

TEST(OracleBranches, MisplacedTrapsAreIllegal) {
    EXPECT_EQ(Bench("TRAP 0x7; EXIT;").fault(), "Trap");
    EXPECT_EQ(Bench("RTT; EXIT;").fault(), "IllegalTrap");
    Bench twice("TRAP 0x1; EXIT;");
    twice.launch.trap_handler = 0;
    EXPECT_EQ(twice.fault(), "IllegalTrap");
}

TEST(OracleBranches, ConvergenceBarriersYieldAndSleepBlockNoThread) {
    const Bench bench("BSSY B0, over; YIELD; NANOSLEEP 0x100; BREAK B0; over: BSYNC B0; MEMBAR.GPU; SYSCALL;"
                      "BMOV B1, R1; MOV R0, 0x1; EXIT;");
    EXPECT_THAT(registers(bench.finish(), 0), Each(1U));
}

TEST(OracleRun, TheStepLimitEndsIt) {
    const Bench bench("loop: BRA loop; EXIT;");
    const Result result = bench.run();
    ASSERT_TRUE(result.failure);
    EXPECT_EQ(result.failure->kind, Failure::Kind::kTooLong);
}

TEST(OracleRun, IsReproducibleForASeedAndASpinningThreadStarvesNoOther) {
    Bench bench("MOV R2, c[0x0][0x0]; MOV R3, c[0x0][0x4]; S2R R1, SR_TID.X; MOV R4, 0x1;"
                "ISETP.EQ.AND P0, PT, R1, 0x20, PT; @P0 STG [R[2:3]], R4;"
                "spin: LDG R5, [R[2:3]]; ISETP.EQ.AND P1, PT, R5, RZ, PT; @P1 BRA spin; EXIT;");
    bench.launch.block = {33, 1, 1};
    EXPECT_EQ(bench.finish(5).instructions, bench.finish(5).instructions);
    EXPECT_NE(bench.finish(5).instructions, bench.finish(6).instructions);
}

TEST(OracleRun, RejectsAnImpossibleLaunch) {
    Bench bench("EXIT;");
    bench.launch.block = {1025, 1, 1};
    EXPECT_THROW(bench.run(), InputError);
}

} // namespace
} // namespace smsim::oracle::test

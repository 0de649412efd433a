// Programs for token_stack in the oracle: tokens, jumps and calls of a single thread (engines.md token_stack).
#include <gmock/gmock.h>

#include "tb/oracle/test_support.h"

namespace smsim::oracle::test {
namespace {

using testing::Each;

/// P0: the lane is below 8.
const std::string kEngine =
    ".engine token_stack\n S2R R9, SR_LANEID; ISETP.LT.AND P0, PT, R9, 0x8, PT; ISETP.EQ.AND P1, PT, RZ, RZ, PT; ";

/// R0 of all threads of a program that ends successfully.
std::vector<std::uint32_t> results(const std::string &text) {
    return registers(Bench(kEngine + text).finish(), 0);
}

/// R0 of a lane below 8, and of another lane.
std::pair<std::uint32_t, std::uint32_t> by_lane(const std::string &text) {
    const std::vector<std::uint32_t> all = results(text);
    return {all.at(0), all.at(31)};
}

std::string fault_of(const std::string &text) {
    return Bench(kEngine + text).fault();
}

TEST(OracleTokens, SyncGoesToTheEndOfItsRegion) {
    EXPECT_THAT(results("SSY end; SYNC; MOV R0, 0x1; end: EXIT;"), Each(0U));
    EXPECT_EQ(by_lane("SSY end; @P0 SYNC; MOV R0, 0x1; SYNC; end: EXIT;"), std::pair(0U, 1U));
    EXPECT_THAT(results("SSY out; SSY end; SYNC; end: MOV R0, 0x1; SYNC; out: EXIT;"), Each(1U));
}

TEST(OracleTokens, BrkAndContPassTheTokensAboveTheirOwn) {
    EXPECT_THAT(results("PBK out; PCNT next; SSY end; BRK; end: next: MOV R0, 0x1; out: EXIT;"), Each(0U));
    EXPECT_THAT(
        results("PBK out; PCNT next; PBK inner; BRK; inner: CONT; MOV R0, 0x7; next: IADD3 R0, R0, 0x1, RZ; BRK;"
                "out: EXIT;"),
        Each(1U));
    EXPECT_THAT(results("PCNT next; PBK out; SSY end; CONT; end: out: MOV R0, 0x1; next: EXIT;"), Each(0U));
}

TEST(OracleTokens, ReturnsLeaveAllOpenRegionsOfTheFunction) {
    EXPECT_THAT(
        results("CAL f; IADD3 R0, R0, 0x10, RZ; EXIT; f: PBK x; SSY y; MOV R0, 0x1; RET; x: y: MOV R0, 0x2; RET;"),
        Each(0x11U));
    EXPECT_EQ(by_lane("@P0 CAL f; IADD3 R0, R0, 0x10, RZ; EXIT; f: MOV R0, 0x1; RET;"), std::pair(0x11U, 0x10U));
    EXPECT_THAT(results("MOV R1, f; CAL R1; EXIT; f: MOV R0, 0x3; RET;"), Each(3U));
    EXPECT_EQ(by_lane("PRET back; BRA over; MOV R0, 0x8; over: @!P0 RET; MOV R0, 0x1; RET; back: EXIT;"),
              std::pair(1U, 0U));
}

TEST(OracleTokens, ATokenThatIsMissingOrCoveredIsAFault) {
    EXPECT_EQ(fault_of("SYNC; EXIT;"), "StackUnderflow");
    EXPECT_EQ(fault_of("SSY x; x: BRK; EXIT;"), "StackUnderflow");
    EXPECT_EQ(fault_of("RET; EXIT;"), "StackUnderflow");
    EXPECT_EQ(fault_of("PBK x; x: SYNC; EXIT;"), "TokenMismatch");
    EXPECT_EQ(fault_of("SSY x; PBK x; x: SYNC; EXIT;"), "TokenMismatch");
    EXPECT_EQ(fault_of("PBK x; CAL f; x: EXIT; f: BRK; RET;"), "TokenMismatch");
    Bench endless(kEngine + "loop: SSY loop; BRA loop; EXIT;");
    endless.launch.block = {1, 1, 1};
    EXPECT_EQ(endless.fault(), "StackOverflow");
    EXPECT_FALSE(Bench(kEngine + "@!P1 SYNC; EXIT;").run().failure) << "no thread leaves";
}

TEST(OracleTokens, TargetsAreRelativeOrAbsolute) {
    const std::string rest = " MOV R0, 0x1; over: EXIT;";
    EXPECT_THAT(results("BRA over;" + rest), Each(0U));
    EXPECT_THAT(results("BRA REL:0x10;" + rest), Each(0U));
    EXPECT_THAT(results("MOV R1, -0x10; BRX R1+0x20;" + rest), Each(0U));
    EXPECT_THAT(results("JMP over;" + rest), Each(0U));
    EXPECT_THAT(results("MOV R1, over; JMX R1+0x0;" + rest), Each(0U));
    EXPECT_THAT(results("MOV R1, `(over + 0x10); JMX R1+-0x10;" + rest), Each(0U));
    const std::string constants = ".const 0x3\n .word over - next\n .word over\n .text\n";
    EXPECT_THAT(results(constants + "BRA c[0x3][0x0]; next:" + rest), Each(0U));
    EXPECT_THAT(results(constants + "JMP c[0x3][0x4]; next:" + rest), Each(0U));
}

TEST(OracleTokens, SumsOfTargetsDoNotWrap) {
    EXPECT_EQ(fault_of("MOV R1, 0xffffffff; JMX R1+0x1; EXIT;"), "IllegalTarget");
    EXPECT_EQ(fault_of("MOV R1, 0x80000000; BRX R1+0x0; EXIT;"), "IllegalTarget");
    EXPECT_EQ(fault_of("MOV R1, 0x8; BRX R1+0x0; EXIT;"), "IllegalTarget");
    EXPECT_EQ(fault_of("MOV R1, -0x10; JMX R1+0x10; EXIT;"), "IllegalTarget") << "Ra of JMX has no sign";
}

TEST(OracleTokens, UnanimousJumpsNeedAllOfTheSet) {
    const std::string rest = " MOV R0, 0x1; over: BAR.SYNC 0x0; EXIT;";
    EXPECT_THAT(results("@P0 BRA.U over;" + rest), Each(1U));
    EXPECT_THAT(results("@P1 BRA.U over;" + rest), Each(0U));
    EXPECT_THAT(results("@P1 JMP.U over;" + rest), Each(0U));
    EXPECT_THAT(results("ISETP.LT.AND.CC P2, PT, R9, 0x8, PT; BRA.U CC.LT, over;" + rest), Each(1U));
}

TEST(OracleTokens, AtTheCallLimitCallsAreSkipped) {
    Bench bench(kEngine + "CAL f; EXIT; f: IADD3 R0, R0, 0x1, RZ; CAL f; RET;");
    bench.launch.call_limit = 5;
    EXPECT_THAT(registers(bench.finish(), 0), Each(5U));
    Bench pairs(kEngine + "CAL f; EXIT;"
                          "f: PRET n; BRA.LMT t; n: IADD3 R0, R0, 0x1, RZ; RET; t: IADD3 R0, R0, 0x100, RZ; RET;");
    pairs.launch.call_limit = 0;
    EXPECT_THAT(registers(pairs.finish(), 0), Each(0x101U));
    pairs.launch.call_limit = 1;
    EXPECT_THAT(registers(pairs.finish(), 0), Each(1U));
    pairs.launch.call_limit = 2;
    EXPECT_THAT(registers(pairs.finish(), 0), Each(0x101U)) << "the PRET below the limit clears LMT";
}

TEST(OracleTokens, AnImpossibleWarpsyncIsAFault) {
    EXPECT_EQ(fault_of("SSY end; @P0 SYNC; WARPSYNC 0xffffffff; SYNC; end: WARPSYNC 0xffffffff; EXIT;"),
              "WarpSyncDiverged");
    EXPECT_EQ(fault_of("WARPSYNC 0x1; EXIT;"), "WarpSyncMembership");
    EXPECT_FALSE(Bench(kEngine + "@P0 EXIT; WARPSYNC 0xffffffff; EXIT;").run().failure);
}

TEST(OracleTokens, ALeaverIsNoLongerKnownToBeTogether) {
    EXPECT_EQ(Bench(kEngine + "SSY end; SYNC; end: BAR.SYNC 0x0; EXIT;").fail().kind, Failure::Kind::kIllegal);
    EXPECT_FALSE(Bench(kEngine + "PBK end; CAL f; PRET end; BAR.SYNC 0x0; EXIT; f: EXIT; end: EXIT;").run().failure);
}

} // namespace
} // namespace smsim::oracle::test

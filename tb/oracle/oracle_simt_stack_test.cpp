// Programs for simt_stack in the oracle: the effect of control instructions on a single thread (engines.md
// simt_stack).
#include <gmock/gmock.h>

#include "tb/oracle/test_support.h"

namespace smsim::oracle::test {
namespace {

using testing::Each;

const std::string kEngine = ".engine simt_stack\n S2R R9, SR_LANEID; ";

/// Register 0 of the thread after `VBxx R1, R2`: 1 if it jumps.
std::uint32_t jumps(const std::string &branch, const std::string &a, const std::string &b) {
    Bench bench(kEngine + "MOV R1, " + a + "; MOV R2, " + b + "; MOV R0, 0x1; SETRPC end; " + branch +
                " R1, R2, end; MOV R0, RZ; end: JOIN; ENDPRG;");
    bench.launch.block = {1, 1, 1};
    return bench.finish().threads.at(0).registers.at(0);
}

TEST(OracleSimtStack, VectorBranchesCompareTheRegistersOfTheThread) {
    const std::string minus = "0xffffffff";
    EXPECT_EQ(jumps("VBEQ", "0x5", "0x5"), 1U);
    EXPECT_EQ(jumps("VBEQ", "0x5", "0x4"), 0U);
    EXPECT_EQ(jumps("VBNE", "0x5", "0x5"), 0U);
    EXPECT_EQ(jumps("VBNE", "0x5", "0x4"), 1U);
    EXPECT_EQ(jumps("VBLT", minus, "0x1"), 1U);
    EXPECT_EQ(jumps("VBLT", "0x1", "0x1"), 0U);
    EXPECT_EQ(jumps("VBGE", minus, "0x1"), 0U);
    EXPECT_EQ(jumps("VBGE", "0x1", "0x1"), 1U);
    EXPECT_EQ(jumps("VBLTU", minus, "0x1"), 0U);
    EXPECT_EQ(jumps("VBLTU", "0x1", minus), 1U);
    EXPECT_EQ(jumps("VBGEU", minus, "0x1"), 1U);
    EXPECT_EQ(jumps("VBGEU", "0x1", minus), 0U);
}

TEST(OracleSimtStack, EachThreadEndsAtItsOwnEndprg) {
    const Bench bench(kEngine +
                      "loop: IADD3 R0, R0, 0x1, RZ; SETRPC out; VBGE R0, R9, out; BRA loop; out: JOIN; ENDPRG;");
    const Result result = bench.finish();
    EXPECT_EQ(result.threads[1].registers[0], 1U);
    EXPECT_EQ(result.threads[31].registers[0], 31U);
}

TEST(OracleSimtStack, AVectorBranchEndsTheSet) {
    const std::string rest = " VBEQ R9, RZ, on; on: BARRIER; ENDPRG;";
    EXPECT_EQ(Bench(kEngine + rest).fail().kind, Failure::Kind::kIllegal);
    EXPECT_FALSE(Bench(kEngine + "WARPSYNC 0xffffffff; BARRIER; ENDPRG;").run().failure);
}

TEST(OracleSimtStack, BarrierIsBarSyncOfBarrierZeroForAllAliveWarps) {
    Bench bench(kEngine + "S2R R1, SR_WARPID; STS [0x0], R9; BARRIER; VBNE R1, RZ, wait; BARRIER; MOV R0, 0x1; ENDPRG;"
                          "wait: WARPSYNC 0xffffffff; BAR.SYNC 0x0; MOV R0, 0x1; ENDPRG;");
    bench.launch.block = {64, 1, 1};
    bench.launch.shared_bytes = 64;
    EXPECT_EQ(bench.fail().kind, Failure::Kind::kIllegal) << "warp 0 is not known to be together";
    Bench together(kEngine + "BARRIER; BAR.SYNC 0x0; MOV R0, 0x1; BARRIER; ENDPRG;");
    together.launch.block = {64, 1, 1};
    EXPECT_THAT(registers(together.finish(), 0), Each(1U));
}

TEST(OracleSimtStack, WarpsyncBlocksNoThread) {
    const std::string apart = "SETRPC end; VBEQ R9, RZ, end; ";
    EXPECT_THAT(registers(Bench(kEngine + apart +
                                "WARPSYNC 0xffffffff; end: MOV R0, 0x1; JOIN; WARPSYNC 0x1;"
                                "MOV R0, 0x2; ENDPRG;")
                              .finish(),
                          0),
                Each(2U));
    EXPECT_EQ(Bench(kEngine + apart +
                    "WARPSYNC 0xffffffff; VOTE.ANY R0, P0, P1; end: JOIN;"
                    "WARPSYNC 0xffffffff; ENDPRG;")
                  .fail()
                  .kind,
              Failure::Kind::kIllegal)
        << "the program cannot know which threads vote";
}

} // namespace
} // namespace smsim::oracle::test

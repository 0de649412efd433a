// How regions are lowered for the token stack (engines.md Lowering, token_stack).
#include <gtest/gtest.h>

#include "ptx/machine/lowering/token_plan.h"
#include "tb/unit/ptx/lowering_support.h"

namespace smsim::ptx::test {
namespace {

machine::Function lowered(const Flow &flow) {
    return test::lowered({flow}, ReconvergenceEngineKind::kTokenStack).functions[0];
}

TEST(TokenStackLowering, ThreadsLeaveABranchBySync) {
    Flow flow;
    flow.split(2, 1);
    flow.fall(2);
    flow.exit();
    const machine::Function code = lowered(flow);
    EXPECT_EQ(code_of(code, 0), "SSY to 2; @P SYNC; ");
    EXPECT_EQ(code_of(code, 1), "SYNC; ");
    EXPECT_EQ(code_of(code, 2), "");
}

TEST(TokenStackLowering, BothSidesOfABranchLeaveIt) {
    Flow flow;
    flow.split(2, 1);
    flow.fall(3);
    flow.fall(3);
    flow.exit();
    const machine::Function code = lowered(flow);
    EXPECT_EQ(code_of(code, 0), "SSY to 3; ");
    EXPECT_EQ(code_of(code, 1), "SYNC; ");
    EXPECT_EQ(code_of(code, 2), "SYNC; ");
}

TEST(TokenStackLowering, AWarpThatStaysTogetherPushesNothing) {
    Flow flow;
    flow.uniform(2, 1);
    flow.fall(2);
    flow.exit();
    const machine::Function code = lowered(flow);
    EXPECT_EQ(code_of(code, 0) + code_of(code, 1) + code_of(code, 2), "");
}

TEST(TokenStackLowering, ThreadsLeaveALoopByBreak) {
    Flow flow;
    flow.fall(1);
    flow.split(3, 2);
    flow.fall(1);
    flow.exit();
    const machine::Function code = lowered(flow);
    EXPECT_EQ(code_of(code, 0), "PBK to 3; ");
    EXPECT_EQ(code_of(code, 1), "@P BRK; ");
    EXPECT_EQ(code_of(code, 2), "");
}

TEST(TokenStackLowering, ABreakPassesTheBranchesInsideOfTheLoop) {
    Flow flow;
    flow.fall(1);
    flow.split(4, 2); // an if with a break inside
    flow.split(5, 3);
    flow.fall(4);
    flow.fall(1);
    flow.exit();
    const machine::Function code = lowered(flow);
    EXPECT_EQ(code_of(code, 0), "PBK to 5; ");
    EXPECT_EQ(code_of(code, 1), "SSY to 4; @P SYNC; ");
    EXPECT_EQ(code_of(code, 2), "@P BRK; ");
    EXPECT_EQ(code_of(code, 3), "SYNC; ");
}

/// A nested loop; threads leave the inner one from inside a branch, to the end of the outer loop's round.
TEST(TokenStackLowering, ThreadsGoOnWithTheNextRoundOfAnOuterLoopByContinue) {
    Flow flow;
    flow.fall(1);
    flow.split(8, 2); // outer loop
    flow.fall(3);     // front of the inner one
    flow.split(7, 4); // leaves for the end of the round
    flow.split(6, 5);
    flow.split(7, 6); // continue of the outer loop, from inside a branch
    flow.fall(3);
    flow.fall(1);
    flow.exit();
    const machine::Function code = lowered(flow);
    EXPECT_EQ(code_of(code, 2), "PCNT to 7; ");
    EXPECT_EQ(code_of(code, 3), "@P CONT; ");
    EXPECT_EQ(code_of(code, 5), "@P CONT; SYNC; ");
}

TEST(TokenStackLowering, AWayOutOfTwoLoopsIsLedThroughTheMeetingOfTheInnerOne) {
    Flow flow;
    flow.fall(1);
    flow.split(8, 2); // outer loop
    flow.fall(3);
    flow.split(6, 4); // inner loop
    flow.split(8, 5); // out of both
    flow.fall(3);
    flow.fall(7);
    flow.fall(1);
    flow.exit();
    const machine::FlowGraph graph = machine::analyse(flow.function);
    const auto plan = machine::plan_tokens(flow.regions());
    ASSERT_TRUE(plan.conflict);
    EXPECT_EQ(plan.conflict->from, 4U);
    EXPECT_EQ(plan.conflict->to, 8U);
    EXPECT_TRUE(plan.conflict->goes_on);
    const machine::Function code = lowered(flow);
    EXPECT_FALSE(machine::plan_tokens(flow.regions()).edges.empty());
    EXPECT_EQ(code_of(code, 4), ""); // a plain branch: both sides are inside
    std::string all;
    for (BlockIndex block = 9; block < code.blocks.size(); ++block) {
        all += code_of(code, block) + "| ";
    }
    EXPECT_NE(all.find("ISETP.EQ.U32.AND; BRK; "), std::string::npos) << all; // sets the flag and leaves
}

TEST(TokenStackLowering, AFunctionReturnsByToken) {
    Flow flow(false);
    flow.fall(1);
    flow.returns();
    flow.put({.mnemonic = "RET.ABS", .operands = {machine::use(flow.target, 2), machine::number(0)}});
    EXPECT_EQ(code_of(lowered(flow), 1), "RET; ");
}

} // namespace
} // namespace smsim::ptx::test

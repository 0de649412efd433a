// How branches are lowered for the SIMT stack (engines.md Lowering, simt_stack).
#include <gtest/gtest.h>

#include "tb/unit/ptx/lowering_support.h"

namespace smsim::ptx::test {
namespace {

machine::Function lowered(const Flow &flow) {
    return test::lowered({flow}, ReconvergenceEngineKind::kSimtStack).functions[0];
}

TEST(SimtStackLowering, ABranchThatPartsNamesItsPostDominatorBeforeIt) {
    Flow flow;
    flow.split(2, 1);
    flow.fall(2);
    flow.exit();
    const machine::Function code = lowered(flow);
    EXPECT_EQ(code_of(code, 0), "SEL; SETRPC to 2; VBNE to 2; ");
    EXPECT_EQ(code_of(code, 1), "");
    EXPECT_EQ(code_of(code, 2), "JOIN; ");
    EXPECT_EQ(code_of(code, 3), "JOIN; ENDPRG; "); // where all threads end
}

TEST(SimtStackLowering, AWarpThatStaysTogetherBranchesAsAWhole) {
    Flow flow;
    flow.uniform(2, 1);
    flow.fall(2);
    flow.exit();
    const machine::Function code = lowered(flow);
    EXPECT_EQ(code_of(code, 0), "@P BRA.U to 2; ");
    EXPECT_EQ(code_of(code, 2), "");
}

/// Block 0 compares before its branch.
Flow compare(const std::string &mnemonic, const machine::Operand &with, bool negated) {
    Flow flow;
    flow.split(2, 1);
    const machine::Register tid = flow.function.blocks[0].code[0].operands[0].reg;
    machine::Block &block = flow.function.blocks[0];
    block.code.back() = {.mnemonic = mnemonic,
                         .operands = {machine::define_predicate(flow.differs), machine::always(), machine::use(tid),
                                      with, machine::always()}};
    block.end.predicate.negated = negated;
    flow.fall(2);
    flow.exit();
    return flow;
}

std::string branch_of(const Flow &flow) {
    const machine::Function code = lowered(flow);
    const Instruction &branch = code.blocks[0].code.back();
    std::string text = branch.mnemonic;
    for (std::size_t i = 0; i < 2; ++i) {
        text += branch.operands[i].kind == machine::OperandKind::kZero ? " RZ" : " R";
    }
    return text;
}

TEST(SimtStackLowering, ACompareOfIntegersBecomesPartOfTheBranch) {
    EXPECT_EQ(branch_of(compare("ISETP.LT.AND", machine::zero(), false)), "VBLT R RZ");
    EXPECT_EQ(branch_of(compare("ISETP.LT.AND", machine::zero(), true)), "VBGE R RZ");
    EXPECT_EQ(branch_of(compare("ISETP.GT.U32.AND", machine::zero(), false)), "VBLTU RZ R");
    EXPECT_EQ(branch_of(compare("ISETP.LE.AND", machine::zero(), false)), "VBGE RZ R");
    EXPECT_EQ(branch_of(compare("ISETP.NE.U32.AND", machine::number(7), true)), "VBEQ R R");
    EXPECT_EQ(branch_of(compare("FSETP.LT.AND", machine::zero(), false)), "VBNE R RZ"); // by a selected number
}

TEST(SimtStackLowering, InALoopThreadsMeetWhereTheFunctionGoesOn) {
    Flow flow;
    flow.fall(1);
    flow.split(3, 2);
    flow.fall(1);
    flow.exit();
    const machine::Function code = lowered(flow);
    EXPECT_EQ(code_of(code, 1), "SEL; SETRPC to 3; VBNE to 3; ");
    EXPECT_EQ(code_of(code, 3), "JOIN; ");
}

TEST(SimtStackLowering, AnExitIsABranchToTheEnd) {
    Flow flow;
    flow.fall(1);
    flow.put({.mnemonic = "EXIT", .guard = machine::if_true(flow.differs)});
    flow.exit();
    const machine::Function code = lowered(flow);
    EXPECT_EQ(code_of(code, 0), "SEL; SETRPC to 2; VBNE to 2; ");
    EXPECT_EQ(code_of(code, 2), "JOIN; ENDPRG; ");
}

TEST(SimtStackLowering, ATableIsATreeOfBranches) {
    Flow flow;
    flow.table({1, 2, 3, 1});
    flow.fall(3);
    flow.fall(3);
    flow.exit();
    const machine::Function code = lowered(flow);
    std::size_t branches = 0;
    for (BlockIndex block = 0; block < code.blocks.size(); ++block) {
        EXPECT_NE(code.blocks[block].end.kind, machine::EndKind::kTable);
        branches += code_of(code, block).find("VBLTU") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(branches, 3U);
}

TEST(SimtStackLowering, FunctionsThatAPointerChoosesAreCalledInRounds) {
    Flow flow;
    flow.fall(1);
    flow.put({.mnemonic = "CALL", .operands = {machine::use(flow.target, 2)}});
    flow.exit();
    const machine::Function code = lowered(flow);
    std::string all;
    for (BlockIndex block = 0; block < code.blocks.size(); ++block) {
        all += code_of(code, block) + "| ";
    }
    EXPECT_NE(all.find("REDUX.MIN; ISETP.NE.U32.AND; SETRPC"), std::string::npos) << all;
    EXPECT_NE(all.find("| CALL; | JOIN; SEL"), std::string::npos) << all;
}

} // namespace
} // namespace smsim::ptx::test

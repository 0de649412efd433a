// How regions are lowered on a machine with convergence barriers (lowering.md Convergence insertion).
#include <gtest/gtest.h>

#include "tb/unit/ptx/lowering_support.h"

namespace smsim::ptx::test {
namespace {

machine::Module lowered(const std::vector<Flow> &flows) {
    return test::lowered(flows, ReconvergenceEngineKind::kConvergenceBarrier);
}

Flow simple_if(bool kernel = true) {
    Flow flow(kernel);
    flow.split(2, 1);
    flow.fall(2);
    kernel ? flow.exit() : flow.returns();
    return flow;
}

TEST(ConvergenceBarrierLowering, ARegionBeginsWithBssyAndEndsWithBsync) {
    const machine::Module module = lowered({simple_if()});
    EXPECT_EQ(code_of(module.functions[0], 0), "BSSY B0 to 2; ");
    EXPECT_EQ(code_of(module.functions[0], 1), "NOP; ");
    EXPECT_EQ(code_of(module.functions[0], 2), "BSYNC B0; NOP; ");
}

TEST(ConvergenceBarrierLowering, AWayOutOfARegionBreaksIt) {
    Flow flow;
    flow.fall(1);
    flow.split(3, 2);
    flow.split(4, 3);
    flow.fall(1);
    flow.exit();
    const machine::Module module = lowered({flow});
    const machine::Function &code = module.functions[0];
    ASSERT_EQ(code.blocks.size(), 6U);
    EXPECT_EQ(code_of(code, 0), "BSSY B0 to 4; ");
    EXPECT_EQ(code_of(code, 1), "NOP; BSSY B1 to 3; ");
    EXPECT_EQ(code.blocks[2].end.taken, 5U);
    EXPECT_EQ(code_of(code, 5), "BREAK B1; ");
    EXPECT_EQ(code.blocks[5].end.next, 4U);
    EXPECT_EQ(code_of(code, 4), "BSYNC B0; NOP; ");
}

TEST(ConvergenceBarrierLowering, ACalledFunctionUsesTheBarriersAfterThoseOfItsCallers) {
    Flow caller = simple_if();
    caller.function.blocks[1].code.push_back({.mnemonic = "CALL", .callee = 1});
    const machine::Module module = lowered({caller, simple_if(false)});
    EXPECT_EQ(code_of(module.functions[0], 0), "BSSY B0 to 2; ");
    EXPECT_EQ(code_of(module.functions[1], 0), "BSSY B1 to 2; ");
}

TEST(ConvergenceBarrierLowering, ARecursiveFunctionSavesItsBarriers) {
    Flow flow = simple_if(false);
    flow.function.blocks[1].code.push_back({.mnemonic = "CALL", .callee = 0});
    const machine::Module module = lowered({flow});
    EXPECT_EQ(code_of(module.functions[0], 0), "BMOV.CLEAR B0; BSSY B0 to 2; ");
    EXPECT_EQ(code_of(module.functions[0], 2), "BSYNC B0; BMOV B0; NOP; ");
}

TEST(ConvergenceBarrierLowering, ThreadsDivergedByACallReconvergeAfterIt) {
    Flow flow;
    flow.exit();
    flow.put({.mnemonic = "CALL", .operands = {machine::use(flow.target, 2)}});
    flow.put({.mnemonic = "CALL", .operands = {machine::use(flow.target, 2)}});
    const machine::Module module = lowered({flow});
    EXPECT_EQ(code_of(module.functions[0], 0), "BSSY B0; CALL; BSYNC B0; BSSY B0; CALL; BSYNC B0; ");
}

TEST(ConvergenceBarrierLowering, ALoopThatWaitsYieldsInEveryRound) {
    Flow flow;
    flow.fall(1);
    flow.split(3, 2);
    flow.put({.mnemonic = "LDG", .operands = {machine::define_predicate(flow.differs)}, .spins = true});
    flow.fall(1);
    flow.exit();
    const machine::Module module = lowered({flow});
    EXPECT_EQ(code_of(module.functions[0], 2), "NOP; YIELD; ");
}

TEST(ConvergenceBarrierLowering, BeyondSixteenARegisterIsTakenAgainAndBeyondThirtyTwoNone) {
    constexpr unsigned kLevels = 34;
    Flow flow;
    for (BlockIndex level = 0; level < kLevels; ++level) { // the paths of level i meet in block 2 * kLevels - i
        flow.split(2 * kLevels - level, level + 1);
    }
    for (BlockIndex block = kLevels; block < 2 * kLevels; ++block) {
        flow.fall(block + 1);
    }
    flow.exit();
    const machine::Module module = lowered({flow});
    const machine::Function &code = module.functions[0];
    EXPECT_EQ(code_of(code, 15), "NOP; BSSY B15 to 53; ");
    EXPECT_EQ(code_of(code, 16), "NOP; BMOV.CLEAR B0; BSSY B0 to 52; ");
    EXPECT_EQ(code_of(code, 52), "BSYNC B0; BMOV B0; NOP; ");
    EXPECT_EQ(code_of(code, 31), "NOP; BMOV.CLEAR B15; BSSY B15 to 37; ");
    EXPECT_EQ(code_of(code, 32), "NOP; ");
    EXPECT_EQ(code_of(code, 36), "NOP; ");
}

} // namespace
} // namespace smsim::ptx::test

// Election, YIELD, NANOSLEEP and EXIT (bru.md "Elect", "YIELD, NANOSLEEP, EXIT").
#include <gtest/gtest.h>

#include "bru/engines/common/values.h"
#include "bru/engines/convergence_barrier/election.h"
#include "bru/engines/convergence_barrier/yield_and_exit.h"
#include "tb/unit/bru/support.h"

namespace smsim::bru::test {
namespace {

Instruction yield_at(Pc pc) {
    return insn(Op::kYield, Form::kX, pc);
}
Instruction sleep_at(Pc pc, std::uint32_t ns) {
    return insn(Op::kNanosleep, Form::kI, pc, ns);
}
Instruction exit_at(Pc pc) {
    return insn(Op::kExit, Form::kX, pc);
}

// --- exceptions are precise

TEST(Turn, IsNotUsedUpByAnException) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x80);
    warp.step(yield_at(0x40));
    ASSERT_TRUE(warp.control.turn_given);
    const StepResult result = warp.step(insn(Op::kRtt, Form::kX, 0x80));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault_lane, 1U);
    EXPECT_TRUE(warp.control.turn_given);
}

// --- elect

// Threads 1..4 wait: 1 at 0x10, 2 and 3 at 0x20, 4 at 0x10.
Warp four_waiting() {
    Warp warp(LaneMask(0x1f));
    return warp.stand(lanes({1, 4}), 0x10).stand(lanes({2, 3}), 0x20);
}

TEST(Elect1, SleepersAreLeftOutWhileOthersAreAwake) {
    Warp warp = four_waiting();
    warp.state().sleep = lanes({1});
    EXPECT_FALSE(elect(warp.control, LaneMask(0x1e), std::nullopt, warp.config));
    EXPECT_EQ(warp.state().active_pc, 0x20U);
    EXPECT_EQ(warp.state().active, lanes({2, 3}));
}

// As the source document writes the expression, it tests whether all sleepers are candidates: always true if no thread
// sleeps.
TEST(Elect1, D3_TheWarpDoesNotSleepWhenNoThreadSleeps) {
    Warp warp = four_waiting();
    EXPECT_FALSE(elect(warp.control, LaneMask(0x1e), std::nullopt, warp.config));
}

TEST(Elect1, D3_SleepersOutsideThePoolDoNotMatter) {
    Warp warp = four_waiting();
    warp.state().sleep = lanes({1, 2});
    EXPECT_TRUE(elect(warp.control, lanes({2}), std::nullopt, warp.config));
}

TEST(Elect2, YieldedThreadsRunOnlyWhenThereAreNoOthers) {
    Warp warp = four_waiting();
    warp.state().yield = lanes({1, 2, 4});
    EXPECT_FALSE(elect(warp.control, LaneMask(0x1e), std::nullopt, warp.config));
    EXPECT_EQ(warp.state().active, lanes({3}));
    warp = four_waiting();
    warp.state().yield = LaneMask(0x1e);
    EXPECT_FALSE(elect(warp.control, LaneMask(0x1e), std::nullopt, warp.config));
    EXPECT_EQ(warp.state().active, lanes({1, 4}));
}

TEST(Elect3, WideningTakesAllAtTheElectedAddress) {
    Warp warp = four_waiting();
    EXPECT_FALSE(elect(warp.control, lanes({1}), std::nullopt, warp.config));
    EXPECT_EQ(warp.state().active, lanes({1}));
    warp = four_waiting();
    EXPECT_FALSE(elect(warp.control, lanes({1}), LaneMask(0x1e), warp.config));
    EXPECT_EQ(warp.state().active, lanes({1, 4}));
}

TEST(Elect3, D4_SleepersAtTheElectedAddressDoNotJoin) {
    Warp warp = four_waiting();
    warp.state().sleep = lanes({4});
    EXPECT_FALSE(elect(warp.control, lanes({1}), LaneMask(0x1e), warp.config));
    EXPECT_EQ(warp.state().active, lanes({1}));
}

TEST(Elect4, D4_TheyJoinWhenTheWholePoolSleeps) {
    Warp warp = four_waiting();
    warp.state().sleep = lanes({1, 4});
    EXPECT_TRUE(elect(warp.control, lanes({1}), LaneMask(0x1e), warp.config));
    EXPECT_EQ(warp.state().active, lanes({1, 4}));
}

// --- YIELD

TEST(Yield, ConvergedIsANop) {
    Warp warp(LaneMask(0x3));
    const StepResult result = warp.step(yield_at(0));
    EXPECT_EQ(result.event.kind, StepEvent::Kind::kYieldConverged);
    EXPECT_EQ(result.next_pc, 0x10U);
    EXPECT_EQ(warp.state().yield, LaneMask());
    EXPECT_FALSE(warp.control.turn_given);
}

TEST(YieldStep1, TheTurnGoesRoundAllPaths) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x10).stand(LaneMask(0x2), 0x20).stand(LaneMask(0x4), 0x30);
    EXPECT_EQ(warp.step(yield_at(0x10)).next_active, LaneMask(0x2));
    EXPECT_EQ(warp.state().switch_set, LaneMask(0x4)); // step 5: 1 has had its turn
    EXPECT_EQ(warp.step(yield_at(0x20)).next_active, LaneMask(0x4));
    EXPECT_EQ(warp.state().switch_set, LaneMask(0x3)); // step 5: empty, starts again
    EXPECT_EQ(warp.step(yield_at(0x30)).next_active, LaneMask(0x1));
}

TEST(YieldStep1, AnExhaustedSwitchMaskIsRefilled) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x10).stand(LaneMask(0x6), 0x20);
    warp.state().switch_set = LaneMask(0x1); // only the active thread itself is left
    EXPECT_EQ(warp.step(yield_at(0x10)).next_active, LaneMask(0x6));
}

// Only thread 1 has its turn, and it sleeps; thread 2 is awake, so the warp must not sleep.
TEST(YieldStep2, D9_TheWarpDoesNotSleepWhileAnyThreadIsAwake) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x10).stand(LaneMask(0x2), 0x20).stand(LaneMask(0x4), 0x30);
    warp.state().switch_set = LaneMask(0x2);
    warp.state().sleep = LaneMask(0x2);
    const StepResult result = warp.step(yield_at(0x10));
    EXPECT_EQ(result.outcome, Outcome::kContinue);
    EXPECT_EQ(result.next_active, LaneMask(0x4));
}

TEST(YieldStep2, TheWarpSleepsWhenAllOthersSleep) {
    Warp warp(LaneMask(0x7));
    warp.active(LaneMask(0x1), 0x10).stand(LaneMask(0x6), 0x20);
    warp.state().sleep = LaneMask(0x6);
    const StepResult result = warp.step(yield_at(0x10));
    EXPECT_EQ(result.outcome, Outcome::kSleep);
    EXPECT_EQ(result.next_active, LaneMask(0x6));
}

// If its saved address were not after the YIELD, the thread would execute the same YIELD at each turn.
TEST(YieldStep3, D10_YieldingThreadsContinueAfterTheYield) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0x10).stand(LaneMask(0x2), 0x30);
    warp.step(yield_at(0x10));
    EXPECT_EQ(warp.state().yield, LaneMask(0x1));
    EXPECT_EQ(warp.step(yield_at(0x30)).next_pc, 0x20U);
}

TEST(YieldStep4, ThreadsThatYieldedDoNotJoinAtTheirNewAddress) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0x10).stand(LaneMask(0x2), 0x20); // thread 1 is directly after the YIELD
    const StepResult result = warp.step(yield_at(0x10));
    EXPECT_EQ(result.next_pc, 0x20U);
    EXPECT_EQ(result.next_active, LaneMask(0x2));
    EXPECT_TRUE(warp.control.turn_given);
}

// --- NANOSLEEP

TEST(Nanosleep, ZeroIsANop) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0x10).stand(LaneMask(0x2), 0x30);
    const StepResult result = warp.step(sleep_at(0x10, 0));
    EXPECT_EQ(result.next_pc, 0x20U);
    EXPECT_EQ(result.next_active, LaneMask(0x1));
    EXPECT_FALSE(result.sleep_ns);
    EXPECT_EQ(warp.state().sleep, LaneMask());
}

TEST(Nanosleep, D11_TheShortestTimeOfTheActiveThreads) {
    Values values;
    values.vectors[0] = {5, 300, 200, 0};
    EXPECT_EQ(sleep_time(insn(Op::kNanosleep, Form::kR, 0), values.operands(), LaneMask(0x6)), 200U);
    values.scalar = 0xffffffff;
    EXPECT_EQ(sleep_time(insn(Op::kNanosleep, Form::kU, 0), values.operands(), LaneMask(0x6)), 0xffffffffU);
    EXPECT_EQ(sleep_time(insn(Op::kNanosleep, Form::kC, 0), values.operands(), LaneMask(0x6)), 0xffffffffU);
    EXPECT_EQ(sleep_time(sleep_at(0, 0xfffffffe), values.operands(), LaneMask(0x6)), 0xfffffffeU);
}

TEST(Nanosleep, ConvergedWarpSleepsAfterIt) {
    Warp warp(LaneMask(0x3));
    const StepResult result = warp.step(sleep_at(0, 100));
    EXPECT_EQ(result.outcome, Outcome::kSleep);
    EXPECT_EQ(result.next_pc, 0x10U);
    EXPECT_EQ(result.next_active, LaneMask(0x3));
    EXPECT_EQ(result.sleep_ns, 100U);
    EXPECT_FALSE(warp.control.turn_given);
}

TEST(Nanosleep, D12_SetsSleepMaskAndByDefaultYieldMask) {
    for (const bool sets_yield : {true, false}) {
        Warp warp(LaneMask(0x3));
        warp.config.nanosleep_sets_yield = sets_yield;
        warp.active(LaneMask(0x1), 0x10).stand(LaneMask(0x2), 0x30);
        const StepResult result = warp.step(sleep_at(0x10, 100));
        EXPECT_EQ(result.outcome, Outcome::kContinue);
        EXPECT_EQ(result.next_active, LaneMask(0x2));
        EXPECT_EQ(warp.state().sleep, LaneMask(0x1));
        EXPECT_EQ(warp.state().yield, sets_yield ? LaneMask(0x1) : LaneMask());
        EXPECT_EQ(warp.state().rpc[0], 0x20U);
        EXPECT_TRUE(warp.control.turn_given);
    }
}

TEST(Nanosleep, SleepMaskIsSetBeforeTheOthersAreChosen) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0x10).stand(LaneMask(0x2), 0x30);
    warp.state().sleep = LaneMask(0x2);
    EXPECT_EQ(warp.step(sleep_at(0x10, 100)).outcome, Outcome::kSleep);
    EXPECT_EQ(warp.state().sleep, LaneMask(0x3));
}

TEST(Timer, WakesAllAndIsProgress) {
    Warp warp(LaneMask(0x7));
    warp.state().sleep = LaneMask(0x3);
    warp.state().yield = LaneMask(0x3);
    warp.state().wait = LaneMask(0x4);
    warp.state().wait_bar = LaneMask(0x4);
    clear_sleep(warp.state());
    EXPECT_EQ(warp.state().sleep, LaneMask());
    EXPECT_EQ(warp.state().wait, LaneMask());
    EXPECT_EQ(warp.state().wait_bar, LaneMask());
    EXPECT_EQ(warp.state().yield, LaneMask(0x3));
}

// --- EXIT

TEST(Exit, SomeThreadsEndTheOthersGoOnTogether) {
    Warp warp(LaneMask(0xf));
    const StepResult result = warp.step(exit_at(0), {.guard = LaneMask(0x3)});
    EXPECT_EQ(result.next_active, LaneMask(0xc));
    EXPECT_EQ(result.next_pc, 0x10U);
    EXPECT_EQ(warp.state().valid, LaneMask(0xc));
}

TEST(Exit, WithAllGuardsFalseIsANop) {
    Warp warp(LaneMask(0xf));
    EXPECT_EQ(warp.step(exit_at(0), {.guard = LaneMask()}).next_active, LaneMask(0xf));
}

TEST(Exit, D2_EndedThreadsLeaveEveryMask) {
    Warp warp(LaneMask(0xf));
    ControlState &state = warp.state();
    state.yield = state.sleep = state.switch_set = state.wait = state.wait_bar = state.turn = LaneMask(0xf);
    state.b.fill(LaneMask(0xf));
    remove_threads(state, LaneMask(0x3));
    for (const LaneMask mask : {state.valid, state.active, state.yield, state.sleep, state.switch_set, state.wait,
                                state.wait_bar, state.turn, state.b[0], state.b[15]}) {
        EXPECT_EQ(mask, LaneMask(0xc));
    }
}

TEST(Exit, ElectsAmongAllThatRemain) {
    Warp warp(LaneMask(0xf));
    warp.active(LaneMask(0x1), 0x10).stand(LaneMask(0x2), 0x20).stand(LaneMask(0xc), 0x30);
    warp.state().yield = LaneMask(0x2);
    const StepResult result = warp.step(exit_at(0x10));
    EXPECT_EQ(result.outcome, Outcome::kContinue);
    EXPECT_EQ(result.next_pc, 0x30U);
    EXPECT_EQ(result.next_active, LaneMask(0xc));
    EXPECT_FALSE(warp.control.turn_given);
}

TEST(Exit, TheWarpSleepsWhenOnlySleepersRemain) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0x10).stand(LaneMask(0x2), 0x20);
    warp.state().sleep = LaneMask(0x2);
    EXPECT_EQ(warp.step(exit_at(0x10)).outcome, Outcome::kSleep);
}

TEST(Exit, TheLastThreadEndsTheWarp) {
    Warp warp(LaneMask(0x3));
    const StepResult result = warp.step(exit_at(0));
    EXPECT_EQ(result.outcome, Outcome::kExited);
    EXPECT_EQ(result.next_active, LaneMask());
}

} // namespace
} // namespace smsim::bru::test

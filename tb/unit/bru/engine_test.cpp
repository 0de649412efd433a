// Properties of all control instructions: parking rule, progress, exceptions, traps, system calls, reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bru/timing.h"
#include "tb/support/distinct_state.h"
#include "tb/unit/bru/support.h"

namespace smsim::bru::test {
namespace {

using ::testing::HasSubstr;

TEST(WarpState, Initial) {
    const ControlState state = started(0x120, LaneMask(0xff)).state;
    ControlState expected;
    expected.active_pc = 0x120;
    expected.rpc.fill(0x120);
    expected.valid = expected.active = LaneMask(0xff);
    EXPECT_EQ(state, expected);
}

TEST(ParkingRule, FalseThreadsGoOnTrueThreadsStay) {
    for (const Op op : {Op::kBsync, Op::kWarpsync, Op::kYield, Op::kNanosleep}) {
        Warp warp(LaneMask(0xff));
        warp.active(LaneMask(0x0f), 0x40).stand(LaneMask(0xf0), 0x80);
        ControlState expected = warp.state();
        expected.active = LaneMask(0x0c);
        expected.active_pc = 0x50;
        expected.rpc[0] = expected.rpc[1] = 0x40;
        const Form form = op == Op::kWarpsync || op == Op::kNanosleep ? Form::kI : Form::kX;
        const StepResult result = warp.step(insn(op, form, 0x40, 1), {.guard = LaneMask(0xf3)});
        EXPECT_EQ(warp.state(), expected);
        EXPECT_EQ(result.event.kind, StepEvent::Kind::kParked);
        EXPECT_EQ(result.outcome, Outcome::kContinue);
    }
}

TEST(ParkingRule, WithAllGuardsFalseNothingHappens) {
    Warp warp(LaneMask(0x3));
    const StepResult result = warp.step(on_breg(Op::kBsync, Form::kX, 0, 0), {.guard = LaneMask()});
    EXPECT_EQ(result.next_active, LaneMask(0x3));
    EXPECT_EQ(result.next_pc, 0x10U);
    EXPECT_EQ(result.event.kind, StepEvent::Kind::kPlain);
}

TEST(ParkingRule, ParkedThreadsExecuteWhenElected) {
    Warp warp(LaneMask(0x3));
    const Instruction yield = insn(Op::kYield, Form::kX, 0x40);
    warp.active(LaneMask(0x3), 0x40).step(yield, {.guard = LaneMask(0x1)});
    warp.step(insn(Op::kExit, Form::kX, 0x50)); // the thread with the false guard ends, thread 0 is elected
    EXPECT_EQ(warp.state().active_pc, 0x40U);
    EXPECT_EQ(warp.step(yield, {.guard = LaneMask(0x1)}).event.kind, StepEvent::Kind::kYieldConverged);
}

TEST(Progress, EveryInstructionButABlockedSync) {
    const Instruction progress[] = {
        insn(Op::kBra, Form::kX, 0x40),         on_breg(Op::kBssy, Form::kI, 0x40, 1),
        on_breg(Op::kBreak, Form::kX, 0x40, 1), on_breg(Op::kBmov, Form::kX, 0x40, 1),
        on_breg(Op::kBsync, Form::kX, 0x40, 1), insn(Op::kWarpsync, Form::kI, 0x40, 1),
        insn(Op::kYield, Form::kX, 0x40),       insn(Op::kNanosleep, Form::kI, 0x40, 0),
        insn(Op::kLepc, Form::kI, 0x40),        insn(Op::kSyscall, Form::kX, 0x40),
    };
    for (const Instruction &i : progress) {
        Warp warp(LaneMask(0x3));
        warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x80);
        warp.state().wait = warp.state().wait_bar = LaneMask(0x2);
        EXPECT_FALSE(warp.step(i).fault);
        EXPECT_EQ(warp.state().wait, LaneMask()) << static_cast<int>(i.op);
        EXPECT_EQ(warp.state().wait_bar, LaneMask()) << static_cast<int>(i.op);
    }
}

TEST(Progress, InstructionsOfOtherUnitsAreSeenByTheAddress) {
    Warp warp(LaneMask(0x3));
    warp.active(LaneMask(0x1), 0x40).stand(LaneMask(0x2), 0x80);
    warp.state().wait = warp.state().wait_bar = LaneMask(0x2);
    warp.control.turn_given = true;
    catch_up(warp.control, 0x40);
    EXPECT_EQ(warp.state().wait, LaneMask(0x2));
    EXPECT_TRUE(warp.control.turn_given);
    catch_up(warp.control, 0x60);
    EXPECT_EQ(warp.state().active_pc, 0x60U);
    EXPECT_EQ(warp.state().wait, LaneMask());
    EXPECT_EQ(warp.state().wait_bar, LaneMask());
    EXPECT_FALSE(warp.control.turn_given);
}

TEST(SecondGuard, CountsOnlyWhereTheOperationHasOne) {
    Warp warp(LaneMask(0xf));
    warp.step(on_breg(Op::kBssy, Form::kI, 0, 0), {.guard_pp = LaneMask(0x1)});
    EXPECT_EQ(warp.state().b[0], LaneMask(0xf));
}

// --- TRAP and RTT

TEST(Trap, WithoutHandlerIsAnException) {
    Warp warp(LaneMask(0xf));
    Values values;
    values.guard = LaneMask(0xc);
    values.vectors[0] = {1, 2, 33, 4};
    const StepResult result = warp.step(insn(Op::kTrap, Form::kR, 0), values);
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kTrap);
    EXPECT_EQ(result.fault->detail, "Trap(33) by threads 0x0000000c, and no trap handler is configured");
}

TEST(Trap, WithFalseGuardsIsANop) {
    Warp warp(LaneMask(0xf));
    EXPECT_EQ(warp.step(insn(Op::kTrap, Form::kI, 0, 1), {.guard = LaneMask()}).next_pc, 0x10U);
    EXPECT_EQ(warp.step(insn(Op::kRtt, Form::kX, 0x10), {.guard = LaneMask()}).next_pc, 0x20U);
}

TEST(Trap, HandlerAndReturn) {
    Warp warp(LaneMask(0xf));
    warp.config.trap_handler = 0x800;
    warp.active(LaneMask(0x3), 0x40).stand(LaneMask(0xc), 0x80);
    Values values;
    values.scalar = 7;
    const StepResult there = warp.step(insn(Op::kTrap, Form::kC, 0x40), values);
    EXPECT_EQ(there.next_pc, 0x800U);
    EXPECT_EQ(there.next_active, LaneMask(0x3));
    EXPECT_EQ(warp.control.trap.index, 7U);
    const StepResult back = warp.step(insn(Op::kRtt, Form::kX, 0x820));
    EXPECT_EQ(back.next_pc, 0x50U);
    EXPECT_EQ(back.next_active, LaneMask(0x3));
    EXPECT_FALSE(warp.control.trap.in_handler);
}

TEST(Trap, HandlerOutsideTheProgram) {
    Warp warp(LaneMask(0x1));
    warp.config.trap_handler = kProgramBytes;
    const StepResult result = warp.step(insn(Op::kTrap, Form::kI, 0, 1));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kIllegalTarget);
}

TEST(IllegalTrap, SecondTrapBeforeReturn) {
    Warp warp(LaneMask(0x1));
    warp.config.trap_handler = 0x800;
    warp.step(insn(Op::kTrap, Form::kI, 0, 1));
    const StepResult result = warp.step(insn(Op::kTrap, Form::kI, 0x800, 2));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kIllegalTrap);
    EXPECT_EQ(result.fault->detail, "TRAP 2 while the handler of TRAP 1 is running");
    EXPECT_EQ(result.fault_value, 2U);
}

TEST(IllegalTrap, ReturnOutsideAHandler) {
    Warp warp(LaneMask(0x1));
    const StepResult result = warp.step(insn(Op::kRtt, Form::kX, 0));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kIllegalTrap);
    EXPECT_EQ(result.fault->detail, "RTT outside a trap handler");
}

// --- others

TEST(Syscall, GoesOnAndIsReported) {
    Warp warp(LaneMask(0xf));
    const StepResult result = warp.step(insn(Op::kSyscall, Form::kX, 0), {.guard = LaneMask(0x1)});
    EXPECT_EQ(result.event.kind, StepEvent::Kind::kSyscall);
    EXPECT_EQ(result.next_pc, 0x10U);
    EXPECT_EQ(warp.step(insn(Op::kSyscall, Form::kX, 0x10), {.guard = LaneMask()}).event.kind, StepEvent::Kind::kPlain);
}

TEST(IllegalInstruction, OperationOfAnotherUnit) {
    Warp warp(LaneMask(0x1));
    const StepResult result = warp.step(insn(Op::kIadd3, Form::kR, 0));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kIllegalInstruction);
    EXPECT_THAT(result.fault->detail, HasSubstr("is not one of the branch unit"));
}

TEST(IllegalInstruction, AWarpNeverRunsWithoutActiveThreads) {
    Warp warp(LaneMask{});
    const StepResult result = warp.step(insn(Op::kBra, Form::kX, 0));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->detail, "the warp has no active thread");
}

ControlState shown(const ReconvergenceEngine &engine, std::uint32_t warp, const Untold &untold = {}) {
    return state_of(engine.snapshot(WarpSlot(warp), untold));
}

TEST(Engine, FieldsAreNamedAndHoldTheWholeState) {
    ControlState state = tb::distinct_state();
    for (unsigned i = 0; i < kConvergenceBarriers; ++i) {
        state.b[i] = LaneMask(0x100 + i);
    }
    state.rpc.fill(0x50);
    const ControlSnapshot snapshot = snapshot_of(state);
    EXPECT_EQ(state_of(snapshot), state);
    ASSERT_EQ(snapshot.fields.size(), snapshot.values.size());
    EXPECT_EQ(snapshot.fields[0].name, "ActivePC");
    EXPECT_EQ(snapshot.values[0], 0x30U);
    EXPECT_EQ(snapshot.fields[24].name, "B15");
    EXPECT_EQ(snapshot.fields[24].bank, "b");
    EXPECT_EQ(snapshot.values[24], 0x10fU);
    EXPECT_EQ(snapshot.fields[25].name, "rpc");
    EXPECT_EQ(snapshot.values[25], 0xfeU) << "active threads have no address of their own";
    EXPECT_EQ(snapshot.list_of(25)[4], 0x50U);
}

TEST(Engine, ASnapshotIncludesInstructionsOfOtherUnits) {
    const auto engine = make_engine({}, 1);
    engine->start(WarpSlot(0), 0, LaneMask(0xf), kProgramBytes);
    Values values;
    values.guard = LaneMask(0x3);
    engine->execute(WarpSlot(0), on_breg(Op::kBssy, Form::kI, 0, 0), Values().operands());
    Instruction jump = insn(Op::kBra, Form::kX, 0x10, 4);
    engine->execute(WarpSlot(0), jump, values.operands());
    engine->execute(WarpSlot(0), on_breg(Op::kBsync, Form::kX, 0x20, 0), Values().operands());
    ASSERT_EQ(shown(*engine, 0).wait, LaneMask(0xc));
    EXPECT_EQ(shown(*engine, 0, {0x70, false}).wait, LaneMask()) << "bru.md Progress";
    EXPECT_EQ(shown(*engine, 0, {0x70, false}).active_pc, 0x70U);
    EXPECT_EQ(shown(*engine, 0, {std::nullopt, true}).wait_bar, LaneMask());
    EXPECT_EQ(shown(*engine, 0).wait, LaneMask(0xc)) << "looking changes nothing";
}

TEST(Engine, SlotsAreApartAndRestartForgets) {
    const auto engine = make_engine({}, 2);
    engine->start(WarpSlot(0), 0, LaneMask(0xf), kProgramBytes);
    engine->start(WarpSlot(1), 0x100, LaneMask(0x1), kProgramBytes);
    Values values;
    values.guard = LaneMask(0x3);
    engine->execute(WarpSlot(0), on_breg(Op::kBssy, Form::kI, 0, 0), values.operands());
    EXPECT_EQ(shown(*engine, 1), started(0x100, LaneMask(0x1)).state);
    EXPECT_EQ(shown(*engine, 0).b[0], LaneMask(0x3));
    engine->start(WarpSlot(0), 0x20, LaneMask(0x7), kProgramBytes);
    EXPECT_EQ(shown(*engine, 0), started(0x20, LaneMask(0x7)).state);
}

TEST(Engine, TimerExpiryReachesItsWarp) {
    const auto engine = make_engine({}, 1);
    engine->start(WarpSlot(0), 0, LaneMask(0xf), kProgramBytes);
    engine->execute(WarpSlot(0), insn(Op::kNanosleep, Form::kI, 0, 5), Values().operands());
    EXPECT_EQ(shown(*engine, 0).sleep, LaneMask(0xf));
    engine->timer_expired(WarpSlot(0));
    EXPECT_EQ(shown(*engine, 0).sleep, LaneMask());
}

TEST(Engine, Describe) {
    BruConfig config;
    config.trap_handler = 0x800;
    const auto engine = make_engine(config, 1);
    EXPECT_EQ(engine->describe(WarpSlot(0)), "no threads");
    engine->start(WarpSlot(0), 0, LaneMask(0xf), kProgramBytes);
    Values some;
    some.guard = LaneMask(0x3);
    engine->execute(WarpSlot(0), on_breg(Op::kBssy, Form::kI, 0, 2), some.operands());
    engine->execute(WarpSlot(0), insn(Op::kBra, Form::kX, 0x10, 3), some.operands());
    engine->execute(WarpSlot(0), insn(Op::kNanosleep, Form::kI, 0x20, 5), Values().operands());
    engine->execute(WarpSlot(0), insn(Op::kTrap, Form::kI, 0x50, 9), Values().operands());
    EXPECT_EQ(engine->describe(WarpSlot(0)),
              "threads 0x00000003 active at 0x0800; 0x0000000c at 0x0030; yielded 0x0000000c; asleep 0x0000000c; "
              "B2 0x00000003; in the handler of TRAP 9");
}

// --- timing figures

TEST(Timing, ClassOfEachOperation) {
    BruConfig config;
    config.branch_latency = 11;
    config.barrier_latency = 12;
    config.sync_latency = 13;
    config.yield_latency = 14;
    config.move_latency = 15;
    config.branch_interval = 1;
    config.barrier_interval = 2;
    config.sync_interval = 3;
    config.yield_interval = 4;
    config.move_interval = 5;
    const auto expect = [&](Op op, Form form, std::uint32_t latency, std::uint32_t interval) {
        const ClassTiming timing = timing_of(config, insn(op, form, 0));
        EXPECT_EQ(timing.latency, latency) << static_cast<int>(op);
        EXPECT_EQ(timing.interval, interval) << static_cast<int>(op);
    };
    for (const Op op : {Op::kBra, Op::kBrx, Op::kCall, Op::kRet, Op::kExit, Op::kRtt, Op::kTrap, Op::kSyscall}) {
        expect(op, Form::kX, 11, 1);
    }
    for (const Op op : {Op::kBssy, Op::kBreak, Op::kLepc}) {
        expect(op, Form::kX, 12, 2);
    }
    expect(Op::kBmov, Form::kR, 12, 2);
    expect(Op::kBsync, Form::kX, 13, 3);
    expect(Op::kWarpsync, Form::kI, 13, 3);
    expect(Op::kYield, Form::kX, 14, 4);
    expect(Op::kNanosleep, Form::kI, 14, 4);
    expect(Op::kBmov, Form::kX, 15, 5);
}

} // namespace
} // namespace smsim::bru::test

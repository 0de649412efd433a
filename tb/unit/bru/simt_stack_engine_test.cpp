// The engine simt_stack: what the active threads do together, what it reports about itself, and what it counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bru/branch_statistics.h"
#include "model/config/config.h"
#include "tb/unit/bru/simt_stack_support.h"

namespace smsim::bru::simt_stack::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Pc kJoin = 0x80;

/// BRX Ra at 0x10 with `target` of each lane.
Values targets(std::uint64_t even, std::uint64_t odd) {
    Values values;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        values.vectors[0][lane] = lane % 2 == 0 ? even : odd;
    }
    return values;
}

TEST(SimtStackJump, OfAllActiveThreadsGoesToTheirOneTarget) {
    OneWarp one(LaneMask(0xf));
    EXPECT_EQ(one.step(to(Op::kBra, 0x10, 0x100)).next_pc, 0x100U);
    EXPECT_EQ(one.step(insn(Op::kBrx, Form::kR, 0x10), targets(0x40, 0x40)).next_pc, 0x60U);
    Instruction call = insn(Op::kCall, Form::kR, 0x10);
    call.mod[0] = 1; // ABS
    const StepResult result = one.step(call, targets(0x200, 0x200));
    EXPECT_EQ(result.next_pc, 0x200U);
    EXPECT_EQ(result.event.kind, StepEvent::Kind::kBranch);
    EXPECT_EQ(result.event.jumped, LaneMask(0xf));
    Instruction ret = insn(Op::kRet, Form::kU, 0x10);
    ret.mod[0] = 1;
    EXPECT_EQ(one.step(ret, {.scalar = 0x300}).next_pc, 0x300U);
    EXPECT_TRUE(one.state().stack.empty());
}

TEST(SimtStackJump, TargetsOfThreadsThatDoNotExecuteDoNotCount) {
    OneWarp one(LaneMask(0x5)); // even threads
    EXPECT_EQ(one.step(insn(Op::kBrx, Form::kR, 0x10), targets(0x40, 0x60)).next_pc, 0x60U);
}

TEST(SimtStackJump, ToSeveralTargetsIsDivergentTarget) {
    OneWarp one(LaneMask(0xf));
    const StepResult result = one.step(insn(Op::kBrx, Form::kR, 0x10), targets(0x40, 0x60));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kDivergentTarget);
    EXPECT_EQ(result.fault->detail,
              "thread 0 would go to 0x60 and thread 1 to 0x80; all active threads go to one target");
    EXPECT_EQ(result.fault_lane, 1U);
    EXPECT_EQ(result.fault_value, 0x80U);
}

TEST(SimtStackJump, WithAGuardThatSomeThreadsHaveIsDivergentTarget) {
    for (const Op op : {Op::kBrx, Op::kCall, Op::kRet}) {
        OneWarp one(LaneMask(0xf));
        Values values = targets(0x40, 0x40);
        values.guard = LaneMask(0x3);
        const StepResult result = one.step(insn(op, Form::kR, 0x10), values);
        ASSERT_TRUE(result.fault);
        EXPECT_EQ(result.fault->fault, Fault::kDivergentTarget);
        EXPECT_EQ(result.fault->detail, "threads 0x00000003 would jump and 0x0000000c would not; all active threads "
                                        "jump or none");
        values.guard = LaneMask(0xf0);
        EXPECT_EQ(one.step(insn(op, Form::kR, 0x10), values).next_pc, 0x20U) << "no thread jumps";
        values.guard = LaneMask(0xff);
        EXPECT_EQ(one.step(insn(op, Form::kR, 0x10), values).next_pc, 0x60U);
    }
}

TEST(SimtStackJump, BraUJumpsWhenAllActiveThreadsWantTo) {
    OneWarp one(LaneMask(0xf));
    Instruction bra = to(Op::kBra, 0x10, 0x100);
    bra.mod[0] = static_cast<std::uint8_t>(isa::BraCondition::kUniform);
    EXPECT_EQ(one.step(bra, {.guard = LaneMask(0x7)}).next_pc, 0x20U);
    EXPECT_EQ(one.step(bra, {.guard = LaneMask(0xf)}).next_pc, 0x100U);
    EXPECT_EQ(one.step(bra, {.guard = LaneMask()}).next_pc, 0x20U);
}

TEST(SimtStackJump, OutsideTheProgramIsIllegalTarget) {
    OneWarp one(LaneMask(0xf));
    EXPECT_EQ(one.step(insn(Op::kBrx, Form::kR, 0x10), targets(0x8, 0x8)).fault->fault, Fault::kIllegalTarget);
    EXPECT_EQ(one.step(to(Op::kBra, 0x10, kProgramBytes)).fault->fault, Fault::kIllegalTarget);
    EXPECT_EQ(one.state().mask, LaneMask(0xf));
}

TEST(SimtStackSleep, OfAWarpIsTheShortestOfItsActiveThreadsAndZeroIsANop) {
    OneWarp one(LaneMask(0x6));
    Values values;
    values.vectors[0] = {1, 300, 200, 4};
    const StepResult result = one.step(insn(Op::kNanosleep, Form::kR, 0x10), values);
    EXPECT_EQ(result.outcome, Outcome::kSleep);
    EXPECT_EQ(result.sleep_ns, 200U);
    EXPECT_EQ(result.next_pc, 0x20U);
    EXPECT_EQ(result.next_active, LaneMask(0x6));
    values.guard = LaneMask(0x2);
    EXPECT_EQ(one.step(insn(Op::kNanosleep, Form::kR, 0x10), values).sleep_ns, 300U);
    values.guard = LaneMask(0x1);
    EXPECT_EQ(one.step(insn(Op::kNanosleep, Form::kR, 0x10), values).outcome, Outcome::kContinue);
    EXPECT_FALSE(one.step(insn(Op::kNanosleep, Form::kI, 0x10)).sleep_ns) << "a time of 0";
}

TEST(SimtStackWarpsync, E5_DoesNothingAndIsCountedWhenItNamesOthersThanTheActiveThreads) {
    OneWarp one(LaneMask(0xf));
    Instruction sync = insn(Op::kWarpsync, Form::kI, 0x10);
    sync.imm = 0xf;
    EXPECT_EQ(one.step(sync).next_pc, 0x20U);
    EXPECT_EQ(one.counters.warpsync_partial, 0U);
    sync.imm = 0xff;
    const StepResult result = one.step(sync);
    EXPECT_FALSE(result.fault);
    EXPECT_EQ(result.next_active, LaneMask(0xf));
    EXPECT_EQ(one.counters.warpsync_partial, 1U);
    one.step(sync, {.guard = LaneMask()}); // no thread executes it
    EXPECT_EQ(one.counters.warpsync_partial, 1U);
    Values values;
    values.vectors[0] = {~0xfU, ~0xfU, ~0xfU, ~0x7U};
    Instruction by_thread = insn(Op::kWarpsync, Form::kR, 0x10);
    by_thread.bitnot = true;
    one.step(by_thread, values); // thread 3 names three
    EXPECT_EQ(one.counters.warpsync_partial, 2U);
    values.guard = LaneMask(0x7);
    one.step(by_thread, values);
    EXPECT_EQ(one.counters.warpsync_partial, 2U);
}

TEST(SimtStackOtherInstructions, LepcTrapAndSyscallAreThoseOfTheBranchUnit) {
    OneWarp one(LaneMask(0xf));
    Instruction lepc = insn(Op::kLepc, Form::kI, 0x40);
    lepc.imm = 2;
    const StepResult address = one.step(lepc, {.guard = LaneMask(0x3)});
    EXPECT_EQ(address.value, 0x60U);
    EXPECT_EQ(address.write_lanes, LaneMask(0x3));
    EXPECT_EQ(one.step(insn(Op::kSyscall, Form::kX, 0x40)).event.kind, StepEvent::Kind::kSyscall);
    EXPECT_EQ(one.step(insn(Op::kTrap, Form::kI, 0x40)).fault->fault, Fault::kTrap);
    one.config.trap_handler = 0x800;
    EXPECT_EQ(one.step(insn(Op::kTrap, Form::kI, 0x40)).next_pc, 0x800U);
    EXPECT_EQ(one.step(insn(Op::kRtt, Form::kX, 0x810)).next_pc, 0x50U);
    EXPECT_EQ(one.step(insn(Op::kRtt, Form::kX, 0x810)).fault->fault, Fault::kIllegalTrap);
}

TEST(SimtStackOtherInstructions, InstructionsOfOtherEnginesAreIllegalHere) {
    OneWarp one(LaneMask(0xf));
    for (const Op op : {Op::kExit, Op::kYield, Op::kBsync}) {
        const StepResult result = one.step(insn(op, Form::kX, 0x10));
        ASSERT_TRUE(result.fault);
        EXPECT_EQ(result.fault->fault, Fault::kIllegalInstruction);
        EXPECT_THAT(result.fault->detail, HasSubstr("in a program for simt_stack"));
    }
    Instruction bra = to(Op::kBra, 0x10, 0x100);
    bra.mod[0] = static_cast<std::uint8_t>(isa::BraCondition::kDivergent);
    EXPECT_THAT(one.step(bra).fault->detail, HasSubstr("expected BRA or BRA.U"));
}

TEST(SimtStackBarrier, E3_ArrivalsAreRefusedWhileASideWaitsThatHasSomethingToDo) {
    OneWarp one(LaneMask(0xf), {kJoin});
    EXPECT_FALSE(one.step(to(Op::kSetrpc, 0, kJoin)).refuses_arrivals);
    StepResult result = one.branch(0x10, 0x40, LaneMask(0x3));
    ASSERT_TRUE(result.refuses_arrivals);
    EXPECT_EQ(result.refuses_arrivals->fault, Fault::kBarrierDiverged);
    EXPECT_TRUE(one.step(to(Op::kBra, 0x40, 0x50)).refuses_arrivals);
    EXPECT_FALSE(one.join(kJoin).refuses_arrivals) << "the second side runs, and the entry below is where all meet";
}

TEST(SimtStackBarrier, E3_AnEmptySideDoesNotArrive) {
    OneWarp one(LaneMask(0xf), {kJoin});
    one.step(to(Op::kSetrpc, 0, kJoin));
    EXPECT_FALSE(one.branch(0x10, kJoin, LaneMask(0xe)).refuses_arrivals) << "thread 0 runs, the others are there";
}

TEST(SimtStackBarrier, E3_WithoutTheCheckEverySideArrives) {
    OneWarp one(LaneMask(0xf), {kJoin});
    one.config.simt_stack.barrier_check = false;
    one.step(to(Op::kSetrpc, 0, kJoin));
    EXPECT_FALSE(one.branch(0x10, 0x40, LaneMask(0x3)).refuses_arrivals);
}

TEST(SimtStackState, IsShownAsItsFieldsWithTheStackFromItsOldestEntry) {
    const Config config;
    Engine engine(config.bru, 2);
    OneWarp one(LaneMask(0xf), {kJoin});
    engine.start(WarpSlot(1), 0x40, LaneMask(0xf), kProgramBytes);
    engine.runs(WarpSlot(1), one.program);
    const Values values = jumps(LaneMask(0x1));
    engine.execute(WarpSlot(1), to(Op::kSetrpc, 0x40, kJoin), Values{}.operands());
    engine.execute(WarpSlot(1), to(Op::kVbne, 0x50, 0x200), values.operands());
    const ControlSnapshot shown = engine.snapshot(WarpSlot(1), {});
    std::vector<std::string_view> names;
    for (const ControlField &field : shown.fields) {
        names.push_back(field.name);
    }
    EXPECT_THAT(names, ElementsAre("pc", "mask", "rpc", "stack"));
    EXPECT_THAT(shown.values, ElementsAre(0x200, 0x1, kJoin, 2));
    EXPECT_THAT(shown.list_of(3), ElementsAre(kJoin, kJoin, 0xf, kJoin, 0x60, 0xe));
    EXPECT_EQ(engine.snapshot(WarpSlot(1), {0x220, true}).values[0], 0x220U);
    EXPECT_EQ(engine.describe(WarpSlot(1)),
              "threads 0x00000001 at 0x0200, rpc 0x0080; stack of 2, top first: 0x0000000e at 0x0060 for the JOIN at "
              "0x0080, 0x0000000f at 0x0080 for the JOIN at 0x0080");
    engine.start(WarpSlot(1), 0x10, LaneMask(0x3), kProgramBytes);
    EXPECT_EQ(engine.describe(WarpSlot(1)), "threads 0x00000003 at 0x0010, rpc 0x0000, stack empty");
    EXPECT_EQ(engine.execute(WarpSlot(1), to(Op::kSetrpc, 0x30, kJoin), Values{}.operands()).next_pc, 0x40U)
        << "instructions of other units are seen by the address";
}

TEST(SimtStackState, ADeepStackIsDescribedInPart) {
    OneWarp one(LaneMask::all(), {kJoin});
    one.step(to(Op::kSetrpc, 0, kJoin));
    for (unsigned threads = 16; threads != 0; threads /= 2) {
        one.branch(0x10, 0x40, LaneMask::first(threads));
    }
    EXPECT_THAT(description_of(one.state()), HasSubstr("stack of 10, top first: 0x00000002 at 0x0020"));
    EXPECT_THAT(description_of(one.state()), ::testing::EndsWith(", and 2 more"));
}

TEST(SimtStackStatistics, ADivergenceIsOverAtTheJoinThatAllPass) {
    OneWarp one(LaneMask(0xf), {kJoin});
    BranchStatistics statistics(1);
    std::uint64_t sequence = 0;
    const auto count = [&](const Instruction &i, const Values &values = {}) {
        statistics.record(WarpSlot(0), i, one.step(i, values), sequence++);
    };
    count(to(Op::kSetrpc, 0, kJoin));
    count(to(Op::kVbne, 0x10, 0x40), jumps(LaneMask(0x3)));
    for (unsigned arrival = 0; arrival < 3; ++arrival) {
        count(insn(Op::kJoin, Form::kX, kJoin));
    }
    const BranchStats &branch = statistics.stats().branches.at(0x10);
    EXPECT_EQ(branch.executions, 1U);
    EXPECT_EQ(branch.taken_lanes, 2U);
    EXPECT_EQ(branch.diverged, 1U);
    EXPECT_EQ(branch.reconverged, 1U);
    EXPECT_EQ(branch.path_instructions, 3U);
    const SyncStats &sync = statistics.stats().syncs.at(kJoin);
    EXPECT_EQ(sync.executions, 3U);
    EXPECT_EQ(sync.switched, 2U);
    EXPECT_EQ(sync.passed, 1U);
}

TEST(SimtStackCounters, AreDepthPushesPopsOverflowsAndPartialWarpsyncs) {
    Config config;
    config.bru.simt_stack.depth = 2;
    Engine engine(config.bru, 1);
    engine.start(WarpSlot(0), 0, LaneMask(0xf), kProgramBytes);
    const auto run = [&](const Instruction &i, const Values &values = {}) {
        return engine.execute(WarpSlot(0), i, values.operands());
    };
    run(to(Op::kSetrpc, 0, kJoin));
    run(to(Op::kVbne, 0x10, 0x40), jumps(LaneMask(0x3)));
    run(to(Op::kVbne, 0x40, 0x60), jumps(LaneMask(0x1))); // overflows
    run(insn(Op::kWarpsync, Form::kI, 0x50));             // names no thread
    EXPECT_EQ(engine.level(WarpSlot(0)), 2U);
    run(insn(Op::kJoin, Form::kX, kJoin));
    EXPECT_EQ(engine.level(WarpSlot(0)), 1U);
    std::vector<std::pair<std::string_view, std::uint64_t>> counted;
    for (const EngineCounter &counter : engine.counters()) {
        counted.emplace_back(counter.name, counter.value);
    }
    EXPECT_THAT(counted,
                ElementsAre(std::pair("stack_depth", 2), std::pair("stack_pushes", 2), std::pair("stack_pops", 1),
                            std::pair("stack_overflows", 1), std::pair("warpsync_partial", 1)));
    engine.clear_counters();
    EXPECT_EQ(engine.counters()[0].value, 0U);
    EXPECT_EQ(engine.counters().size(), 5U);
    EXPECT_EQ(engine.measured()->name, "stack_depth");
}

// Threads 0 and 1 have diverged from the others, and thread 0 from thread 1, which already waits at the JOIN.
TEST(SimtStackHeldBack, NamesWaitingThreadsWithEntryPlaceAndMissingThreads) {
    const BruConfig config;
    Engine engine(config, 2);
    engine.start(WarpSlot(1), 0, LaneMask(0xf), kProgramBytes);
    EXPECT_EQ(engine.held_back(WarpSlot(1)), "");
    const auto run = [&](const Instruction &i, const Values &values = {}) {
        return engine.execute(WarpSlot(1), i, values.operands());
    };
    run(to(Op::kSetrpc, 0, kJoin));
    run(to(Op::kVbne, 0x10, 0x40), jumps(LaneMask(0x3)));
    run(to(Op::kVbne, 0x40, kJoin), jumps(LaneMask(0x2)));
    run(insn(Op::kJoin, Form::kX, kJoin));
    EXPECT_EQ(
        engine.held_back(WarpSlot(1)),
        "threads 0x0000000e wait for 0x00000001, which run from 0x0050 on: 0x00000002 in entry 2 of the stack, at the "
        "JOIN at 0x0080, 0x0000000c in entry 1 of the stack, to go on at 0x0020 when the JOIN at 0x0080 is reached; "
        "threads of one warp have no independent progress under simt_stack: as long as these do not come to the "
        "JOIN at 0x0080, no other runs");
}

} // namespace
} // namespace smsim::bru::simt_stack::test

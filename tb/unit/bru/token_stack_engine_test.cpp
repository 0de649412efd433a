// The engine token_stack as the branch unit sees it: which rule an instruction uses, how it uses operands, and what it
// reports about itself.
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bru/engines/token_stack/engine.h"
#include "bru/timing.h"
#include "tb/unit/bru/token_stack_support.h"

namespace smsim::bru::token_stack::test {
namespace {

using isa::Form;
using isa::Instruction;
using isa::Op;
using ::testing::HasSubstr;

Instruction insn(Op op, Form form = Form::kX, Pc pc = 0x100, std::int64_t imm = 0) {
    Instruction made;
    made.op = op;
    made.form = form;
    made.unit = isa::Unit::kBranch;
    made.pc = pc;
    made.imm = imm;
    return made;
}

/// A warp in slot 0 of an engine, and the operands of its next instruction.
struct Bench {
    BruConfig config;
    LaneMask guard = LaneMask::all();
    LaneMask test = LaneMask::all();
    isa::VectorOperands vectors{};
    std::uint64_t scalar = 0;
    Warp warp{started(0, mask(0x0f)), {}, kProgramBytes};
    Counters counters;

    StepResult step(const Instruction &i) {
        return execute_step(warp, i, {guard, test, vectors, scalar}, config, counters);
    }
};

TEST(TokenEngine, JumpsWhereTheirFormSays) {
    struct Case {
        Op op;
        Form form;
        std::int64_t imm;
        std::uint32_t value;
        Pc target;
    };
    constexpr Case kCases[] = {
        {Op::kTokenBra, Form::kI, -0x20, 0, 0xf0},
        {Op::kTokenBra, Form::kC, 0, 0xfffffff0, 0x100},
        {Op::kTokenBrx, Form::kR, 0x20, 0xfffffff0, 0x120},
        {Op::kJmp, Form::kI, 0x40, 0, 0x40},
        {Op::kJmp, Form::kC, 0, 0x50, 0x50},
        {Op::kJmx, Form::kR, -0x20, 0x60, 0x40},
        {Op::kCal, Form::kI, 0x20, 0, 0x130},
        {Op::kCal, Form::kR, 0, 0x70, 0x70},
    };
    for (const Case &one : kCases) {
        Bench bench;
        bench.vectors[0].fill(one.value);
        bench.scalar = one.value;
        const StepResult result = bench.step(insn(one.op, one.form, 0x100, one.imm));
        EXPECT_FALSE(result.fault);
        EXPECT_EQ(result.next_pc, one.target) << isa::spec_of(one.op).name << " " << isa::form_name(one.form);
        EXPECT_EQ(result.event.kind, StepEvent::Kind::kBranch);
        EXPECT_EQ(result.event.jumped, mask(0x0f));
    }
}

TEST(TokenEngine, ABranchGoesByGuardAndConditionTest) {
    Bench bench;
    bench.guard = mask(0x06);
    bench.test = mask(0x0c);
    const StepResult result = bench.step(insn(Op::kTokenBra, Form::kI, 0x100, 0x40));
    EXPECT_EQ(result.executed, mask(0x04));
    EXPECT_EQ(result.event.jumped, mask(0x04));
    EXPECT_TRUE(result.event.split);
    EXPECT_EQ(result.next_active, mask(0x0b));
}

TEST(TokenEngine, ModifiersUAndLmtKeepThreads) {
    Bench bench;
    bench.guard = mask(0x06);
    Instruction branch = insn(Op::kTokenBra, Form::kI, 0x100, 0x40);
    branch.mod[0] = 1; // .U
    EXPECT_EQ(bench.step(branch).next_pc, 0x110U);
    bench.guard = LaneMask::all();
    EXPECT_EQ(bench.step(branch).next_pc, 0x150U);
    bench.warp.state.lmt = true;
    branch.mod[1] = 1; // .LMT
    EXPECT_EQ(bench.step(branch).next_pc, 0x110U);
    Instruction indirect = insn(Op::kJmx, Form::kR, 0x100, 0x40);
    indirect.mod[0] = 1; // .LMT
    EXPECT_EQ(bench.step(indirect).next_pc, 0x110U);
}

TEST(TokenEngine, AnInstructionOpensAndLeavesTheTokenOfItsKind) {
    constexpr std::pair<Op, TokenKind> kOpens[] = {{Op::kSsy, TokenKind::kSync},
                                                   {Op::kPbk, TokenKind::kBrk},
                                                   {Op::kPcnt, TokenKind::kCont},
                                                   {Op::kPret, TokenKind::kRet}};
    constexpr Op kLeaves[] = {Op::kSync, Op::kBrk, Op::kCont, Op::kTokenRet};
    for (std::size_t i = 0; i < std::size(kOpens); ++i) {
        Bench bench;
        EXPECT_EQ(bench.step(insn(kOpens[i].first, Form::kI, 0x100, 0x40)).next_pc, 0x110U);
        EXPECT_EQ(bench.warp.state.stack, (std::vector{token(kOpens[i].second, 0x0f, 0x150)}));
        bench.guard = LaneMask();
        EXPECT_EQ(bench.step(insn(kLeaves[i], Form::kX, 0x110)).event.kind, StepEvent::Kind::kPlain);
        bench.guard = mask(0x03);
        StepResult result = bench.step(insn(kLeaves[i], Form::kX, 0x120));
        EXPECT_EQ(result.event.kind, StepEvent::Kind::kSync);
        EXPECT_FALSE(result.event.passed);
        EXPECT_EQ(result.next_active, mask(0x0c));
        bench.guard = LaneMask::all();
        result = bench.step(insn(kLeaves[i], Form::kX, 0x130));
        EXPECT_TRUE(result.event.passed);
        EXPECT_EQ(result.next_pc, 0x150U);
        EXPECT_EQ(result.next_active, mask(0x0f));
    }
}

TEST(TokenEngine, ASyncThatLetsAnotherGroupRunHasNotPassed) {
    Bench bench;
    bench.step(insn(Op::kSsy, Form::kI, 0x100, 0x100));
    bench.guard = mask(0x03);
    bench.step(insn(Op::kTokenBra, Form::kI, 0x110, 0x40));
    bench.guard = LaneMask::all();
    const StepResult result = bench.step(insn(Op::kSync, Form::kX, 0x120));
    EXPECT_FALSE(result.event.passed);
    EXPECT_EQ(result.next_pc, 0x160U);
    EXPECT_EQ(result.next_active, mask(0x03));
    EXPECT_TRUE(bench.step(insn(Op::kSync, Form::kX, 0x160)).event.passed);
}

TEST(TokenEngine, ExitGoesByBothGuards) {
    Bench bench;
    bench.guard = mask(0x07);
    bench.test = mask(0x0e); // Pp
    StepResult result = bench.step(insn(Op::kExit));
    EXPECT_EQ(result.event.kind, StepEvent::Kind::kExit);
    EXPECT_EQ(result.executed, mask(0x06));
    EXPECT_EQ(result.next_active, mask(0x09));
    bench.guard = bench.test = LaneMask::all();
    EXPECT_EQ(bench.step(insn(Op::kExit)).outcome, Outcome::kExited);
}

TEST(TokenEngine, NanosleepPutsTheWarpToSleepForTheShortestTime) {
    Bench bench;
    bench.vectors[0] = {7, 5, 9, 3};
    bench.guard = mask(0x07);
    StepResult result = bench.step(insn(Op::kNanosleep, Form::kR));
    EXPECT_EQ(result.outcome, Outcome::kSleep);
    EXPECT_EQ(result.sleep_ns, 5U);
    EXPECT_EQ(result.event.kind, StepEvent::Kind::kSleep);
    EXPECT_EQ(result.next_active, mask(0x0f));
    bench.vectors[0][1] = 0;
    result = bench.step(insn(Op::kNanosleep, Form::kR));
    EXPECT_EQ(result.outcome, Outcome::kContinue);
    EXPECT_FALSE(result.sleep_ns);
    bench.guard = LaneMask();
    EXPECT_FALSE(bench.step(insn(Op::kNanosleep, Form::kI, 0x100, 40)).sleep_ns);
}

TEST(TokenEngine, WarpsyncMasksAreLimitedToValidThreads) {
    Bench bench;
    EXPECT_FALSE(bench.step(insn(Op::kWarpsync, Form::kI, 0x100, 0xffffffff)).fault);
    bench.guard = mask(0x03);
    const StepResult result = bench.step(insn(Op::kWarpsync, Form::kI, 0x100, 0xffffffff));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kWarpSyncDiverged);
    EXPECT_EQ(result.fault_lane, 0U);
}

TEST(TokenEngine, AnExceptionNamesThreadAndTarget) {
    Bench bench;
    bench.vectors[0] = {0x20, 0x20, 0x24, 0x20};
    const StepResult result = bench.step(insn(Op::kJmx, Form::kR));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kIllegalTarget);
    EXPECT_EQ(result.fault->detail, "thread 2 would go to 0x24, which is not a multiple of 16");
    EXPECT_EQ(result.fault_lane, 2U);
    EXPECT_EQ(result.fault_value, 0x24U);
}

TEST(TokenEngine, HasNoMeaningForInstructionsOfOtherEngines) {
    for (const Op op : {Op::kBra, Op::kBssy, Op::kYield, Op::kCall, Op::kJoin, Op::kNop, static_cast<Op>(0xff)}) {
        Bench bench;
        const StepResult result = bench.step(insn(op));
        ASSERT_TRUE(result.fault) << static_cast<unsigned>(op);
        EXPECT_EQ(result.fault->fault, Fault::kIllegalInstruction);
    }
}

TEST(TokenEngine, SpillingTakesCyclesEachWayAndIsCounted) {
    Bench bench;
    bench.config.token_stack.depth = 2;
    bench.config.token_stack.spill_cycles = 7;
    const std::array<Cycle, 4> extra = {0, 0, 7, 7};
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_EQ(bench.step(insn(Op::kSsy, Form::kI, 0x100, 0x40)).extra_cycles, extra.at(i));
    }
    EXPECT_EQ(bench.step(insn(Op::kSync)).extra_cycles, 7U);
    EXPECT_EQ(bench.step(insn(Op::kSync)).extra_cycles, 7U);
    EXPECT_EQ(bench.step(insn(Op::kSync)).extra_cycles, 0U);
    EXPECT_EQ(bench.counters.spilled, 2U);
    EXPECT_EQ(bench.counters.filled, 2U);
    EXPECT_EQ(bench.counters.depth, 4U);
    EXPECT_EQ(bench.counters.pushes.at(static_cast<std::size_t>(TokenKind::kSync)), 4U);
    EXPECT_EQ(bench.counters.pops, 3U);
    EXPECT_EQ(bench.counters.spill_cycles, 28U);
}

TEST(TokenEngine, LepcTrapAndSyscallAreThoseOfAllEngines) {
    Bench bench;
    bench.config.trap_handler = 0x40;
    const StepResult lepc = bench.step(insn(Op::kLepc, Form::kI, 0x100, 2));
    EXPECT_EQ(lepc.write_lanes, mask(0x0f));
    EXPECT_EQ(lepc.value, 0x120U);
    EXPECT_EQ(bench.step(insn(Op::kSyscall)).event.kind, StepEvent::Kind::kSyscall);
    EXPECT_EQ(bench.step(insn(Op::kTrap, Form::kI, 0x110, 3)).next_pc, 0x40U);
    EXPECT_EQ(bench.step(insn(Op::kRtt, Form::kX, 0x40)).next_pc, 0x120U);
}

/// An engine with one warp of four threads that have diverged in a region.
std::unique_ptr<Engine> diverged() {
    BruConfig config;
    config.token_stack.call_limit = 1;
    auto engine = std::make_unique<Engine>(config, 2);
    engine->start(WarpSlot(1), 0x100, mask(0x0f), kProgramBytes);
    const isa::VectorOperands vectors{};
    const Operands all{LaneMask::all(), LaneMask::all(), vectors};
    const Operands some{mask(0x03), LaneMask::all(), vectors};
    engine->execute(WarpSlot(1), insn(Op::kSsy, Form::kI, 0x100, 0x100), all);
    engine->execute(WarpSlot(1), insn(Op::kTokenBra, Form::kI, 0x110, 0x40), some);
    return engine;
}

TEST(TokenEngine, ShowsItsStateAsFieldsOnceItHasLearntOfOtherInstructions) {
    const std::unique_ptr<Engine> engine = diverged();
    const ControlSnapshot shown = engine->snapshot(WarpSlot(1), {0x130, false});
    const auto value = [&](std::string_view name) {
        const auto field = std::ranges::find(shown.fields, name, &ControlField::name);
        return shown.values.at(static_cast<std::size_t>(field - shown.fields.begin()));
    };
    EXPECT_EQ(value("PC"), 0x130U);
    EXPECT_EQ(value("ActiveMask"), 0x0cU);
    EXPECT_EQ(value("ValidMask"), 0x0fU);
    EXPECT_EQ(value("LMT"), 0U);
    EXPECT_EQ(value("tokens"), 2U);
    EXPECT_THAT(shown.list_of(4), testing::ElementsAre(0, 0x0f, 0x210, 1, 0x03, 0x160));
    EXPECT_EQ(engine->snapshot(WarpSlot(1), {}).values[0], 0x120U);
}

TEST(TokenEngine, DescribesWhoRunsAndWhichTokensWaitForThem) {
    const std::unique_ptr<Engine> engine = diverged();
    EXPECT_EQ(engine->describe(WarpSlot(0)), "no threads");
    EXPECT_EQ(engine->describe(WarpSlot(1)),
              "threads 0x0000000c active at 0x0120; when they have left: DIV 0x00000003 at 0x0160, SYNC 0x0000000f at "
              "0x0210");
    EXPECT_EQ(
        engine->held_back(WarpSlot(1)),
        "threads 0x00000003 wait for 0x0000000c, which run from 0x0120 on: 0x00000003 in token 1 of the stack, DIV "
        "to 0x0160; threads of one warp have no independent progress under token_stack: as long as these do not all "
        "leave, no other runs");
    ControlState deep = warp(0x0f, 0x0f, std::vector(11, token(TokenKind::kRet, 0x0f, 0x200)));
    deep.lmt = true;
    EXPECT_THAT(description_of(deep), testing::EndsWith("RET 0x0000000f at 0x0200 and 3 more tokens; LMT is set"));
    EXPECT_EQ(held_back_in(deep), "");
}

TEST(TokenEngine, CountsUntilItsCountersAreReset) {
    const std::unique_ptr<Engine> engine = diverged();
    const isa::VectorOperands vectors{};
    const Operands all{LaneMask::all(), LaneMask::all(), vectors};
    engine->execute(WarpSlot(1), insn(Op::kCal, Form::kI, 0x120, 0x40), all);
    engine->execute(WarpSlot(1), insn(Op::kCal, Form::kI, 0x170, 0x40), all);
    engine->execute(WarpSlot(1), insn(Op::kPret, Form::kI, 0x180, 0x40), all);
    const auto counter = [&](std::string_view name) {
        for (const EngineCounter &one : engine->counters()) {
            if (one.name == name) {
                return one.value;
            }
        }
        return ~std::uint64_t{0};
    };
    EXPECT_EQ(counter("stack_depth"), 3U);
    EXPECT_EQ(counter("stack_pushes"), 3U);
    EXPECT_EQ(counter("pushes_sync"), 1U);
    EXPECT_EQ(counter("pushes_div"), 1U);
    EXPECT_EQ(counter("pushes_ret"), 1U);
    EXPECT_EQ(counter("pushes_brk"), 0U);
    EXPECT_EQ(counter("pushes_cont"), 0U);
    EXPECT_EQ(counter("stack_pops"), 0U);
    EXPECT_EQ(counter("stack_overflows"), 0U);
    EXPECT_EQ(engine->level(WarpSlot(1)), 3U);
    EXPECT_EQ(engine->measured()->name, "stack_depth");
    EXPECT_EQ(counter("tokens_spilled"), 0U);
    EXPECT_EQ(counter("tokens_filled"), 0U);
    EXPECT_EQ(counter("calls_at_limit"), 2U);
    engine->clear_counters();
    EXPECT_EQ(counter("stack_depth"), 0U);
    EXPECT_EQ(counter("calls_at_limit"), 0U);
}

TEST(TokenEngine, RegionsOpenInTheTimeOfBarriersAndSyncTakesThatOfSyncs) {
    BruConfig config;
    config.barrier_latency = 7;
    config.sync_latency = 8;
    config.branch_latency = 9;
    for (const Op op : {Op::kSsy, Op::kPbk, Op::kPcnt, Op::kPret}) {
        EXPECT_EQ(timing_of(config, insn(op)).latency, 7U);
    }
    EXPECT_EQ(timing_of(config, insn(Op::kSync)).latency, 8U);
    for (const Op op :
         {Op::kTokenBra, Op::kTokenBrx, Op::kJmp, Op::kJmx, Op::kCal, Op::kTokenRet, Op::kBrk, Op::kCont}) {
        EXPECT_EQ(timing_of(config, insn(op)).latency, 9U);
    }
}

} // namespace
} // namespace smsim::bru::token_stack::test

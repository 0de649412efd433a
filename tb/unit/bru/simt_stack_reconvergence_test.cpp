// The engine simt_stack: where threads diverge and reconverge (engines.md simt_stack).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/unit/bru/simt_stack_support.h"

namespace smsim::bru::simt_stack::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Pc kJoin = 0x80;

// --- VBEQ to VBGEU

TEST(SimtStackBranch, ComparesTheRegistersOfEachActiveThreadSignedOrUnsigned) {
    Values values;
    values.vectors[0] = {5, 5, 0xffffffff, 1};
    values.vectors[1] = {5, 6, 1, 0xffffffff};
    const auto holds = [&](Op op) {
        return threads_that_hold(to(op, 0, kJoin), values.operands(), LaneMask(0xf)).bits();
    };
    EXPECT_EQ(holds(Op::kVbeq), 0x1U);
    EXPECT_EQ(holds(Op::kVbne), 0xeU);
    EXPECT_EQ(holds(Op::kVblt), 0x6U);
    EXPECT_EQ(holds(Op::kVbge), 0x9U);
    EXPECT_EQ(holds(Op::kVbltu), 0xaU);
    EXPECT_EQ(holds(Op::kVbgeu), 0x5U);
}

TEST(SimtStackBranch, E2_ThatAllOrNoneTakePushesNothingAndDoesNotLookAtRpc) {
    OneWarp one(LaneMask(0xf));
    const StepResult none = one.branch(0x10, 0x40, LaneMask(0xf0)); // no thread of the warp
    EXPECT_FALSE(none.fault);
    EXPECT_EQ(none.next_pc, 0x20U);
    EXPECT_FALSE(none.event.split);
    const StepResult all = one.branch(0x20, 0x40, LaneMask(0xf));
    EXPECT_EQ(all.next_pc, 0x40U);
    EXPECT_EQ(all.next_active, LaneMask(0xf));
    EXPECT_EQ(all.event.jumped, LaneMask(0xf));
    EXPECT_FALSE(all.event.split);
    EXPECT_THAT(one.state().stack, IsEmpty());
}

TEST(SimtStackBranch, ThatDivergesPushesWhereToReconvergeAndTheSideThatWaits) {
    OneWarp one(LaneMask(0x1f), {kJoin});
    one.step(to(Op::kSetrpc, 0, kJoin));
    const StepResult result = one.branch(0x10, 0x40, LaneMask(0x3));
    EXPECT_EQ(result.next_pc, 0x40U);
    EXPECT_EQ(result.next_active, LaneMask(0x3));
    EXPECT_TRUE(result.event.split);
    EXPECT_EQ(result.event.jumped, LaneMask(0x3));
    EXPECT_THAT(one.state().stack,
                ElementsAre(Entry{kJoin, kJoin, LaneMask(0x1f)}, Entry{kJoin, 0x20, LaneMask(0x1c)}));
    EXPECT_EQ(one.state().rpc, kJoin);
}

struct Order {
    SimtStackOrder order;
    LaneMask taken;
    LaneMask first;
};

TEST(SimtStackBranch, TheSmallerSideRunsFirstAndOnATieTheTakenOne) {
    for (const auto &[order, taken, first] : {Order{SimtStackOrder::kMinorityFirst, LaneMask(0x1), LaneMask(0x1)},
                                              Order{SimtStackOrder::kMinorityFirst, LaneMask(0x7), LaneMask(0x8)},
                                              Order{SimtStackOrder::kMinorityFirst, LaneMask(0xc), LaneMask(0xc)},
                                              Order{SimtStackOrder::kFallthroughFirst, LaneMask(0x1), LaneMask(0xe)},
                                              Order{SimtStackOrder::kFallthroughFirst, LaneMask(0x7), LaneMask(0x8)},
                                              Order{SimtStackOrder::kTakenFirst, LaneMask(0x1), LaneMask(0x1)},
                                              Order{SimtStackOrder::kTakenFirst, LaneMask(0x7), LaneMask(0x7)}}) {
        OneWarp one(LaneMask(0xf), {kJoin});
        one.config.simt_stack.order = order;
        one.step(to(Op::kSetrpc, 0, kJoin));
        const StepResult result = one.branch(0x10, 0x40, taken);
        EXPECT_EQ(result.next_active, first);
        EXPECT_EQ(result.next_pc, first == taken ? 0x40U : 0x20U);
        EXPECT_EQ(one.state().stack.back().mask, LaneMask(0xf) & ~first);
        EXPECT_EQ(one.state().stack.back().pc, first == taken ? 0x20U : 0x40U);
    }
}

TEST(SimtStackBranch, WithRpcAtNoJoinIsBadReconvergenceAndChangesNothing) {
    OneWarp one(LaneMask(0xf), {kJoin});
    const State before = [&] {
        State state = one.state();
        state.pc = 0x10;
        return state;
    }();
    StepResult result = one.branch(0x10, 0x40, LaneMask(0x6)); // rpc is 0
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kBadReconvergence);
    EXPECT_EQ(result.fault->detail, "threads 0x00000006 jump and 0x00000009 do not, and rpc is 0x0000, where there is "
                                    "no JOIN; expected SETRPC before it");
    EXPECT_EQ(result.fault_lane, 1U);
    EXPECT_EQ(one.state(), before);
    one.step(to(Op::kSetrpc, 0, kJoin + 0x10));
    EXPECT_EQ(one.branch(0x10, 0x40, LaneMask(0x6)).fault->fault, Fault::kBadReconvergence);
    one.step(to(Op::kSetrpc, 0, kJoin));
    EXPECT_FALSE(one.branch(0x10, 0x40, LaneMask(0x6)).fault);
}

TEST(SimtStackBranch, WithoutAProgramEveryRpcCounts) {
    OneWarp one(LaneMask(0xf));
    one.warp.code.program = nullptr;
    EXPECT_FALSE(one.branch(0x10, 0x40, LaneMask(0x6)).fault);
}

TEST(SimtStackBranch, OutsideTheProgramIsIllegalTargetOfAThreadThatJumps) {
    OneWarp one(LaneMask(0xf));
    const StepResult result = one.branch(0x10, kProgramBytes, LaneMask(0xc));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kIllegalTarget);
    EXPECT_EQ(result.fault_lane, 2U);
    EXPECT_FALSE(one.branch(0x10, kProgramBytes, LaneMask()).fault);
}

TEST(SimtStackDepth, E4_DefaultsToTheDepthOfLegalPrograms) {
    SimtStackConfig config;
    EXPECT_EQ(depth_limit(config), 32U);
    config.order = SimtStackOrder::kFallthroughFirst;
    EXPECT_EQ(depth_limit(config), 62U);
    config.order = SimtStackOrder::kTakenFirst;
    EXPECT_EQ(depth_limit(config), 62U);
    config.depth = 7;
    EXPECT_EQ(depth_limit(config), 7U);
    config.depth = 0;
    EXPECT_GT(depth_limit(config), 1'000'000U);
}

TEST(SimtStackDepth, APushBeyondItIsStackOverflowAndChangesNothing) {
    OneWarp one(LaneMask(0xff), {kJoin});
    one.config.simt_stack.depth = 3;
    one.step(to(Op::kSetrpc, 0, kJoin));
    EXPECT_FALSE(one.branch(0x10, 0x40, LaneMask(0x3)).fault);
    const std::vector<Entry> before = one.state().stack;
    const StepResult result = one.branch(0x40, 0x60, LaneMask(0x1));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kStackOverflow);
    EXPECT_EQ(result.fault->detail,
              "the stack has 2 entries, and two more are beyond its depth of 3 (bru.simt_stack.depth)");
    EXPECT_EQ(one.state().stack, before);
    EXPECT_EQ(one.state().mask, LaneMask(0x3));
    EXPECT_EQ(one.counters.overflows, 1U);
    EXPECT_FALSE(one.branch(0x40, 0x60, LaneMask(0x3)).fault) << "nothing is pushed";
}

// --- JOIN

TEST(SimtStackJoin, ThatNothingWaitsForPasses) {
    OneWarp one(LaneMask(0xf), {kJoin});
    StepResult result = one.join(0x40);
    EXPECT_EQ(result.next_pc, 0x50U);
    EXPECT_TRUE(result.event.passed);
    one.step(to(Op::kSetrpc, 0, kJoin));
    one.branch(0x10, 0x60, LaneMask(0x3));
    const State before = one.state();
    result = one.join(0x60); // the top waits for another address
    EXPECT_EQ(result.next_pc, 0x70U);
    EXPECT_EQ(result.next_active, LaneMask(0x3));
    EXPECT_EQ(one.state().stack, before.stack);
}

TEST(SimtStackJoin, GivesTheOtherSideThenAllThenPasses) {
    OneWarp one(LaneMask(0xf), {kJoin});
    one.step(to(Op::kSetrpc, 0, kJoin));
    one.branch(0x10, 0x40, LaneMask(0x3));
    StepResult result = one.join(kJoin); // the first side arrives
    EXPECT_EQ(result.next_pc, 0x20U);
    EXPECT_EQ(result.next_active, LaneMask(0xc));
    EXPECT_FALSE(result.event.passed);
    result = one.join(kJoin); // the second one
    EXPECT_EQ(result.next_pc, kJoin);
    EXPECT_EQ(result.next_active, LaneMask(0xf));
    EXPECT_FALSE(result.event.passed);
    result = one.join(kJoin); // and all
    EXPECT_EQ(result.next_pc, kJoin + 0x10);
    EXPECT_EQ(result.next_active, LaneMask(0xf));
    EXPECT_TRUE(result.event.passed);
    EXPECT_THAT(one.state().stack, IsEmpty());
}

TEST(SimtStackJoin, OfAnEmptySideIsExecutedAtOnceAgain) {
    OneWarp one(LaneMask(0xf), {kJoin});
    one.step(to(Op::kSetrpc, 0, kJoin));
    one.branch(0x10, kJoin, LaneMask(0xe)); // three have nothing to do before it: thread 0 runs first
    EXPECT_EQ(one.state().mask, LaneMask(0x1));
    StepResult result = one.join(kJoin);
    EXPECT_EQ(result.next_pc, kJoin);
    EXPECT_EQ(result.next_active, LaneMask(0xe));
    result = one.join(kJoin);
    EXPECT_EQ(result.next_pc, kJoin);
    EXPECT_EQ(result.next_active, LaneMask(0xf));
    EXPECT_EQ(one.join(kJoin).next_pc, kJoin + 0x10);
}

TEST(SimtStackJoin, SharedByTwoBranchesTakesOneExecutionMoreThanPops) {
    OneWarp one(LaneMask(0xf), {kJoin});
    one.step(to(Op::kSetrpc, 0, kJoin));
    one.branch(0x10, 0x40, LaneMask(0x3));
    one.branch(0x40, 0x60, LaneMask(0x1));
    ASSERT_EQ(one.state().stack.size(), 4U);
    std::vector<std::uint32_t> masks;
    unsigned executions = 0;
    do {
        masks.push_back(one.state().mask.bits());
        ++executions;
    } while (!one.join(kJoin).event.passed);
    EXPECT_THAT(masks, ElementsAre(0x1, 0x2, 0x3, 0xc, 0xf));
    EXPECT_EQ(executions, 5U);
}

// --- SETRPC

TEST(SimtStackRpc, IsChangedBySetrpcAlone) {
    OneWarp one(LaneMask(0xf), {kJoin, 0xc0});
    EXPECT_EQ(one.step(to(Op::kSetrpc, 0x10, kJoin)).next_pc, 0x20U);
    EXPECT_EQ(one.state().rpc, kJoin);
    one.branch(0x20, 0x40, LaneMask(0x3));
    EXPECT_EQ(one.state().rpc, kJoin);
    one.step(to(Op::kSetrpc, 0x40, 0xc0)); // for the side that follows, too
    one.join(kJoin);
    one.join(kJoin);
    EXPECT_EQ(one.state().rpc, 0xc0U);
    EXPECT_EQ(one.state().mask, LaneMask(0xf));
    one.step(to(Op::kBra, kJoin, 0x200));
    EXPECT_EQ(one.state().rpc, 0xc0U);
}

// --- loops

/// A loop that thread t leaves after t rounds: at the head VBNE to the JOIN after it at 0x20 and BRA back at 0x70, or
/// at the end VBNE back at 0x70.
struct Loop {
    unsigned threads;
    SimtStackOrder order;
    bool left_at_the_head;

    /// The most entries over all rounds.
    std::uint64_t depth() const {
        OneWarp one(LaneMask::first(threads), {kJoin});
        one.config.simt_stack.order = order;
        std::array<unsigned, kLanes> rounds{};
        one.step(to(Op::kSetrpc, 0x10, kJoin));
        Pc pc = 0x20;
        for (unsigned steps = 0; steps < 1000; ++steps) {
            const unsigned round = rounds[one.state().mask.lowest()];
            StepResult result;
            if (pc == 0x20 && left_at_the_head) {
                result = one.branch(0x20, kJoin, LaneMask::lane(round));
            } else if (pc == 0x70) {
                result = left_at_the_head ? one.step(to(Op::kBra, 0x70, 0x20))
                                          : one.branch(0x70, 0x20, ~LaneMask::lane(round));
                for_each_lane(LaneMask::first(threads) & ~LaneMask::first(round),
                              [&](unsigned lane) { rounds[lane] = round + 1; });
            } else if (pc == kJoin) {
                result = one.join(kJoin);
            } else {
                result.next_pc = pc + kInstructionBytes;
            }
            EXPECT_FALSE(result.fault) << result.fault->detail;
            pc = result.next_pc;
            if (pc == kJoin + 0x10) {
                EXPECT_EQ(one.state().mask, LaneMask::first(threads));
                EXPECT_THAT(one.state().stack, IsEmpty());
                return one.counters.depth;
            }
        }
        ADD_FAILURE() << "the loop does not end";
        return 0;
    }
};

TEST(SimtStackDepth, ALoopThatThreadsLeaveOneByOneNeedsOneEntryPerThreadWithTheMinorityFirst) {
    for (unsigned threads = 2; threads <= kLanes; ++threads) {
        EXPECT_EQ((Loop{threads, SimtStackOrder::kMinorityFirst, true}).depth(), threads);
        EXPECT_EQ((Loop{threads, SimtStackOrder::kMinorityFirst, false}).depth(), threads);
    }
}

TEST(SimtStackDepth, ALoopThatThreadsLeaveOneByOneNeedsNearlyTwicePerThreadWithAnotherOrder) {
    for (unsigned threads = 2; threads <= kLanes; ++threads) {
        EXPECT_EQ((Loop{threads, SimtStackOrder::kFallthroughFirst, true}).depth(), 2 * (threads - 1));
        EXPECT_EQ((Loop{threads, SimtStackOrder::kTakenFirst, false}).depth(), 2 * (threads - 1));
    }
}

// --- ENDPRG

TEST(SimtStackEnd, EndprgEndsTheWarp) {
    OneWarp one(LaneMask(0xf));
    const StepResult result = one.step(insn(Op::kEndprg, Form::kX, 0x40));
    EXPECT_EQ(result.outcome, Outcome::kExited);
    EXPECT_EQ(result.event.kind, StepEvent::Kind::kExit);
    EXPECT_EQ(result.executed, LaneMask(0xf));
    EXPECT_EQ(description_of(one.state()), "no threads");
    EXPECT_EQ(one.join(kJoin).fault->detail, "the warp has no active thread");
}

TEST(SimtStackEnd, EndprgWithEntriesOnTheStackIsStackLeak) {
    OneWarp one(LaneMask(0xf), {kJoin});
    one.step(to(Op::kSetrpc, 0, kJoin));
    one.branch(0x10, 0x40, LaneMask(0x1));
    const StepResult result = one.step(insn(Op::kEndprg, Form::kX, 0x40));
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->fault, Fault::kStackLeak);
    EXPECT_EQ(result.fault->detail, "the stack has 2 entries, and threads 0x0000000e wait in them");
    EXPECT_EQ(result.fault_lane, 1U);
    EXPECT_EQ(one.state().mask, LaneMask(0x1));
}

} // namespace
} // namespace smsim::bru::simt_stack::test

// What the analysis of control flow finds in small graphs: branches, regions, loops and the edges that leave them
// (lowering.md Convergence insertion).
#include <gtest/gtest.h>

#include "tb/unit/ptx/flow_support.h"

namespace smsim::ptx::test {
namespace {

TEST(Regions, OfAnIfReachesFromItsBranchToItsPostDominator) {
    Flow flow;
    flow.split(2, 1);
    flow.fall(2);
    flow.exit();
    const machine::Regions found = flow.regions();
    EXPECT_EQ(branches_text(found), "0 divergent, meets 2, region 0\n");
    EXPECT_EQ(regions_text(found), "0 to 2, holds 0 1, depth 0, in -\n");
    EXPECT_EQ(loops_text(found) + ways_out_text(found), "");
}

TEST(Regions, OfAnIfWithElseHoldsBothSides) {
    Flow flow;
    flow.split(2, 1);
    flow.fall(3);
    flow.fall(3);
    flow.exit();
    EXPECT_EQ(regions_text(flow.regions()), "0 to 3, holds 0 1 2, depth 0, in -\n");
}

TEST(Regions, ABranchOnAValueThatAllThreadsShareHasNone) {
    Flow flow;
    flow.uniform(2, 1);
    flow.fall(2);
    flow.exit();
    const machine::Regions found = flow.regions();
    EXPECT_EQ(branches_text(found), "0 uniform, meets 2, region -\n");
    EXPECT_EQ(regions_text(found), "");
}

TEST(Regions, NestAsTheirBranchesDo) {
    Flow flow;
    flow.split(5, 1);
    flow.split(3, 2);
    flow.fall(4);
    flow.fall(4);
    flow.fall(5);
    flow.exit();
    EXPECT_EQ(regions_text(flow.regions()), "0 to 5, holds 0 1 2 3 4, depth 0, in -\n"
                                            "1 to 4, holds 1 2 3, depth 1, in 0\n");
}

TEST(Regions, WithOneMeetingAreOne) {
    Flow flow;
    flow.split(3, 1);
    flow.split(3, 2);
    flow.fall(3);
    flow.exit();
    const machine::Regions found = flow.regions();
    EXPECT_EQ(branches_text(found), "0 divergent, meets 3, region 0\n1 divergent, meets 3, region 0\n");
    EXPECT_EQ(regions_text(found), "0 to 3, holds 0 1 2, depth 0, in -\n");
}

TEST(Regions, OfASwitchHoldsItsCasesAndThoseThatRunIntoTheNext) {
    Flow flow;
    flow.table({1, 2, 4, 1});
    flow.fall(2);
    flow.fall(4);
    flow.exit(); // no thread gets there
    flow.exit();
    const machine::Regions found = flow.regions();
    EXPECT_EQ(branches_text(found), "0 divergent, meets 4, region 0\n");
    EXPECT_EQ(regions_text(found), "0 to 4, holds 0 1 2, depth 0, in -\n");
}

TEST(Regions, OfALoopThatThreadsLeaveInDifferentRoundsBeginsInFrontOfIt) {
    Flow flow;
    flow.fall(1);
    flow.split(3, 2);
    flow.fall(1);
    flow.exit();
    const machine::Regions found = flow.regions();
    EXPECT_EQ(loops_text(found), "header 1, back from 2, in -, divergent, meets 3, region 0\n");
    EXPECT_EQ(regions_text(found), "0 to 3, holds 1 2, depth 0, in -\n");
    EXPECT_EQ(branches_text(found), "1 divergent, meets 3, region -\n") << "only one path continues in the round";
    EXPECT_EQ(ways_out_text(found), "") << "threads leave it at its meeting";
}

TEST(Regions, OfALoopThatAllLeaveTogetherAreNone) {
    Flow flow;
    flow.fall(1);
    flow.uniform(3, 2);
    flow.fall(1);
    flow.exit();
    const machine::Regions found = flow.regions();
    EXPECT_EQ(loops_text(found), "header 1, back from 2, in -, uniform, meets 3, region -\n");
    EXPECT_EQ(regions_text(found), "");
}

TEST(Regions, ThreadsThatContinueMeetTheOthersAtTheEndOfTheRound) {
    Flow flow;
    flow.fall(1);
    flow.split(3, 2); // continue
    flow.split(4, 3); // break
    flow.fall(1);
    flow.exit();
    const machine::Regions found = flow.regions();
    EXPECT_EQ(loops_text(found), "header 1, back from 3, in -, divergent, meets 4, region 0\n");
    EXPECT_EQ(regions_text(found), "0 to 4, holds 1 2 3, depth 0, in -\n"
                                   "1 to 3, holds 1 2, depth 1, in 0\n");
    EXPECT_EQ(branches_text(found), "1 divergent, meets 2, region 1\n2 divergent, meets 4, region -\n");
    EXPECT_EQ(ways_out_text(found), "2->4 leaves 1\n");
}

TEST(Regions, ABreakOutOfTwoLoopsAndAContinueOfTheOuterOneLeaveTheInner) {
    Flow flow;
    flow.fall(1);
    flow.fall(2);     // header of the outer loop and front of the inner one
    flow.split(5, 3); // inner header: continue the outer loop
    flow.split(6, 4); // break out of both
    flow.split(7, 2); // inner latch: out to the rest of the outer round
    flow.fall(1);     // outer latch
    flow.exit();
    flow.fall(5);
    machine::normalise_loops(flow.function); // the latch becomes block 8
    const machine::Regions found = flow.regions();
    EXPECT_EQ(loops_text(found), "header 2, back from 8, in 1, divergent, meets 5, region 1\n"
                                 "header 1, back from 5, in -, divergent, meets 6, region 0\n");
    EXPECT_EQ(regions_text(found), "0 to 6, holds 1 2 3 4 5 7 8, depth 0, in -\n"
                                   "1 to 5, holds 2 3 4 7 8, depth 1, in 0\n");
    EXPECT_EQ(ways_out_text(found), "3->6 leaves 1\n");
}

TEST(Regions, OfEarlyReturnsReachToTheBlockThatReturns) {
    Flow flow(false);
    flow.split(3, 1);
    flow.split(3, 2);
    flow.fall(3);
    flow.returns();
    EXPECT_EQ(regions_text(flow.regions()), "0 to 3, holds 0 1 2, depth 0, in -\n");
}

TEST(Regions, AReturnOutOfALoopLeavesIt) {
    Flow flow(false);
    flow.fall(1);
    flow.split(5, 2); // return
    flow.split(4, 3); // break
    flow.fall(1);
    flow.fall(5);
    flow.returns();
    const machine::Regions found = flow.regions();
    EXPECT_EQ(ways_out_text(found), "");
    EXPECT_EQ(loops_text(found), "header 1, back from 3, in -, divergent, meets 5, region 0\n");
}

TEST(Regions, AnExitInsideCountsForThePostDominatorOfTheFunctionOnly) {
    Flow flow;
    flow.split(2, 1);
    flow.fall(3);
    flow.put({.mnemonic = "EXIT", .guard = machine::if_true(flow.differs)});
    flow.fall(3);
    flow.exit();
    const machine::Regions found = flow.regions();
    EXPECT_EQ(branches_text(found), "0 divergent, meets -, region 0\n");
    EXPECT_EQ(regions_text(found), "0 to 3, holds 0 1 2, depth 0, in -\n");
}

TEST(Regions, AnExitInFrontOfABranchIsNoWayOfTheBranch) {
    Flow flow;
    flow.split(2, 1);
    flow.put({.mnemonic = "EXIT", .guard = machine::if_true(flow.same)});
    flow.fall(2);
    flow.exit();
    const machine::Regions found = flow.regions();
    EXPECT_EQ(branches_text(found), "0 divergent, meets 2, region 0\n");
}

TEST(Regions, BranchesBeforeALoopThatEndsOnlyByExitsStillMeet) {
    Flow flow;
    flow.split(2, 1);
    flow.function.blocks[0].code.push_back({.mnemonic = "EXIT", .guard = machine::if_true(flow.differs)});
    flow.fall(2);
    flow.fall(3);
    flow.fall(4); // a loop without an exit
    flow.put({.mnemonic = "EXIT", .guard = machine::if_true(flow.differs)});
    flow.fall(3);
    EXPECT_EQ(regions_text(flow.regions()), "0 to 2, holds 0 1, depth 0, in -\n");
}

TEST(Regions, OfAGraphWithoutStructureReachToThePostDominators) {
    Flow flow;
    flow.split(2, 1);
    flow.fall(2);
    flow.split(1, 3); // the loop of 1 and 2 is entered at both
    flow.exit();
    const machine::Regions found = flow.regions();
    EXPECT_FALSE(found.graph.reducible);
    EXPECT_EQ(branches_text(found), "0 divergent, meets 2, region 0\n2 divergent, meets 3, region 1\n");
    EXPECT_EQ(regions_text(found), "0 to 2, holds 1, depth 0, in -\n2 to 3, holds 1 2, depth 0, in -\n");
}

TEST(Regions, CallsKnowHowManyAreAroundThemAndWhetherTheyPartThreads) {
    Flow flow;
    flow.split(2, 1);
    flow.put({.mnemonic = "CALL", .callee = 0});
    flow.fall(2);
    flow.put({.mnemonic = "CALL", .callee = 0});
    flow.put({.mnemonic = "CALL", .operands = {machine::use(flow.target, 2)}});
    flow.exit();
    flow.put({.mnemonic = "CALL", .operands = {machine::use(flow.target, 2)}});
    const machine::Regions found = flow.regions();
    ASSERT_EQ(found.calls.size(), 4U);
    EXPECT_EQ(found.calls[1].block, 1U);
    EXPECT_EQ(found.calls[1].index, 1U);
    EXPECT_EQ(found.calls[1].depth, 1U);
    EXPECT_FALSE(found.calls[1].divergent);
    EXPECT_EQ(found.calls[2].index, 2U);
    EXPECT_TRUE(found.calls[2].divergent);
    EXPECT_EQ(found.calls[3].depth, 0U);
}

/// A loop that ends when a load sees what another thread has written, if the load is `strong`. `together`: the program
/// states that all threads leave at once.
Flow loop_that_waits(bool strong, bool together) {
    Flow flow;
    const machine::Register seen = flow.function.add(machine::RegisterClass::kGeneral);
    flow.fall(1);
    flow.split(3, 2);
    flow.function.blocks.back().end.uniform = together;
    flow.put(
        {.mnemonic = "LDG", .operands = {machine::define(seen), machine::address(flow.target, 0, 2)}, .spins = strong});
    flow.put({.mnemonic = "ISETP", .operands = {machine::define_predicate(flow.differs), machine::use(seen)}});
    flow.fall(1);
    flow.exit();
    return flow;
}

TEST(Regions, ALoopThatWaitsForOtherThreadsNeedsTheirProgress) {
    const machine::Regions found = loop_that_waits(true, false).regions();
    EXPECT_EQ(loops_text(found), "header 1, back from 2, in -, divergent, waits, meets 3, region 0\n");
    EXPECT_EQ(found.needs_progress, 1U);
}

TEST(Regions, AWarpThatWaitsAsAWholeNeedsNoProgressInside) {
    const machine::Regions found = loop_that_waits(true, true).regions();
    EXPECT_EQ(loops_text(found), "header 1, back from 2, in -, uniform, waits, meets 3, region -\n");
    EXPECT_EQ(found.needs_progress, machine::kNoBlock);
}

TEST(Regions, ALoopOverPlainLoadsWaitsForNoThread) {
    const machine::Regions found = loop_that_waits(false, false).regions();
    EXPECT_EQ(loops_text(found), "header 1, back from 2, in -, divergent, meets 3, region 0\n");
    EXPECT_EQ(found.needs_progress, machine::kNoBlock);
}

TEST(Regions, ALoopBoundedByACounterWaitsForNoThread) {
    Flow flow = loop_that_waits(true, false);
    // Every round also ends the loop when a counter reaches its limit.
    const machine::Register counter = flow.function.add(machine::RegisterClass::kGeneral);
    const machine::Register enough = flow.function.add(machine::RegisterClass::kPredicate);
    machine::Block &latch = flow.function.blocks[2];
    latch.code.push_back(
        {.mnemonic = "IADD3", .operands = {machine::define(counter), machine::use(counter), machine::number(1)}});
    latch.code.push_back({.mnemonic = "ISETP", .operands = {machine::define_predicate(enough), machine::use(counter)}});
    latch.end = {.kind = machine::EndKind::kBranch, .predicate = machine::if_true(enough), .taken = 3, .next = 1};
    EXPECT_EQ(flow.regions().needs_progress, machine::kNoBlock);
}

/// A loop over an atomic operation on one place, until its result ends the loop.
Flow loop_over(const std::string &atomic, bool expects_what_it_found) {
    Flow flow;
    const machine::Register expected = flow.function.add(machine::RegisterClass::kGeneral);
    const machine::Register found = flow.function.add(machine::RegisterClass::kGeneral);
    flow.fall(1);
    flow.split(2, 1);
    flow.function.blocks[1].code = {
        {.mnemonic = atomic,
         .operands = {machine::define(found), machine::address(flow.target, 0, 2), machine::use(expected)},
         .spins = true},
        {.mnemonic = "ISETP", .operands = {machine::define_predicate(flow.differs), machine::use(found)}}};
    if (expects_what_it_found) {
        flow.put({.mnemonic = "MOV", .operands = {machine::define(expected), machine::use(found)}});
    }
    flow.exit();
    return flow;
}

TEST(Regions, ALoopThatComparesWithTheSameValueWaits) {
    EXPECT_EQ(loop_over("ATOMG.CAS", false).regions().needs_progress, 1U);
}

TEST(Regions, ALoopThatRetriesWithTheValueFoundWaitsForNoThread) {
    const machine::Regions found = loop_over("ATOMG.CAS", true).regions();
    EXPECT_TRUE(found.loops[0].waits);
    EXPECT_EQ(found.needs_progress, machine::kNoBlock);
}

TEST(Regions, ALoopOfAtomicAddsWaitsForNoThread) {
    EXPECT_EQ(loop_over("ATOMG.ADD", false).regions().needs_progress, machine::kNoBlock);
}

TEST(Regions, ALoopThatThreadsWaitInUntilTheyEndNeedsTheirProgress) {
    Flow flow;
    const machine::Register seen = flow.function.add(machine::RegisterClass::kGeneral);
    flow.fall(1);
    flow.fall(1);
    flow.put(
        {.mnemonic = "LDG", .operands = {machine::define(seen), machine::address(flow.target, 0, 2)}, .spins = true});
    flow.put({.mnemonic = "ISETP", .operands = {machine::define_predicate(flow.differs), machine::use(seen)}});
    flow.put({.mnemonic = "EXIT", .guard = machine::if_true(flow.differs)});
    EXPECT_EQ(flow.regions().needs_progress, 1U);
}

TEST(Regions, ALoopWhoseWayOutThreadsOnlyReachWhenTheyHaveWaitedNeedsTheirProgress) {
    Flow flow;
    const machine::Register seen = flow.function.add(machine::RegisterClass::kGeneral);
    flow.fall(1);
    flow.split(3, 2); // still taken: another round
    flow.function.blocks[1].code = {
        {.mnemonic = "ATOMG.CAS",
         .operands = {machine::define(seen), machine::address(flow.target, 0, 2)},
         .spins = true},
        {.mnemonic = "ISETP", .operands = {machine::define_predicate(flow.differs), machine::use(seen)}}};
    flow.uniform(4, 3); // the exit
    flow.fall(1);
    flow.exit();
    const machine::Regions found = flow.regions();
    EXPECT_TRUE(found.loops[0].waits);
    EXPECT_EQ(found.needs_progress, 1U);
}

TEST(Regions, ACircleWithTwoEntriesThatStallsNeedsProgress) {
    Flow flow;
    const machine::Register seen = flow.function.add(machine::RegisterClass::kGeneral);
    flow.split(2, 1);
    flow.fall(2);
    flow.split(3, 1);
    flow.function.blocks[2].code = {
        {.mnemonic = "LDG", .operands = {machine::define(seen), machine::address(flow.target, 0, 2)}, .spins = true},
        {.mnemonic = "ISETP", .operands = {machine::define_predicate(flow.differs), machine::use(seen)}}};
    flow.exit();
    EXPECT_EQ(flow.regions().needs_progress, 2U);
}

TEST(Regions, AUniformWayOutOfALoopInsideOfADivergentBranchIsOneThatThreadsTakeInDifferentRounds) {
    Flow flow;
    flow.fall(1);
    flow.split(3, 2);   // some threads test the exit in this round
    flow.uniform(4, 3); // the exit
    flow.fall(1);
    flow.exit();
    const machine::Regions found = flow.regions();
    EXPECT_EQ(loops_text(found), "header 1, back from 3, in -, divergent, meets 4, region 0\n");
}

} // namespace
} // namespace smsim::ptx::test

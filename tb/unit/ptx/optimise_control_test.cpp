// Passes on branches, loops and memory, rule by rule.
#include <gtest/gtest.h>

#include "ptx/machine/convergence.h"
#include "ptx/optimise/alignment.h"
#include "ptx/optimise/invariants.h"
#include "ptx/optimise/merge.h"
#include "ptx/optimise/predicate.h"
#include "ptx/optimise/thread.h"
#include "ptx/optimise/vectorise.h"
#include "tb/unit/ptx/code_text.h"
#include "tb/unit/ptx/flow_support.h"

namespace smsim::ptx::test {
namespace {

using optimise::hoist_invariants;
using optimise::merge_tails;
using optimise::predicate_branches;
using optimise::thread_branches;
using optimise::vectorise_loads;

// --- equal ends of paths
// -----------------------------------------------------------------------------------------------

const std::string kWays = "L0:\nS2R v0, SR_TID.X;\nISETP.LT.AND p1, PT, v0, 0x4, PT;\nif p1 go L1 else L2\n";

TEST(MergeTails, EqualTailsOfAllPathsAreMerged) {
    EXPECT_EQ(behind(merge_tails, "v0 p1 v2",
                     kWays + "L1:\n IADD3 v2, v0, 0x1, RZ;\n SHL v2, v2, 0x2;\n STS [v2], v0;\n go L3\n"
                             "L2:\n IADD3 v2, v0, 0x2, RZ;\n SHL v2, v2, 0x2;\n STS [v2], v0;\n go L3\nL3:\n exit\n"),
              kWays + "L2:\nIADD3 v2, v0, 0x2, RZ;\ngo L3\nL1:\nIADD3 v2, v0, 0x1, RZ;\ngo L3\n"
                      "L3:\nSHL v2, v2, 0x2;\nSTS [v2], v0;\nexit\n");
}

TEST(MergeTails, DifferentTailsAndMeetingsStay) {
    for (const auto &[one, other] : {std::pair{"STS [0x0], v0;", "STS [0x4], v0;"},
                                     {"BAR.SYNC 0x0;", "BAR.SYNC 0x0;"},
                                     {"@p1 STS [0x0], v0;", "@!p1 STS [0x0], v0;"},
                                     {"WARPSYNC 0xf;", "WARPSYNC 0xf;"}}) {
        machine::Function function =
            code("v0 p1", kWays + "L1:\n" + one + "\ngo L3\nL2:\n" + other + "\ngo L3\nL3:\nexit\n");
        EXPECT_EQ(merge_tails(function), 0U) << one;
    }
}

TEST(MergeTails, BlocksWithFurtherSuccessorsAndLoopHeadersStay) {
    machine::Function function =
        code("v0 p1",
             kWays + "L1:\nSTS [0x0], v0;\nif p1 go L3 else L4\nL2:\nSTS [0x0], v0;\ngo L3\nL3:\nexit\nL4:\nexit\n");
    EXPECT_EQ(merge_tails(function), 0U);
    function = code("v0 p1", "L0:\nS2R v0, SR_TID.X;\nSTS [0x0], v0;\ngo L1\nL1:\nISETP.LT.AND p1, PT, v0, 0x4, PT;\n"
                             "if p1 go L2 else L3\nL2:\nSTS [0x0], v0;\ngo L1\nL3:\nexit\n");
    EXPECT_EQ(merge_tails(function), 0U);
}

// --- predicates instead of branches --------------------------------------------------------------------------------

const std::string kFront = "L0:\nS2R v0, SR_TID.X;\nISETP.LT.AND p1, PT, v0, 0x4, PT;\n";

TEST(PredicateBranches, AShortWayIsGuarded) {
    EXPECT_EQ(
        behind(
            predicate_branches, "v0 p1 v2",
            kFront +
                " if p1 go L1 else L2\nL1:\n SHL v2, v0, 0x2;\n STS [v2], v0;\n go L2\nL2:\n STS [0x80], v0;\n exit\n"),
        kFront + "SHL v2, v0, 0x2;\n@p1 STS [v2], v0;\nSTS [0x80], v0;\nexit\n")
        << "a value that is not read on other paths needs no guard";
}

TEST(PredicateBranches, TwoShortWaysAreGuardedWithOppositeSigns) {
    EXPECT_EQ(
        behind(predicate_branches, "v0 p1 v2",
               kFront +
                   " if p1 go L1 else L2\nL1:\n IADD3 v2, v0, 0x1, RZ;\n go L3\nL2:\n IADD3 v2, v0, 0x2, RZ;\n go L3\n"
                   "L3:\n STS [0x0], v2;\n exit\n"),
        kFront + "UNDEFINED v2;\n@!p1 IADD3 v2, v0, 0x2, RZ;\n@p1 IADD3 v2, v0, 0x1, RZ;\nSTS [0x0], v2;\nexit\n");
}

TEST(PredicateBranches, LongWaysAndThoseWithMeetingsStay) {
    std::string way;
    for (unsigned i = 0; i < 6; ++i) {
        way += "STS [" + std::string(i == 0 ? "0x0" : "0x" + std::to_string(4 * i)) + "], v0;\n";
    }
    const std::string longer = kFront + "if p1 go L1 else L2\nL2:\nexit\nL1:\n" + way + "go L2\n";
    machine::Function function = code("v0 p1", longer);
    EXPECT_EQ(predicate_branches(function), 0U);
    function = code("v0 p1", kFront + "if p1 go L1 else L2\nL2:\nexit\nL1:\nWARPSYNC 0xf;\ngo L2\n");
    EXPECT_EQ(predicate_branches(function), 0U);
}

TEST(PredicateBranches, AWayThatWritesItsOwnPredicateStays) {
    machine::Function function = code("v0 p1", kFront + "if p1 go L1 else L2\nL2:\n@p1 STS [0x0], v0;\nexit\n"
                                                        "L1:\nISETP.LT.AND p1, PT, v0, 0x2, PT;\ngo L2\n");
    EXPECT_EQ(predicate_branches(function), 0U);
}

// --- threads
// -----------------------------------------------------------------------------------------------------------

TEST(ThreadBranches, ADecidedConditionIsNotTestedAgain) {
    EXPECT_EQ(
        behind(thread_branches, "v0 p1",
               kFront + " if p1 go L2 else L1\nL1:\n STS [0x0], v0;\n go L2\nL2:\n if !p1 go L3 else L4\n"
                        "L3:\n STS [0x4], v0;\n exit\nL4:\n STS [0x8], v0;\n exit\n"),
        kFront +
            "if p1 go L4 else L1\nL1:\nSTS [0x0], v0;\ngo L2\nL2:\nif !p1 go L3 else L4\nL3:\nSTS [0x4], v0;\nexit\n"
            "L4:\nSTS [0x8], v0;\nexit\n");
}

// --- loops
// -------------------------------------------------------------------------------------------------------------

std::string hoisted(const std::string &body, unsigned words = 48) {
    const auto pass = [words](machine::Function &function) {
        machine::normalise_loops(function);
        hoist_invariants(function, words);
        machine::tidy(function);
    };
    return behind(pass, "v0 v1 p2 v3 v4 p5",
                  "L0:\nS2R v0, SR_TID.X;\nMOV v1, 0x0;\ngo L1\nL1:\n" + body +
                      "IADD3 v1, v1, 0x1, RZ;\nISETP.LT.AND p2, PT, v1, 0x9, PT;\nif p2 go L1 else L2\nL2:\nexit\n");
}
const std::string kEnd = "IADD3 v1, v1, 0x1, RZ;\nISETP.LT.AND p2, PT, v1, 0x9, PT;\nif p2 go L1 else L2\nL2:\nexit\n";

TEST(HoistInvariants, InvariantInstructionsMoveBeforeTheLoop) {
    EXPECT_EQ(
        hoisted("MUFU.RCP v3, v0;\nIADD3 v4, v3, v1, RZ;\nSTS [v4], v3;\n"),
        "L0:\nS2R v0, SR_TID.X;\nMOV v1, 0x0;\nMUFU.RCP v3, v0;\ngo L1\nL1:\nIADD3 v4, v3, v1, RZ;\nSTS [v4], v3;\n" +
            kEnd);
}

TEST(HoistInvariants, LoadsStay) {
    const std::string body = "LDS v3, [v0];\nSTS [v0], v3;\n";
    EXPECT_EQ(hoisted(body), "L0:\nS2R v0, SR_TID.X;\nMOV v1, 0x0;\ngo L1\nL1:\n" + body + kEnd);
}

/// Each round declares the pair undefined before its words are written: values written before the loop would be lost.
TEST(HoistInvariants, AWordOfARegisterThatEndsInTheLoopStays) {
    const std::string body = "UNDEFINED v3;\nSHL v3, v0, 0x2;\nSTS [v3], v1;\n";
    EXPECT_EQ(hoisted(body), "L0:\nS2R v0, SR_TID.X;\nMOV v1, 0x0;\ngo L1\nL1:\n" + body + kEnd);
}

TEST(HoistInvariants, NothingIsMovedBeyondTheWordsThatMayBeAlive) {
    const std::string body = "SHL v3, v0, 0x2;\nSTS [v3], v1;\n";
    EXPECT_EQ(hoisted(body, 3), "L0:\nS2R v0, SR_TID.X;\nMOV v1, 0x0;\ngo L1\nL1:\n" + body + kEnd);
}

// --- vectors
// -----------------------------------------------------------------------------------------------------------

std::string loads(const std::string &base, const std::string &between) {
    return behind(vectorise_loads, "v0 v1 v2 v3",
                  "L0:\nS2R v0, SR_TID.X;\n" + base + "LDS v2, [v1];\n" + between +
                      "LDS v3, [v1+0x4];\nSTS [0x100], v2;\nSTS [0x104], v3;\nexit\n");
}

TEST(VectoriseLoads, NeighboursOfAnAlignedAddressAreOneLoad) {
    EXPECT_EQ(loads("SHL v1, v0, 0x3;\n", ""),
              "L0:\nS2R v0, SR_TID.X;\nSHL v1, v0, 0x3;\nLDS.64 v4, [v1];\nMOV v2, v4.0;\nMOV v3, v4.1;\n"
              "STS [0x100], v2;\nSTS [0x104], v3;\nexit\n");
}

TEST(VectoriseLoads, AnAddressThatMayBeOddStays) {
    const std::string odd = "SHL v1, v0, 0x2;\n";
    EXPECT_EQ(loads(odd, ""), "L0:\nS2R v0, SR_TID.X;\n" + odd +
                                  "LDS v2, [v1];\nLDS v3, [v1+0x4];\nSTS [0x100], v2;\nSTS [0x104], v3;\nexit\n");
}

TEST(VectoriseLoads, NoLoadPassesAStoreOrABarrier) {
    for (const std::string between : {"STS [v0], v0;\n", "BAR.SYNC 0x0;\n"}) {
        const std::string base = "SHL v1, v0, 0x3;\n";
        EXPECT_EQ(loads(base, between), "L0:\nS2R v0, SR_TID.X;\n" + base + "LDS v2, [v1];\n" + between +
                                            "LDS v3, [v1+0x4];\nSTS [0x100], v2;\nSTS [0x104], v3;\nexit\n");
    }
}

TEST(TrailingZeros, AreKnownFromShiftsProductsMasksAndVariables) {
    const machine::Function function =
        code("v0 v1 v2 v3 v4 p5",
             "L0:\nS2R v0, SR_TID.X;\nIMAD v1, v0, 0x18, RZ;\nLOP3 v2, v0, 0xfffffff0, RZ, 0xc0;\nMOV v3, 0x40;\n"
             "LEA v4, v0, v3, 0x5;\ngo L1\nL1:\nIADD3 v3, v3, 0x8, RZ;\nISETP.LT.AND p5, PT, v3, 0x100, PT;\n"
             "if p5 go L1 else L2\nL2:\nexit\n");
    const machine::FlowGraph graph = machine::analyse(function);
    const machine::Units units(function);
    const std::vector<std::uint8_t> zeros = optimise::trailing_zeros(function, graph, units);
    EXPECT_EQ(zeros, (std::vector<std::uint8_t>{0, 3, 4, 3, 3, 0}))
        << "the variable v3 is 64, and then 8 more each time";
}

// --- convergence
// -------------------------------------------------------------------------------------------------------

std::vector<bool> converged(const Flow &flow) {
    const machine::FlowGraph graph = machine::analyse(flow.function);
    return machine::find_converged(flow.function, flow.regions(), machine::find_divergence(flow.function, graph), true);
}

TEST(Convergence, AWarpIsConvergedAfterARegionThatItEnteredConverged) {
    Flow flow;
    flow.split(2, 1);
    flow.fall(2);
    flow.exit();
    EXPECT_EQ(converged(flow), (std::vector<bool>{true, false, true}));
}

TEST(Convergence, AYieldASleepAMeetingOrACallInARegionLeavesItOpen) {
    for (const char *mnemonic : {"YIELD", "NANOSLEEP", "WARPSYNC", "CALL"}) {
        Flow flow;
        flow.split(2, 1);
        flow.fall(2);
        flow.put({.mnemonic = mnemonic, .operands = {machine::number(1)}, .callee = 0});
        flow.exit();
        EXPECT_EQ(converged(flow), (std::vector<bool>{true, false, false})) << mnemonic;
    }
}

/// A kernel whose threads, diverged at its entry, may yield, meet, and pass through two regions.
std::vector<bool> converged_behind(const char *mnemonic) {
    Flow flow;
    flow.split(2, 1);
    flow.put({.mnemonic = mnemonic, .operands = {machine::number(1)}, .callee = 0});
    flow.put({.mnemonic = "WARPSYNC", .operands = {machine::number(0xffffffff)}});
    flow.fall(2);
    flow.split(4, 3);
    flow.put({.mnemonic = "WARPSYNC", .operands = {machine::number(0xffffffff)}});
    flow.fall(4);
    flow.exit();
    const machine::FlowGraph graph = machine::analyse(flow.function);
    return machine::find_converged(flow.function, flow.regions(), machine::find_divergence(flow.function, graph),
                                   false);
}

TEST(Convergence, ABsyncDoesNotWaitForAThreadThatHasYieldedUntilItHasPassedOne) {
    EXPECT_EQ(converged_behind("NOP"), (std::vector<bool>{false, false, true, false, true}));
    for (const char *mnemonic : {"YIELD", "NANOSLEEP", "CALL"}) {
        EXPECT_EQ(converged_behind(mnemonic), (std::vector<bool>{false, false, false, false, true}))
            << mnemonic << ": block 2 begins with the BSYNC that takes the threads out of YieldMask";
    }
}

TEST(Convergence, AWayOutOfARegionLeavesItOpen) {
    Flow flow;
    flow.fall(1);
    flow.split(3, 2);
    flow.split(4, 3);
    flow.fall(1);
    flow.exit();
    EXPECT_EQ(converged(flow), (std::vector<bool>{true, false, false, false, true}))
        << "inside the loop threads have left, after it all meet";
}

} // namespace
} // namespace smsim::ptx::test

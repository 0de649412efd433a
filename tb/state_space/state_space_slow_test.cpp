// The larger bounds of the families: these take minutes.
#include <gtest/gtest.h>

#include "tb/state_space/barrier_family.h"
#include "tb/state_space/family.h"
#include "tb/state_space/flow_graphs.h"
#include "tb/state_space/stack_family.h"

namespace smsim::state_space {
namespace {

class SlowFamilies : public ::testing::TestWithParam<unsigned> {};

TEST_P(SlowFamilies, FourPiecesEndAsIndependentThreads) {
    Family family(full_alphabet());
    const FamilyResult result = run_family(family, {.pieces = 4, .threads = GetParam()});
    EXPECT_EQ(result.wrong, 0U) << (result.wrong_programs.empty() ? "" : result.wrong_programs.front());
}

TEST_P(SlowFamilies, FivePiecesThatWaitEndAsIndependentThreads) {
    Family family(waiting_alphabet());
    const FamilyResult result = run_family(family, {.pieces = 5, .threads = GetParam()});
    EXPECT_EQ(result.wrong, 0U) << (result.wrong_programs.empty() ? "" : result.wrong_programs.front());
}

TEST_P(SlowFamilies, FourPiecesEndForAnySleepTime) {
    Family family(full_alphabet());
    for (const std::uint32_t steps : {0U, 1U, 3U, 4U, 6U, 9U}) {
        SCOPED_TRACE(steps);
        const FamilyResult result = run_family(family, {.pieces = 4, .threads = GetParam(), .sleep_steps = steps});
        EXPECT_EQ(result.wrong, 0U) << (result.wrong_programs.empty() ? "" : result.wrong_programs.front());
    }
}

INSTANTIATE_TEST_SUITE_P(Threads, SlowFamilies, ::testing::Values(2U, 3U, 4U));

TEST(SlowFamiliesOfTwoWarps, ThreePiecesEndAsIndependentThreads) {
    Family family(full_alphabet());
    const FamilyResult result = run_family(family, {.pieces = 3, .threads = 2, .warps = 2});
    EXPECT_EQ(result.wrong, 0U) << (result.wrong_programs.empty() ? "" : result.wrong_programs.front());
}

TEST(SlowStackFamilies, FivePiecesEndAsIndependentThreads) {
    for (const Stack stack : {Stack::kSimt, Stack::kToken}) {
        for (const unsigned threads : {3U, 4U}) {
            Family family(control_alphabet());
            const StackFamilyResult result = run_stack_family(family, stack, {.pieces = 5, .threads = threads});
            EXPECT_EQ(result.wrong, 0U) << (result.wrong_programs.empty() ? "" : result.wrong_programs.front());
        }
    }
}

TEST(SlowStackFamilies, FourPiecesOfTwoWarpsEndAsIndependentThreads) {
    for (const Stack stack : {Stack::kSimt, Stack::kToken}) {
        Family family(barrier_alphabet());
        const StackFamilyResult result = run_stack_family(family, stack, {.pieces = 4, .threads = 2, .warps = 2});
        EXPECT_EQ(result.wrong, 0U) << (result.wrong_programs.empty() ? "" : result.wrong_programs.front());
    }
}

TEST(SlowFlowGraphs, OfFourNodesAndSomeOfFiveEndAsIndependentThreads) {
    for (const FamilyRun &run :
         {FamilyRun{.pieces = 4, .threads = 4}, FamilyRun{.pieces = 5, .threads = 5, .stride = 11}}) {
        const StackFamilyResult result = run_flow_graphs(run);
        EXPECT_EQ(result.wrong, 0U) << (result.wrong_programs.empty() ? "" : result.wrong_programs.front());
    }
}

TEST(SlowBarrierFamilies, TwoWarpsWithThreeActions) {
    const BarrierFamilyResult result = run_barrier_family(2, 3);
    EXPECT_EQ(result.wrong, 0U) << result.first_wrong;
}

} // namespace
} // namespace smsim::state_space

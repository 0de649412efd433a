// Families of programs for the two stacks compared with each thread run alone, within the depths that legal programs
// need.
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tb/state_space/flow_graphs.h"
#include "tb/state_space/stack_family.h"

namespace smsim::state_space {
namespace {

StackFamilyResult expect_right(Alphabet alphabet, Stack stack, const FamilyRun &run) {
    Family family(std::move(alphabet));
    StackFamilyResult result = run_stack_family(family, stack, run);
    EXPECT_GT(result.programs, 0U);
    EXPECT_EQ(result.wrong, 0U) << (result.wrong_programs.empty() ? "" : result.wrong_programs.front());
    return result;
}

class StackFamilies : public ::testing::TestWithParam<std::tuple<Stack, unsigned>> {};

TEST_P(StackFamilies, ThreePiecesEndAsIndependentThreadsWithinTheDepthThatTheyReach) {
    const auto [stack, threads] = GetParam();
    for (const unsigned pieces : {1U, 2U, 3U}) {
        const StackFamilyResult result =
            expect_right(control_alphabet(), stack, {.pieces = pieces, .threads = threads});
        EXPECT_TRUE(pieces == 1 || result.tight > 0) << pieces << " pieces";
    }
}

TEST_P(StackFamilies, FourPiecesEndAsIndependentThreads) {
    const auto [stack, threads] = GetParam();
    expect_right(control_alphabet(), stack, {.pieces = 4, .threads = threads, .stride = threads <= 4 ? 1U : 5U});
}

TEST_P(StackFamilies, SomeOfFivePiecesEndAsIndependentThreads) {
    const auto [stack, threads] = GetParam();
    expect_right(control_alphabet(), stack, {.pieces = 5, .threads = threads, .stride = 41, .offset = threads});
}

INSTANTIATE_TEST_SUITE_P(All, StackFamilies,
                         ::testing::Combine(::testing::Values(Stack::kSimt, Stack::kToken),
                                            ::testing::Values(2U, 3U, 4U, 8U)),
                         [](const auto &one) {
                             return fmt::format("{}_{}", engine_of(std::get<0>(one.param)), std::get<1>(one.param));
                         });

TEST(StackFamiliesOfTwoWarps, EndAsIndependentThreadsInAnyOrderOfWarps) {
    for (const Stack stack : {Stack::kSimt, Stack::kToken}) {
        for (const unsigned threads : {2U, 3U}) {
            expect_right(barrier_alphabet(), stack, {.pieces = 3, .threads = threads, .warps = 2});
        }
    }
}

TEST(StackFamiliesOfAFullWarp, TwoPiecesEndAsIndependentThreadsWithinTheDepthThatTheyReach) {
    for (const Stack stack : {Stack::kSimt, Stack::kToken}) {
        EXPECT_GT(expect_right(control_alphabet(), stack, {.pieces = 2, .threads = kLanes}).tight, 0U);
    }
}

TEST(FlowGraphs, OfThreeNodesAndSomeOfFourAndFiveEndAsIndependentThreadsOnTheSimtStack) {
    for (const FamilyRun &run :
         {FamilyRun{.pieces = 3, .threads = 4}, FamilyRun{.pieces = 4, .threads = 4, .stride = 7},
          FamilyRun{.pieces = 5, .threads = 5, .stride = 401}}) {
        const StackFamilyResult result = run_flow_graphs(run);
        EXPECT_GT(result.tight, 0U);
        EXPECT_EQ(result.wrong, 0U) << (result.wrong_programs.empty() ? "" : result.wrong_programs.front());
    }
}

// The comparison can fail: on a stack that is one entry too small, programs of the same family fail.
TEST(StackFamilySensitivity, FailsOnAStackThatIsOneEntryTooSmall) {
    for (const Stack stack : {Stack::kSimt, Stack::kToken}) {
        Family family(control_alphabet());
        EXPECT_GT(run_stack_family(family, stack, {.pieces = 3, .threads = 3}).tight, 100U);
    }
}

} // namespace
} // namespace smsim::state_space

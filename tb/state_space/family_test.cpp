// Families of programs compared with independent threads, and the parts that the comparison relies on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tb/state_space/barrier_family.h"
#include "tb/state_space/family.h"
#include "tb/state_space/line_assembler.h"

namespace smsim::state_space {
namespace {

void expect_right(const FamilyResult &result) {
    EXPECT_GT(result.complete, 0U);
    EXPECT_EQ(result.wrong, 0U) << (result.wrong_programs.empty() ? "" : result.wrong_programs.front());
}

class Families : public ::testing::TestWithParam<unsigned> {};

TEST_P(Families, ThreePiecesEndAsIndependentThreads) {
    Family family(full_alphabet());
    for (const unsigned pieces : {1U, 2U, 3U}) {
        expect_right(run_family(family, {.pieces = pieces, .threads = GetParam()}));
    }
}

TEST_P(Families, EveryThirdOfFourPiecesEndsAsIndependentThreads) {
    Family family(full_alphabet());
    expect_right(run_family(family, {.pieces = 4, .threads = GetParam(), .stride = 3, .offset = GetParam() % 3}));
}

TEST_P(Families, EveryThirdOfFivePiecesThatWaitEndsAsIndependentThreads) {
    Family family(waiting_alphabet());
    expect_right(run_family(family, {.pieces = 5, .threads = GetParam(), .stride = 3, .offset = GetParam() % 3}));
}

// If every sleep takes the same time, no unlucky duration may starve a thread.
TEST_P(Families, ThreePiecesEndForAnySleepTime) {
    Family family(full_alphabet());
    for (const std::uint32_t steps : {0U, 1U, 2U, 3U, 4U, 6U, 9U}) {
        SCOPED_TRACE(steps);
        expect_right(run_family(family, {.pieces = 3, .threads = GetParam(), .sleep_steps = steps}));
    }
}

INSTANTIATE_TEST_SUITE_P(Threads, Families, ::testing::Values(2U, 3U, 4U));

// The choice of the next path is free: it starves no thread, however unlucky the sleeps are.
TEST(FamiliesOfEveryPath, EndAsIndependentThreads) {
    for (const char *election : {"lowest_lane", "most_threads", "oldest"}) {
        for (const char *order : {"fall_through_first", "taken_first"}) {
            SCOPED_TRACE(testing::Message() << election << " " << order);
            Family family(full_alphabet());
            FamilyRun run{.pieces = 3, .threads = 3, .stride = 2};
            run.settings = {fmt::format("bru.election={}", election), fmt::format("bru.branch_order={}", order)};
            expect_right(run_family(family, run));
            run.sleep_steps = 2;
            expect_right(run_family(family, run));
            run = FamilyRun{.pieces = 4, .threads = 4, .stride = 101, .settings = run.settings};
            expect_right(run_family(family, run));
        }
    }
}

TEST(FamiliesOfTwoWarps, EndAsIndependentThreads) {
    Family family(full_alphabet());
    expect_right(run_family(family, {.pieces = 2, .threads = 2, .warps = 2}));
    expect_right(run_family(family, {.pieces = 3, .threads = 2, .warps = 2, .stride = 9}));
}

// The comparison can fail: under a rejected reading programs of the same family fail.
TEST(FamilySensitivity, FailsUnderRejectedReadings) {
    for (const char *setting : {"bru.bsync_spec_literal=true", "d2", "d3", "d4", "d9", "d10", "d12", "d17"}) {
        Family family(full_alphabet());
        const FamilyRun run{.pieces = 3, .threads = 3, .stride = 2, .settings = {setting}};
        EXPECT_GT(run_family(family, run).wrong, 0U) << setting;
    }
}

TEST(FamilyNumbering, GivesEveryProgramOnce) {
    Family family(waiting_alphabet());
    for (const unsigned pieces : {1U, 2U, 3U, 4U}) {
        std::set<std::string> texts;
        for (std::uint64_t index = 0; index < family.size(pieces); ++index) {
            texts.insert(text_of(family.program(pieces, index), 4));
        }
        EXPECT_EQ(texts.size(), family.size(pieces));
    }
}

TEST(LineAssembler, GivesTheProgramOfTheAssembler) {
    Family family(full_alphabet());
    LineAssembler assembler;
    for (std::uint64_t index = 0; index < family.size(3); index += 101) {
        const std::string text = text_of(family.program(3, index), 4);
        const Program program = assembler.assemble(text);
        const Program reference = assemble_plain(text);
        EXPECT_EQ(program.code, reference.code) << text;
        EXPECT_EQ(program.kernels[0].registers, reference.kernels[0].registers);
    }
}

TEST(BarrierFamilies, TwoWarpsWithTwoActions) {
    const BarrierFamilyResult result = run_barrier_family(2, 2);
    EXPECT_GT(result.ambiguous, 0U);
    EXPECT_EQ(result.wrong, 0U) << result.first_wrong;
}

TEST(BarrierFamilies, ThreeWarpsWithOneAction) {
    EXPECT_EQ(run_barrier_family(3, 1).wrong, 0U);
}

} // namespace
} // namespace smsim::state_space

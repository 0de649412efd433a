// Random programs agree with the scalar oracle on designs of all kinds, and give the same result on every design.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

#include "model/config/loader.h"
#include "model/config/validate.h"
#include "tb/fuzz/programs/campaign.h"
#include "tb/fuzz/programs/emit.h"
#include "tb/fuzz/programs/generate_tree.h"
#include "tb/fuzz/programs/vary.h"

namespace smsim::fuzz {
namespace {

/// A campaign of `programs` seeds that must not fail.
CampaignSummary campaign(std::uint64_t first_seed, std::uint64_t programs, std::vector<std::string> settings = {}) {
    spdlog::set_level(spdlog::level::off); // SYSCALL logs a notice
    CampaignOptions options;
    options.first_seed = first_seed;
    options.programs = programs;
    options.settings = std::move(settings);
    CampaignSummary summary = run_campaign(options);
    EXPECT_EQ(summary.programs, programs);
    EXPECT_EQ(summary.failed, 0U) << summary_text(summary);
    return summary;
}

class RandomPrograms : public testing::TestWithParam<int> {};

TEST_P(RandomPrograms, AgreeWithTheOracle) {
    const CampaignSummary summary = campaign(1 + 1000 * static_cast<std::uint64_t>(GetParam()), 1000);
    EXPECT_GT(summary.warp_instructions, 100'000U) << "the programs do next to nothing";
    std::set<std::string> idle;
    for (std::size_t row = 0; row < coverage_rows().size(); ++row) {
        const std::size_t cells = std::size_t{kGuardStates} * kSituations;
        const auto first = summary.coverage.begin() + static_cast<std::ptrdiff_t>(row * cells);
        if (std::all_of(first, first + cells, [](std::uint64_t count) { return count == 0; })) {
            idle.insert(coverage_rows()[row].name);
        }
    }
    EXPECT_EQ(idle, std::set<std::string>{}) << "instructions that no program of a thousand has executed";
}

INSTANTIATE_TEST_SUITE_P(Thousands, RandomPrograms, testing::Range(0, 4));

TEST(RandomSchedules, GiveTheSameResults) {
    campaign(20'000, 300, {"jitter.seed=1", "jitter.max=7"});
    campaign(21'000, 300, {"jitter.seed=2", "jitter.max=500"});
}

TEST(SharedPipelinesOfTheBranchUnit, KeepTheRules) {
    campaign(22'000, 300,
             {"sm.sub_partitions=4", "bru.pipelines=1", "sm.warps_per_sub_partition=32", "sm.registers=262144"});
}

TEST(Designs, CouldComeFromAConfigurationFile) {
    for (std::uint64_t seed = 1; seed < 500; ++seed) {
        EXPECT_NO_THROW(validate(vary(seed, 32 * (1 + seed % 32)).config)) << "seed " << seed;
    }
}

TEST(Designs, TakeOtherTimesAndGiveTheSameResults) {
    spdlog::set_level(spdlog::level::off);
    ModelRunner runner;
    for (std::uint64_t seed = 500'000; seed < 500'100; ++seed) {
        const Tree tree = grow(seed);
        for (std::uint64_t design = 0; design < 6; ++design) {
            const Verdict verdict = judge(tree, vary(7919 * seed + design, tree.threads), runner);
            ASSERT_EQ(verdict.kind, Verdict::Kind::kAgree)
                << "seed " << seed << " design " << design << ": " << verdict.message;
        }
    }
}

TEST(Generator, WritesTheSameProgramForTheSameSeed) {
    for (std::uint64_t seed = 1; seed < 50; ++seed) {
        EXPECT_EQ(emit(grow(seed)).text, emit(grow(seed)).text);
    }
    EXPECT_NE(emit(grow(1)).text, emit(grow(2)).text);
}

TEST(Generator, UsesWarpsCtasAndPartialWarpsOfAllSizes) {
    std::set<std::uint32_t> warps;
    bool partial = false;
    bool several = false;
    for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
        const Tree tree = grow(seed);
        warps.insert((tree.threads + 31) / 32);
        partial |= tree.threads % 32 != 0;
        several |= tree.ctas > 1;
    }
    EXPECT_EQ(*warps.begin(), 1U);
    EXPECT_EQ(*warps.rbegin(), 32U);
    EXPECT_GE(warps.size(), 30U);
    EXPECT_TRUE(partial);
    EXPECT_TRUE(several);
}

TEST(Comparison, NamesTheFirstDifference) {
    Case test;
    test.launch.block = {2, 1, 1};
    test.compared_registers = 0b11;
    test.compared_predicates = 0b1;
    launch::Argument buffer;
    buffer.name = "out";
    test.launch.arguments.push_back(buffer);
    Outcome a;
    a.threads = {{{1, 2}, 0b01}, {{3, 4}, 0b10}, {{5, 6}, 0b11}};
    a.buffers = {{1, 0, 0, 0, 2, 0, 0, 0}};
    Outcome b = a;
    EXPECT_EQ(difference(test, a, b), "");
    b.threads[2].predicates = 0b01; // P1 is not compared
    EXPECT_EQ(difference(test, a, b), "");
    b.threads[2].predicates = 0b10;
    EXPECT_EQ(difference(test, a, b), "CTA 1 thread 0: predicates are 0x1, expected 0x0");
    b = a;
    b.threads[1].registers[1] = 9;
    EXPECT_EQ(difference(test, a, b), "CTA 0 thread 1: R1 is 0x4, expected 0x9");
    b = a;
    b.buffers[0][4] = 7;
    EXPECT_EQ(difference(test, a, b), "out[1] is 0x2, expected 0x7");
}

} // namespace
} // namespace smsim::fuzz

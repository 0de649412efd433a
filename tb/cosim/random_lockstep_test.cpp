// Random programs on random designs with RTL in the place of four parts, in lockstep with the model, agree with the
// oracle.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "tb/fuzz/campaign.h"

namespace smsim::fuzz {
namespace {

/// What the blocks were built for; the rest of each design is as random as ever.
const std::vector<std::string> kLockstep = {
    "sm.sub_partitions=4",
    "sm.warps_per_sub_partition=16",
    "sm.registers=65536",
    "bru.pipelines=4",
    "bru.election=lowest_lane",
    "bru.branch_order=fall_through_first",
    "shared.banks=32",
    "shared.bank_bytes=4",
    "bru.implementation=lockstep",
    "bcu.implementation=lockstep",
    "timer.implementation=lockstep",
    "shared.implementation=lockstep",
};

/// Runs `programs` programs from `first_seed` on, with `settings` beside those of lockstep; gives the answers compared.
LockstepAnswers expect_no_difference(std::uint64_t first_seed, std::uint64_t programs,
                                     const std::vector<std::string> &settings) {
    spdlog::set_level(spdlog::level::off); // SYSCALL announces itself
    CampaignOptions options;
    options.first_seed = first_seed;
    options.programs = programs;
    options.settings = kLockstep;
    options.settings.insert(options.settings.end(), settings.begin(), settings.end());
    const CampaignSummary summary = run_campaign(options);
    EXPECT_EQ(summary.programs, options.programs);
    EXPECT_EQ(summary.failed, 0U) << summary_text(summary);
    EXPECT_GT(summary.warp_instructions, programs * 250) << "the programs do next to nothing";
    return summary.lockstep;
}

TEST(RandomLockstep, HasNoDifferenceAndAgreesWithTheOracle) {
    const LockstepAnswers answers = expect_no_difference(1, 400, {});
    EXPECT_GT(answers.bru, 40'000U);
    EXPECT_EQ(answers.apart, 0U);
}

TEST(RandomLockstep, HasNoDifferenceWhereChannelsAreHeldUp) {
    LockstepAnswers answers = expect_no_difference(1001, 60, {"rtl.stall_percent=20", "rtl.stall_seed=3"});
    answers += expect_no_difference(1061, 40, {"rtl.stall_percent=60", "rtl.stall_seed=4"});
    EXPECT_GT(answers.apart, answers.bru / 10);
}

} // namespace
} // namespace smsim::fuzz

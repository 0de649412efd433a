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

TEST(RandomLockstep, HasNoDifferenceAndAgreesWithTheOracle) {
    spdlog::set_level(spdlog::level::off); // SYSCALL announces itself
    CampaignOptions options;
    options.first_seed = 1;
    options.programs = 400;
    options.settings = kLockstep;
    const CampaignSummary summary = run_campaign(options);
    EXPECT_EQ(summary.programs, options.programs);
    EXPECT_EQ(summary.failed, 0U) << summary_text(summary);
    EXPECT_GT(summary.warp_instructions, 100'000U) << "the programs do next to nothing";
}

} // namespace
} // namespace smsim::fuzz

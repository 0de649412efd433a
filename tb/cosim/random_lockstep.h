// How a test runs random programs on random designs with RTL in place of four parts, in lockstep with the model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "tb/fuzz/programs/campaign.h"

namespace smsim::fuzz {

/// The parameters that the blocks were built for; the rest of each design is as random as always.
inline const std::vector<std::string> kLockstep = {
    "sm.sub_partitions=4",
    "sm.warps_per_sub_partition=16",
    "sm.registers=65536",
    "bru.pipelines=4",
    "bru.election=lowest_lane",
    "bru.branch_order=fall_through_first",
    "bcu.release_order=lowest_first",
    "shared.banks=32",
    "shared.bank_bytes=4",
    "shared.pass_interval=1",
    "shared.phases=false",
    "bru.implementation=lockstep",
    "bcu.implementation=lockstep",
    "timer.implementation=lockstep",
    "shared.implementation=lockstep",
};

/// Runs `programs` programs for `engine`, starting with `first_seed`, with `settings` besides those of lockstep;
/// returns the number of answers compared. `jobs` programs run at a time.
inline LockstepAnswers expect_no_difference(std::uint64_t first_seed, std::uint64_t programs,
                                            const std::vector<std::string> &settings, unsigned jobs = 1,
                                            std::string_view engine = kDefaultEngine) {
    spdlog::set_level(spdlog::level::off); // SYSCALL logs a notice
    CampaignOptions options;
    options.first_seed = first_seed;
    options.programs = programs;
    options.jobs = jobs;
    options.engine = engine;
    options.settings = kLockstep;
    options.settings.insert(options.settings.end(), settings.begin(), settings.end());
    const CampaignSummary summary = run_campaign(options);
    EXPECT_EQ(summary.programs, options.programs);
    EXPECT_EQ(summary.failed, 0U) << summary_text(summary);
    EXPECT_GT(summary.warp_instructions, programs * 100) << "the programs do next to nothing";
    return summary.lockstep;
}

} // namespace smsim::fuzz

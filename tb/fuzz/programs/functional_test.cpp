// Random programs executed functionally, as a whole or up to their middle, agree with the scalar oracle, for each
// reconvergence engine.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "model/program/program.h"
#include "tb/fuzz/programs/campaign.h"

namespace smsim::fuzz {
namespace {

class FunctionalRuns : public testing::TestWithParam<const char *> {};

TEST_P(FunctionalRuns, RandomProgramsAgreeWithTheOracle) {
    spdlog::set_level(spdlog::level::off); // SYSCALL logs a notice
    CampaignOptions options;
    options.engine = GetParam();
    options.first_seed = 700'000;
    options.programs = 400;
    options.without_timing = true;
    const CampaignSummary summary = run_campaign(options);
    EXPECT_EQ(summary.programs, options.programs);
    EXPECT_EQ(summary.failed, 0U) << summary_text(summary);
    EXPECT_GT(summary.warp_instructions, 30'000U) << "the programs do next to nothing";
}

TEST_P(FunctionalRuns, RandomProgramsContinueInTimeFromMidFlight) {
    spdlog::set_level(spdlog::level::off);
    CampaignOptions options;
    options.engine = GetParam();
    options.first_seed = 710'000;
    options.programs = 80;
    options.cuts = 5;
    const CampaignSummary summary = run_campaign(options);
    EXPECT_EQ(summary.programs, options.programs);
    EXPECT_EQ(summary.failed, 0U) << summary_text(summary);
    EXPECT_GT(summary.warp_instructions, 10'000U) << "they have ended before";
}

INSTANTIATE_TEST_SUITE_P(Engines, FunctionalRuns, testing::Values("convergence_barrier", "simt_stack", "token_stack"),
                         [](const auto &engine) { return std::string(engine.param); });

} // namespace
} // namespace smsim::fuzz

// The same with enough programs to cover every instruction with every guard in every situation.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "tb/fuzz/programs/campaign.h"
#include "tb/support/sanitized.h"

namespace smsim::fuzz {
namespace {

class RandomPrograms : public testing::TestWithParam<const char *> {};

TEST_P(RandomPrograms, LeaveNoCellOfTheCoverageTableEmpty) {
    spdlog::set_level(spdlog::level::off);
    CampaignOptions options;
    options.engine = GetParam();
    options.first_seed = 1'000'000;
    options.programs = kSanitized ? 20'000 : 150'000;
    options.jobs = 2;
    const CampaignSummary summary = run_campaign(options);
    EXPECT_EQ(summary.failed, 0U) << summary_text(summary);
    if (kSanitized) {
        return; // too few programs for the rarest cells
    }
    const auto empty = empty_cells(summary.coverage, GetParam());
    EXPECT_TRUE(empty.empty()) << empty.size() << " cells are empty, first " << empty.front() << "\n"
                               << coverage_table(summary.coverage, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Engines, RandomPrograms, testing::Values("convergence_barrier", "simt_stack", "token_stack"),
                         [](const auto &engine) { return std::string(engine.param); });

} // namespace
} // namespace smsim::fuzz

// Samples of a grid: which CTAs they contain, and the estimate for the whole.
#include <cmath>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/stats/sampled_time.h"

namespace smsim {
namespace {

TEST(SamplePlan, WindowsAreDisjointSpreadOverTheGridAndLongEnough) {
    for (const std::uint64_t grid : {500, 1000, 4097, 100000}) {
        for (const std::uint64_t resident : {1, 4, 16}) {
            const SamplePlan plan = plan_sample(grid, resident, 0.1);
            ASSERT_EQ(plan.windows.size(), 10U) << grid << " " << resident;
            EXPECT_EQ(plan.windows.front().first, 0U);
            EXPECT_EQ(plan.windows.back().last, grid - 1);
            EXPECT_EQ(plan.timed(), 10 * plan.length + 2 * resident);
            EXPECT_GE(plan.length, 2 * resident);
            std::vector<std::uint64_t> gaps;
            for (std::size_t i = 1; i < plan.windows.size(); ++i) {
                ASSERT_GT(plan.windows[i].first, plan.windows[i - 1].last);
                gaps.push_back(plan.windows[i].first - plan.windows[i - 1].last);
            }
            EXPECT_LE(*std::ranges::max_element(gaps) - *std::ranges::min_element(gaps), 1U);
        }
    }
}

TEST(SamplePlan, ASmallGridIsRunAsAWhole) {
    const SamplePlan plan = plan_sample(88, 4, 0.1);
    EXPECT_EQ(plan.length, 0U);
    EXPECT_EQ(plan.timed(), 88U);
    std::vector<Cycle> ends(88, 7);
    const auto time = sampled_time(plan, ends, 880);
    ASSERT_TRUE(time);
    EXPECT_EQ(time->cycles, 880);
    EXPECT_EQ(time->half_width, 0);
}

/// Ends of `count` CTAs, `resident` at a time, each of which runs for `duration`.
template <typename Duration>
std::vector<Cycle> ends_of(std::uint64_t count, std::uint64_t resident, Duration duration) {
    std::vector<Cycle> free(resident, 0);
    std::vector<Cycle> ends;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto place = std::ranges::min_element(free);
        *place += duration(i);
        ends.push_back(*place);
    }
    return ends;
}

TEST(SampledTime, CtasThatAreAllAlikeAreExtrapolatedExactly) {
    const auto duration = [](std::uint64_t) { return Cycle{100}; };
    const SamplePlan plan = plan_sample(4000, 4, 0.1);
    const std::vector<Cycle> ends = ends_of(plan.timed(), 4, duration);
    const auto time = sampled_time(plan, ends, *std::ranges::max_element(ends));
    ASSERT_TRUE(time);
    EXPECT_DOUBLE_EQ(time->per_cta, 25);
    EXPECT_NEAR(time->cycles, 100000, 100);
    EXPECT_NEAR(time->half_width, 0, 1e-9);
}

TEST(SampledTime, TheIntervalHoldsTheWholeAboutAsOftenAsItSays) {
    unsigned held = 0;
    constexpr unsigned kTrials = 400;
    for (unsigned trial = 0; trial < kTrials; ++trial) {
        std::mt19937 random(trial);
        std::uniform_int_distribution<Cycle> duration(50, 150);
        std::vector<Cycle> durations(4000);
        std::ranges::generate(durations, [&] { return duration(random); });
        const std::vector<Cycle> whole = ends_of(4000, 4, [&](std::uint64_t i) { return durations[i]; });
        const SamplePlan plan = plan_sample(4000, 4, 0.1);
        std::vector<std::uint64_t> taken;
        for (const SamplePlan::Window &window : plan.windows) {
            for (std::uint64_t i = window.first; i <= window.last; ++i) {
                taken.push_back(i);
            }
        }
        const std::vector<Cycle> ends = ends_of(taken.size(), 4, [&](std::uint64_t i) { return durations[taken[i]]; });
        const auto time = sampled_time(plan, ends, *std::ranges::max_element(ends));
        ASSERT_TRUE(time);
        const auto full = static_cast<double>(*std::ranges::max_element(whole));
        EXPECT_NEAR(time->cycles, full, full * 0.06);
        held += std::abs(time->cycles - full) <= time->half_width ? 1 : 0;
    }
    EXPECT_GE(held, kTrials * 90 / 100);
    EXPECT_LE(held, kTrials * 99 / 100) << "an interval that is never wrong says nothing";
}

TEST(SampledTime, ARunThatWasCutShortGivesNoEstimate) {
    const SamplePlan plan = plan_sample(4000, 4, 0.1);
    EXPECT_FALSE(sampled_time(plan, std::vector<Cycle>(plan.timed() - 1), 1000));
}

TEST(SampledTime, StudentsFactorConvergesToTheNormalDistribution) {
    EXPECT_DOUBLE_EQ(student_95(9), 2.262);
    EXPECT_NEAR(student_95(30), 2.042, 0.001);
    EXPECT_NEAR(student_95(60), 2.000, 0.003);
    EXPECT_NEAR(student_95(1000000), 1.960, 0.001);
}

} // namespace
} // namespace smsim

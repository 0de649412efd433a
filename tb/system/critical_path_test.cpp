// Critical paths of whole runs: they cover the time of their CTA for any kernel, and do not depend on the order of
// processes.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"
#include "views/critical_path/observer.h"

namespace smsim {
namespace {

using views::critical_path::Choice;

CriticalPath path_of(const std::string &kernel, const Choice &choice, bool reverse, RunStats &stats) {
    test::KernelLaunch loaded;
    test::load(loaded, test::example_file(kernel + "/launch.yaml"), {});
    views::critical_path::Observer observer(choice);
    session::Options options;
    options.parts = &observer;
    options.reverse_order = reverse;
    const session::SimulationResult result =
        session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
    EXPECT_FALSE(result.fault) << result.exception;
    stats = result.stats;
    const std::optional<CriticalPath> path = observer.path();
    EXPECT_TRUE(path.has_value());
    return path.value_or(CriticalPath{});
}

class CriticalPaths : public testing::TestWithParam<std::tuple<std::string, bool>> {};

TEST_P(CriticalPaths, CoverTheTimeOfTheCtaThatEndedLast) {
    const auto &[kernel, reverse] = GetParam();
    RunStats stats;
    const CriticalPath path = path_of(kernel, {}, reverse, stats);
    Cycle begin = kNever;
    Cycle end = 0;
    for (const WarpStats &warp : stats.warps) {
        if (warp.cta_number == path.cta) {
            begin = std::min(begin, warp.start);
            end = std::max(end, warp.end);
        }
        EXPECT_LE(warp.end, path.end);
    }
    EXPECT_EQ(path.begin, begin);
    EXPECT_EQ(path.end, end);
    EXPECT_EQ(std::accumulate(path.reasons.begin(), path.reasons.end(), path.before), path.cycles());
    StallCycles reasons{};
    for (const CriticalPath::Cost &cost : path.costs) {
        reasons[static_cast<std::size_t>(cost.reason)] += cost.cycles;
        const bool is_scoreboard =
            cost.reason == StallReason::kShortScoreboard || cost.reason == StallReason::kLongScoreboard;
        EXPECT_EQ(cost.producer.has_value(), is_scoreboard);
    }
    EXPECT_EQ(reasons, path.reasons);
    Cycle from = path.begin + path.before;
    for (const CriticalPath::Stretch &stretch : path.stretches) {
        EXPECT_EQ(stretch.begin, from);
        EXPECT_LT(stretch.begin, stretch.end);
        EXPECT_EQ(stretch.barrier.has_value(), stretch.end != path.end);
        from = stretch.end;
    }
    EXPECT_EQ(from, path.end);
}

INSTANTIATE_TEST_SUITE_P(
    Of, CriticalPaths,
    testing::Combine(testing::Values("barrier_reduction", "cuda_reduction", "cuda_scan", "matmul", "histogram",
                                     "spin_lock_nanosleep", "producer_consumer", "cuda_hash_table", "bitonic_sort"),
                     testing::Bool()),
    [](const auto &test) { return std::get<0>(test.param) + (std::get<1>(test.param) ? "_reversed" : ""); });

} // namespace
} // namespace smsim

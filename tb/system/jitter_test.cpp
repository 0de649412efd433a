// Kernels in random schedules (configuration section `jitter`): correct results, no hazards, different cycles for
// every seed, and the same bytes for the same seed, whatever the order of processes.
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "report/report.h"
#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

/// Locks, barriers, sleeps, divergence, atomics, caches: everything that other schedules could disturb.
const char *const kKernels[] = {"barrier_reduction",   "bfs_step",        "bitonic_sort",
                                "context_switch",      "cuda_hash_table", "producer_consumer",
                                "spin_lock_nanosleep", "spin_lock_yield", "warpsync_groups"};

class JitteredKernels : public testing::TestWithParam<const char *> {
  protected:
    /// Report and trace of a run that passes its checks without a hazard.
    std::string bytes_of_run(std::vector<std::string> settings, bool reverse = false) {
        const std::string file = folder / "bytes";
        settings.emplace_back("sm.hazard_check=true");
        const bool ended = test::run_in_child([&] {
            test::KernelLaunch loaded;
            test::load(loaded, test::example_file(fmt::format("{}/launch.yaml", GetParam())), settings);
            std::ofstream trace(file + ".trace", std::ios::binary);
            session::Options options;
            options.trace = &trace;
            options.reverse_order = reverse;
            const session::SimulationResult result =
                session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
            test::expect_checked(loaded, result);
            EXPECT_TRUE(result.stats.hazards.empty());
            if (testing::Test::HasFailure()) {
                throw std::runtime_error("see above");
            }
            test::write_file(file, to_json_text({.stats = result.stats, .config = loaded.config}));
        });
        EXPECT_TRUE(ended);
        return test::read_file(file) + test::read_file(file + ".trace");
    }
    static std::uint64_t cycles_of(const std::string &bytes) {
        const std::string key = "\"cycles\": ";
        return std::stoull(bytes.substr(bytes.find(key) + key.size()));
    }

    test::TemporaryFolder folder;
};

TEST_P(JitteredKernels, GiveTheSameResultsInOtherCycles) {
    std::set<std::uint64_t> cycles = {cycles_of(bytes_of_run({}))};
    for (const char *seed : {"jitter.seed=1", "jitter.seed=2", "jitter.seed=3"}) {
        cycles.insert(cycles_of(bytes_of_run({seed})));
    }
    EXPECT_EQ(cycles.size(), 4U);
}

TEST_P(JitteredKernels, GiveTheSameBytesForTheSameSeedInEveryProcessOrder) {
    const std::vector<std::string> own = {"jitter.seed=11"};
    const std::vector<std::string> shared = {"jitter.seed=12", "jitter.max=200", "bru.pipelines=1"};
    for (const auto &settings : {own, shared}) {
        const std::string first = bytes_of_run(settings);
        EXPECT_TRUE(first == bytes_of_run(settings));
        EXPECT_TRUE(first == bytes_of_run(settings, true));
    }
}

INSTANTIATE_TEST_SUITE_P(All, JitteredKernels, testing::ValuesIn(kKernels),
                         [](const auto &kernel) { return std::string(kernel.param); });

} // namespace
} // namespace smsim

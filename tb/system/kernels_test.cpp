// Every example kernel end to end: results compared with independently computed ones, accounting that adds up, no
// hazards, and the same bytes from every run, whatever the order of processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/error.h"
#include "report/report.h"
#include "tb/support/checked_links.h"
#include "tb/support/child_process.h"
#include "tb/support/exact_use.h"
#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

/// Launch files of all kernels; if there are small ones, the others are benchmarks and left out. Those of .cu files
/// need a compiler and are left out: the compiled text has its own launch file.
std::vector<std::string> launches() {
    std::vector<std::string> found;
    for (const auto &folder : test::example_kernels()) {
        const std::string start = std::filesystem::exists(folder / "launch_small.yaml") ? "launch_small" : "launch";
        for (const auto &file : std::filesystem::directory_iterator(folder)) {
            const std::string name = file.path().stem().string();
            if (file.path().extension() == ".yaml" && !name.ends_with("_cu") && name.starts_with(start)) {
                found.push_back(file.path().string());
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

/// One launch of each folder: other compilers and forms add nothing to the test of the simulator itself.
std::vector<std::string> first_launches() {
    std::vector<std::string> found = launches();
    std::erase_if(found, [](const std::string &path) {
        const std::string name = std::filesystem::path(path).stem().string();
        return name != "launch" && name != "launch_small";
    });
    return found;
}

class Kernels : public testing::TestWithParam<std::string> {};

TEST_P(Kernels, GiveTheExpectedResultKeepToTheBaseProtocolAndAccountForEveryCycle) {
    test::KernelLaunch loaded;
    test::load(loaded, GetParam(), {"sm.hazard_check=true"});
    tb::CheckedLinks links;
    session::Options options;
    options.binder = &links;
    const session::SimulationResult result =
        session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
    test::expect_checked(loaded, result);
    EXPECT_EQ(links.violations(), std::vector<std::string>{}) << "rules of the base protocol on a memory socket";
    EXPECT_GT(links.transactions(), 0U);
    for (const Hazard &hazard : result.stats.hazards) {
        ADD_FAILURE() << "hazard on " << hazard.space << int{hazard.index} << " between " << hazard.first << " and "
                      << hazard.second;
    }
    StallCycles by_warp{};
    StallCycles by_pc{};
    std::uint64_t instructions = 0;
    std::uint64_t issues = 0;
    for (const WarpStats &warp : result.stats.warps) {
        EXPECT_EQ(std::accumulate(warp.stalls.begin(), warp.stalls.end(), Cycle{0}), warp.end - warp.start);
        EXPECT_EQ(std::accumulate(warp.states.begin(), warp.states.end(), Cycle{0}), warp.end - warp.start);
        EXPECT_EQ(warp.stalls[static_cast<std::size_t>(StallReason::kSelected)], warp.instructions);
        instructions += warp.instructions;
        for (unsigned r = 0; r < kStallReasons; ++r) {
            by_warp[r] += warp.stalls[r];
        }
    }
    for (const PcStats &pc : result.stats.pcs) {
        issues += pc.issues;
        for (unsigned r = 0; r < kStallReasons; ++r) {
            by_pc[r] += pc.stalls[r];
        }
    }
    EXPECT_EQ(by_pc, by_warp);
    EXPECT_EQ(issues, instructions);
    std::map<Pc, Cycle> waited;
    for (const Dependence &dependence : result.stats.dependences) {
        waited[dependence.waits] += dependence.cycles;
        EXPECT_NE(result.stats.pcs.at(dependence.producer / kInstructionBytes).issues, 0U);
    }
    for (std::size_t i = 0; i < result.stats.pcs.size(); ++i) {
        const StallCycles &stalls = result.stats.pcs[i].stalls;
        EXPECT_EQ(waited[i * kInstructionBytes], stalls[static_cast<std::size_t>(StallReason::kShortScoreboard)] +
                                                     stalls[static_cast<std::size_t>(StallReason::kLongScoreboard)])
            << "instruction " << i;
    }
    test::expect_within_the_time(result.stats);
    test::expect_as_counted_elsewhere(result.stats, loaded.config);
    test::expect_below_the_roofs(result.stats, loaded.config, loaded.program);
    EXPECT_EQ(result.stats.warps.size(),
              result.stats.ctas *
                  ((loaded.launch.block[0] * loaded.launch.block[1] * loaded.launch.block[2] + 31) / 32));
}

/// How a run is built.
enum class Build : std::uint8_t {
    kPlain,
    kReverse, ///< the parts in reverse order
    kChecked, ///< with a checker on each memory link
    kAhead,   ///< ahead of the kernel's time
};

/// Report and trace of one run, as bytes.
std::string bytes_of_run(const std::string &path, const std::string &file, Build build,
                         std::vector<std::string> settings) {
    const bool ended = test::run_in_child([&] {
        test::KernelLaunch loaded;
        test::load(loaded, path, settings);
        std::ofstream out(file, std::ios::binary);
        tb::CheckedLinks links;
        session::Options options;
        options.trace = &out;
        options.reverse_order = build == Build::kReverse;
        options.binder = build == Build::kChecked ? &links : nullptr;
        options.ahead = build == Build::kAhead;
        const session::SimulationResult result =
            session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        RunReport report{.stats = result.stats, .config = loaded.config};
        report.fault = result.fault;
        out << to_json_text(report) << result.exception;
        for (const auto &buffer : result.buffers) {
            out.write(reinterpret_cast<const char *>(buffer.data()), static_cast<std::streamsize>(buffer.size()));
        }
    });
    EXPECT_TRUE(ended);
    return test::read_file(file);
}

class KernelRuns : public Kernels {};

TEST_P(KernelRuns, GiveTheSameBytesInEveryRunAndProcessOrder) {
    const test::TemporaryFolder folder;
    for (const char *pipelines : {"bru.pipelines=4", "bru.pipelines=1"}) {
        const std::string first = bytes_of_run(GetParam(), folder / "first", Build::kPlain, {pipelines});
        ASSERT_FALSE(first.empty());
        EXPECT_EQ(first, bytes_of_run(GetParam(), folder / "second", Build::kPlain, {pipelines}));
        EXPECT_TRUE(first == bytes_of_run(GetParam(), folder / "reverse", Build::kReverse, {pipelines}))
            << pipelines << ": the order of processes shows";
        EXPECT_TRUE(first == bytes_of_run(GetParam(), folder / "ahead", Build::kAhead, {pipelines}))
            << pipelines << ": it shows that the model was ahead of the kernel";
    }
}

TEST_P(KernelRuns, GiveTheSameBytesWithSomethingOnTheMemoryLinksThatSeesEachTransaction) {
    const test::TemporaryFolder folder;
    for (const char *latency : {"lsu.queue_latency=1", "lsu.queue_latency=10"}) {
        const std::string plain = bytes_of_run(GetParam(), folder / "plain", Build::kPlain, {latency});
        ASSERT_FALSE(plain.empty());
        EXPECT_TRUE(plain == bytes_of_run(GetParam(), folder / "checked", Build::kChecked, {latency})) << latency;
    }
}

/// Runs the kernel with `settings` in a separate process: it ends, every check holds, and no hazard is found.
void expect_right(const std::string &path, std::vector<std::string> settings) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(settings, " ")));
    settings.insert(settings.end(), {"sm.watchdog_cycles=20000000", "sm.hazard_check=true"});
    EXPECT_TRUE(test::run_in_child([&] {
        test::KernelLaunch loaded;
        test::load(loaded, path, settings);
        const session::SimulationResult result =
            session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch);
        test::expect_checked(loaded, result);
        EXPECT_TRUE(result.stats.hazards.empty());
        if (testing::Test::HasFailure()) {
            throw InputError("the kernel has failed"); // a child's failures do not reach its parent
        }
    }));
}

class KernelPaths : public Kernels {};

// Which path runs first is a free choice of the design; a result that depends on it is wrong.
TEST_P(KernelPaths, GiveTheExpectedResultUnderEveryElection) {
    // Each engine reads only its own keys, so one run tries an order of each.
    const std::vector<std::pair<std::string, std::string>> orders = {
        {"lowest_lane", "minority_first"}, {"most_threads", "fallthrough_first"}, {"oldest", "taken_first"}};
    const std::vector<std::pair<std::string, std::string>> branches = {{"fall_through_first", "fallthrough_first"},
                                                                       {"taken_first", "taken_first"}};
    for (const auto &[election, side] : orders) {
        for (const auto &[order, group] : branches) {
            expect_right(GetParam(), {"bru.election=" + election, "bru.simt_stack.order=" + side,
                                      "bru.branch_order=" + order, "bru.token_stack.order=" + group});
        }
    }
}

class KernelDesigns : public Kernels {};

// The limits of the ranges that docs/configuration.md gives for design studies.
TEST_P(KernelDesigns, GiveTheExpectedResultAtTheEndsOfTheAxes) {
    std::vector<std::string> slow_control = {"bru.pipelines=1"};
    for (const char *instructions : {"branch", "barrier", "sync", "yield", "move"}) {
        slow_control.push_back(fmt::format("bru.{}_latency=64", instructions));
        slow_control.push_back(fmt::format("bru.{}_interval=16", instructions));
    }
    expect_right(GetParam(), slow_control);
    expect_right(GetParam(), {"bcu.arrival_latency=200", "bcu.release_latency=200", "bcu.release_interval=32",
                              "bcu.interval=32", "bcu.move_latency=200", "timer.granularity=4096"});
    expect_right(GetParam(),
                 {"sm.sub_partitions=1", "bru.pipelines=1", "sm.warps_per_sub_partition=64", "ibuffer.depth=1",
                  "ibuffer.policy=loose_round_robin", "shared.banks=8", "shared.bank_bytes=4"});
    expect_right(GetParam(), {"sm.sub_partitions=2", "bru.pipelines=1", "sm.warps_per_sub_partition=32",
                              "ibuffer.policy=greedy_then_oldest", "shared.banks=8", "shared.bank_bytes=16"});
    expect_right(GetParam(),
                 {"sm.sub_partitions=8", "bru.pipelines=8", "sm.warps_per_sub_partition=8", "ibuffer.depth=16",
                  "ibuffer.policy=two_level", "ibuffer.issue_width=2", "shared.banks=64", "shared.bank_bytes=16"});
    for (const auto &[policy, replacement, bypass, distribution] :
         {std::tuple("cache_conscious", "fifo", "none", "blocked"),
          std::tuple("criticality_aware", "random", "stalled", "last_first"),
          std::tuple("barrier_aware", "srrip", "low_reuse", "by_tile"),
          std::tuple("divergent_first", "brrip", "divergent", "by_column")}) {
        expect_right(GetParam(), {"l1.bytes=4096", "l1.mshrs=4", std::string("ibuffer.policy=") + policy,
                                  std::string("l1.replacement=") + replacement, std::string("l1.bypass=") + bypass,
                                  std::string("sm.cta_distribution=") + distribution});
    }
}

std::string launch_name(const testing::TestParamInfo<std::string> &info) {
    const std::filesystem::path path(info.param);
    const std::string variant = path.stem().string().substr(std::string_view("launch").size());
    return path.parent_path().filename().string() + variant;
}

/// Lines smaller than a row of 32 words: requests are split at line boundaries, so that they still hit.
class SmallLines : public testing::TestWithParam<unsigned> {};

TEST_P(SmallLines, Hit) {
    for (const char *kernel : {"cuda_spmv", "cuda_transpose", "matmul"}) {
        ASSERT_TRUE(test::run_in_child([kernel] {
            test::KernelLaunch loaded;
            const std::string folder = test::example_file(kernel);
            const bool has_small = std::filesystem::exists(folder + "/launch_small.yaml");
            test::load(loaded, folder + (has_small ? "/launch_small.yaml" : "/launch.yaml"),
                       {fmt::format("l1.line_bytes={}", GetParam())});
            const session::SimulationResult result =
                session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch);
            test::expect_checked(loaded, result);
            EXPECT_GT(result.stats.global.l1_hits, 0U) << kernel;
            EXPECT_EQ(result.stats.global.reads, result.stats.global.l1_misses) << "no read passes the cache by";
        })) << kernel;
    }
}

INSTANTIATE_TEST_SUITE_P(LineBytes, SmallLines, testing::Values(32U, 64U));
INSTANTIATE_TEST_SUITE_P(All, Kernels, testing::ValuesIn(launches()), launch_name);
INSTANTIATE_TEST_SUITE_P(All, KernelPaths, testing::ValuesIn(first_launches()), launch_name);
INSTANTIATE_TEST_SUITE_P(All, KernelDesigns, testing::ValuesIn(first_launches()), launch_name);
INSTANTIATE_TEST_SUITE_P(All, KernelRuns, testing::ValuesIn(first_launches()), launch_name);

} // namespace
} // namespace smsim

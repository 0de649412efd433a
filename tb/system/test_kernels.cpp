// Every example kernel end to end: results against independently computed ones, accounting that closes, no hazards, and
// the same bytes from every run, whatever the order of processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "model/config/loader.h"
#include "model/launch/launch.h"
#include "model/program/container.h"
#include "model/stats/report.h"
#include "sm/simulation.h"
#include "tb/support/child_process.h"

namespace smsim {
namespace {

/// Launch files of all kernels; matmul's large one is the benchmark, its small one stands for it here.
std::vector<std::string> launches() {
    std::vector<std::string> found;
    std::error_code missing;
    for (const auto &folder :
         std::filesystem::directory_iterator(std::string(SMSIM_SOURCE_DIR) + "/kernels", missing)) {
        if (!folder.is_directory()) {
            continue;
        }
        const auto small = folder.path() / "launch_small.yaml";
        found.push_back(std::filesystem::exists(small) ? small.string() : (folder.path() / "launch.yaml").string());
    }
    std::ranges::sort(found);
    return found;
}

struct Loaded {
    Config config;
    launch::Launch launch;
    Program program;
    const Kernel *kernel = nullptr;
};

void load(Loaded &loaded, const std::string &path, std::vector<std::string> settings) {
    loaded.config = load_config(std::nullopt, settings);
    loaded.launch = launch::load_launch(path);
    loaded.program = load_program(loaded.launch.program, timing::SchedulingModel(loaded.config));
    loaded.kernel =
        loaded.launch.kernel.empty() ? &loaded.program.kernels.at(0) : loaded.program.find_kernel(loaded.launch.kernel);
    ASSERT_NE(loaded.kernel, nullptr);
}

class Kernels : public testing::TestWithParam<std::string> {};

TEST_P(Kernels, GiveTheExpectedResultAndAccountForEveryCycle) {
    Loaded loaded;
    load(loaded, GetParam(), {"sm.hazard_check=true"});
    ASSERT_FALSE(loaded.launch.checks.empty());
    const sm::SimulationResult result = sm::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch);
    ASSERT_FALSE(result.fault) << result.exception;
    for (const launch::Check &check : loaded.launch.checks) {
        const launch::CheckResult compared =
            launch::check_buffer(loaded.launch, check, result.buffers.at(check.argument));
        EXPECT_TRUE(compared.passed()) << compared.buffer << ": " << compared.mismatches << " mismatches, first at "
                                       << compared.first.at(0).index << ": got " << compared.first.at(0).got
                                       << ", expected " << compared.first.at(0).expected;
    }
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
    EXPECT_EQ(result.stats.warps.size(),
              result.stats.ctas *
                  ((loaded.launch.block[0] * loaded.launch.block[1] * loaded.launch.block[2] + 31) / 32));
}

/// Report and trace of one run, as bytes.
std::string bytes_of_run(const std::string &path, const std::string &file, bool reverse,
                         std::vector<std::string> settings) {
    const bool ended = test::run_in_child([&] {
        Loaded loaded;
        load(loaded, path, settings);
        std::ofstream out(file, std::ios::binary);
        sm::SimulationOptions options;
        options.trace = &out;
        options.reverse_order = reverse;
        const sm::SimulationResult result =
            sm::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
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

TEST_P(Kernels, GiveTheSameBytesInEveryRunAndProcessOrder) {
    const test::TemporaryFolder folder;
    for (const char *pipelines : {"bru.pipelines=4", "bru.pipelines=1"}) {
        const std::string first = bytes_of_run(GetParam(), folder / "first", false, {pipelines});
        ASSERT_FALSE(first.empty());
        EXPECT_EQ(first, bytes_of_run(GetParam(), folder / "second", false, {pipelines}));
        EXPECT_TRUE(first == bytes_of_run(GetParam(), folder / "reverse", true, {pipelines}))
            << pipelines << ": the order of processes shows";
    }
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, testing::ValuesIn(launches()), [](const auto &param) {
    return std::filesystem::path(param.param).parent_path().filename().string();
});

} // namespace
} // namespace smsim

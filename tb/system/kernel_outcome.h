// The time-independent results of the example kernels, for tests that execute them in several ways.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/report.h"
#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"

namespace smsim::test {

/// Kernels in which the order of accesses of different warps determines how often instructions are executed, and why.
inline const std::map<std::string, std::string> kOrderCounts = {
    {"bfs_step", "of several threads that find one neighbour the first marks it, the others see that it is marked"},
    {"simt_stack_bfs_step", "as bfs_step"},
    {"token_stack_bfs_step", "as bfs_step"},
    {"cuda_bfs", "as bfs_step"},
    {"cuda_hash_table", "who comes first gets the slot, the others look on"},
    {"cuda_backoff_lock", "threads try until they have the lock"},
    {"spin_lock_nanosleep", "threads try until they have the lock"},
    {"spin_lock_yield", "threads try until they have the lock"},
};
/// Those of them in which it determines the places of results, which their checks allow.
inline const std::map<std::string, std::string> kOrderShows = {
    {"cuda_bfs", "the next frontier is in the order in which its nodes were found"},
    {"cuda_hash_table", "which of several keys has which slot"},
};

/// Paths of the launch files of all example kernels.
inline std::vector<std::string> kernel_launches() {
    std::vector<std::string> found;
    for (const auto &folder : example_kernels()) {
        for (const auto &file : std::filesystem::directory_iterator(folder)) {
            const std::string name = file.path().stem().string();
            // Those of .cu files need a compiler; the compiled text has its own launch file.
            if (file.path().extension() == ".yaml" && name.starts_with("launch") && !name.ends_with("_cu")) {
                found.push_back(file.path().string());
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

/// Name of the kernel whose launch file this is.
inline std::string folder_of(const std::string &path) {
    return std::filesystem::path(path).parent_path().filename().string();
}

/// The time-independent outcome of a run.
inline nlohmann::json outcome_of(const KernelLaunch &loaded, const session::SimulationResult &result) {
    nlohmann::json outcome;
    outcome["exception"] = result.exception;
    outcome["printed"] = result.printed;
    for (const PcStats &pc : result.stats.pcs) {
        outcome["issues"].push_back({pc.issues, pc.active_lanes, pc.executed_lanes});
    }
    RunReport report{.stats = result.stats, .config = loaded.config};
    report.in_time = false; // leaves out timed data
    nlohmann::json counts = nlohmann::json::parse(to_json_text(report));
    counts.erase("config");
    counts.erase("warps"); // slots depend on when others ended
    outcome["counts"] = counts;
    for (const WarpStats &warp : result.stats.warps) {
        outcome["warps"].push_back({warp.cta_number, warp.warp_in_cta, warp.instructions, warp.thread_instructions});
    }
    return outcome;
}

/// Runs a launch whose checks hold, and returns that with the bytes of its buffers, and the functional part; null: it
/// failed, which is a failure of the test.
inline nlohmann::json run_kernel(const std::string &path, const session::TimedCtas &timed,
                                 const std::vector<std::string> &settings = {}) {
    const TemporaryFolder folder;
    const bool ended = run_in_child([&] {
        KernelLaunch loaded;
        load(loaded, path, settings);
        session::Options options;
        options.timed = timed;
        const session::SimulationResult result =
            session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        expect_checked(loaded, result);
        if (testing::Test::HasFailure()) {
            throw InputError("the kernel has failed"); // a child's failures do not reach its parent
        }
        nlohmann::json outcome = outcome_of(loaded, result);
        outcome["untimed"] = {result.untimed.ctas, result.untimed.instructions};
        write_file(folder / "outcome", outcome.dump());
        std::string bytes;
        for (const auto &buffer : result.buffers) {
            bytes.append(buffer.begin(), buffer.end());
        }
        write_file(folder / "buffers", bytes);
    });
    EXPECT_TRUE(ended) << path;
    if (!ended) {
        return {};
    }
    nlohmann::json outcome = nlohmann::json::parse(read_file(folder / "outcome"));
    const std::string bytes = read_file(folder / "buffers");
    outcome["buffers"] = nlohmann::json::binary({bytes.begin(), bytes.end()});
    return outcome;
}

/// Name of a test for a launch file.
inline std::string launch_name(const testing::TestParamInfo<std::string> &info) {
    return folder_of(info.param) +
           std::filesystem::path(info.param).stem().string().substr(std::string_view("launch").size());
}

} // namespace smsim::test

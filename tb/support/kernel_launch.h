// Launch files for tests: everything that a run needs, and the comparison of its results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "assembler/load_program.h"
#include "model/config/loader.h"
#include "model/launch/launch.h"
#include "ptx/compiler.h"
#include "session/simulation.h"
#include "tb/support/child_process.h"

namespace smsim::test {

struct KernelLaunch {
    Config config;
    launch::Launch launch;
    Program program;
    const Kernel *kernel = nullptr;
};

/// A program of any kind for a machine of `config`: PTX is compiled, everything else is read by `load_program`.
inline Program read_program(const std::string &path, const Config &config) {
    const timing::SchedulingModel model(config);
    if (path.ends_with(".ptx")) {
        return ptx::compile(read_file(path), path, model, {.engine = config.bru.engine});
    }
    return load_program(path, model);
}

/// Reads the launch file at `path`, with the default configuration, the settings of the file, and `settings`.
/// `program` replaces the one that the file names, and `config` the default configuration. Throws InputError as the
/// readers do; a missing kernel is a test failure.
inline void load(KernelLaunch &loaded, const std::string &path, const std::vector<std::string> &settings,
                 const std::optional<std::string> &program = std::nullopt,
                 const std::optional<std::string> &config = std::nullopt) {
    loaded.launch = launch::load_launch(path);
    std::vector<std::string> all;
    for (const Setting &setting : loaded.launch.settings) {
        all.push_back(setting.key + "=" + setting.value);
    }
    all.insert(all.end(), settings.begin(), settings.end());
    loaded.config = load_config(config, all);
    loaded.program = read_program(program.value_or(loaded.launch.program), loaded.config);
    loaded.kernel =
        loaded.launch.kernel.empty() ? &loaded.program.kernels.at(0) : loaded.program.find_kernel(loaded.launch.kernel);
    ASSERT_NE(loaded.kernel, nullptr);
}

/// The run completed, and all checks of the launch file hold; there is at least one.
inline void expect_checked(const KernelLaunch &loaded, const session::SimulationResult &result) {
    ASSERT_FALSE(loaded.launch.checks.empty());
    ASSERT_FALSE(result.fault) << result.exception;
    for (const launch::Check &check : loaded.launch.checks) {
        const launch::CheckResult compared =
            launch::check_buffer(loaded.launch, check, result.buffers.at(check.argument));
        EXPECT_TRUE(compared.passed()) << compared.buffer << ": " << compared.mismatches << " mismatches, first at "
                                       << compared.first.at(0).index << ": got " << compared.first.at(0).got
                                       << ", expected " << compared.first.at(0).expected;
    }
}

} // namespace smsim::test

// Every example kernel with RTL in place of parts: the same results, control states and cycles as the model with the
// same latencies; the same results also when channels are held up at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/error.h"
#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

/// One launch file of each kernel, the small one if there is one. Its settings, usually an engine, choose the blocks.
std::vector<std::string> launches() {
    std::vector<std::string> found;
    for (const auto &folder : test::example_kernels()) {
        for (const char *name : {"launch_small.yaml", "launch.yaml"}) {
            if (std::filesystem::exists(folder / name)) {
                found.push_back((folder / name).string());
                break;
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

/// The outcome of a run: the cycles of its launch, its trace, and the buffers. The trace lines are sorted and lack
/// cycle and state: a control instruction is traced when its answer is reported, which an RTL block does later, when
/// others may have changed the state. States are compared in lockstep.
struct Shown {
    std::string cycles;
    std::vector<std::string> trace;
    std::string buffers;
};

Shown run(const std::string &path, const std::vector<std::string> &settings, const std::string &file) {
    const bool ended = test::run_in_child([&] {
        test::KernelLaunch loaded;
        test::load(loaded, path, settings);
        std::ofstream trace(file + ".trace", std::ios::binary);
        session::Options options;
        options.trace = &trace;
        const session::SimulationResult result =
            session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        test::expect_checked(loaded, result);
        std::ofstream(file + ".cycles") << result.stats.cycles;
        std::ofstream buffers(file + ".buffers", std::ios::binary);
        for (const auto &buffer : result.buffers) {
            buffers.write(reinterpret_cast<const char *>(buffer.data()), static_cast<std::streamsize>(buffer.size()));
        }
        if (testing::Test::HasFailure()) {
            throw InputError("the kernel has failed"); // a child's failures do not reach its parent
        }
    });
    EXPECT_TRUE(ended) << fmt::format("{}", fmt::join(settings, " "));
    Shown shown{test::read_file(file + ".cycles"), {}, test::read_file(file + ".buffers")};
    std::istringstream lines(test::read_file(file + ".trace"));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t begin = std::min(line.find("\"sm\""), line.size());
        shown.trace.push_back(line.substr(begin, line.find(",\"after\"") - begin));
    }
    std::ranges::sort(shown.trace);
    return shown;
}

class RtlKernels : public testing::TestWithParam<std::string> {};

TEST_P(RtlKernels, MatchTheModelInEveryCycle) {
    const test::TemporaryFolder folder;
    const Shown model = run(GetParam(), {}, folder / "model");
    const Shown rtl = run(
        GetParam(),
        {"bru.implementation=rtl", "bcu.implementation=rtl", "timer.implementation=rtl", "shared.implementation=rtl"},
        folder / "rtl");
    EXPECT_EQ(rtl.cycles, model.cycles);
    EXPECT_TRUE(rtl.buffers == model.buffers);
    ASSERT_EQ(rtl.trace.size(), model.trace.size());
    for (std::size_t i = 0; i < model.trace.size(); ++i) {
        ASSERT_EQ(rtl.trace[i], model.trace[i]) << "line " << i << " of the sorted trace";
    }
}

/// Runs the kernel with all four parts in lockstep and checks its results; returns by how many cycles RTL and model
/// differed.
LockstepStats in_lockstep(const std::string &path, std::vector<std::string> settings) {
    for (const char *part : {"bru", "bcu", "timer", "shared"}) {
        settings.push_back(fmt::format("{}.implementation=lockstep", part));
    }
    test::KernelLaunch loaded;
    test::load(loaded, path, settings);
    const session::SimulationResult result =
        session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch);
    test::expect_checked(loaded, result);
    return result.stats.lockstep;
}

/// Answers, and those that were not in the same cycle as the model's.
std::pair<std::uint64_t, std::uint64_t> answers_of(const LockstepStats &stats) {
    std::pair<std::uint64_t, std::uint64_t> count;
    for (const auto &[part, operations] : stats) {
        for (const auto &[operation, apart] : operations) {
            const auto [answers, together] = count_answers(apart);
            count.first += answers;
            count.second += answers - together;
        }
    }
    return count;
}

TEST_P(RtlKernels, DoNotDifferFromTheModelAndAnswerInItsCycles) {
    const auto [answers, apart] = answers_of(in_lockstep(GetParam(), {}));
    EXPECT_GT(answers, 0U);
    EXPECT_EQ(apart, 0U);
}

TEST_P(RtlKernels, HaveNoDifferenceWithStalledChannels) {
    const auto [answers, apart] = answers_of(in_lockstep(GetParam(), {"rtl.stall_percent=30", "rtl.stall_seed=1"}));
    EXPECT_GT(answers, 0U);
    EXPECT_GT(apart, answers / 10) << "nothing was held up";
}

INSTANTIATE_TEST_SUITE_P(All, RtlKernels, testing::ValuesIn(launches()), [](const auto &one) {
    return std::filesystem::path(one.param).parent_path().filename().string();
});

} // namespace
} // namespace smsim

// The PTX that compilers made of the CUDA kernels gives the kernels' expected results on the interpreter.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/launch/launch.h"
#include "ptx/checker.h"
#include "ptx/interpreter/interpreter.h"
#include "ptx/parser.h"
#include "tb/support/example_kernels.h"

namespace smsim::ptx::interpreter {
namespace {

constexpr std::uint64_t kFirstBuffer = 0x20'0000'0000;
constexpr std::uint64_t kBetweenBuffers = 0x1'0000'0000;

std::string read_file(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Launch files of the kernels in CUDA C, one for each PTX text.
std::vector<std::string> launches() {
    std::vector<std::string> files;
    for (const auto &folder : test::example_kernels()) {
        const bool cuda = folder.filename().string().starts_with("cuda_");
        for (const char *name : {"launch.yaml", "launch_nvcc.yaml"}) {
            if (cuda && std::filesystem::exists(folder / name)) {
                files.push_back(folder / name);
            }
        }
    }
    std::ranges::sort(files);
    return files;
}

class Kernels : public testing::TestWithParam<std::string> {};

TEST_P(Kernels, GiveTheExpectedResults) {
    const launch::Launch launch = launch::load_launch(GetParam());
    const ptx::Module module = ptx::parse_module(read_file(launch.program), launch.program);
    ptx::check_module(module, launch.program);
    const CompiledModule compiled = prepare(module);
    Launch inner;
    inner.grid = launch.grid;
    inner.block = launch.block;
    inner.dynamic_shared = launch.dynamic_shared;
    inner.max_steps = 2'000'000'000;
    std::vector<std::uint64_t> addresses;
    std::vector<std::size_t> buffers;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        addresses.push_back(kFirstBuffer + kBetweenBuffers * i);
        if (launch.arguments[i].is_buffer) {
            buffers.push_back(i);
            inner.buffers.push_back({addresses.back(), launch::initial_bytes(launch.arguments[i])});
        }
    }
    inner.parameters = launch::parameter_bytes(launch, addresses);
    std::string kernel = launch.kernel;
    for (const CompiledFunction &function : compiled.functions) {
        kernel = kernel.empty() && function.entry ? function.name : kernel;
    }
    const Result result = run(compiled, kernel, inner);
    ASSERT_EQ(result.error, "");
    EXPECT_FALSE(launch.checks.empty());
    for (const launch::Check &check : launch.checks) {
        const auto at = std::ranges::find(buffers, check.argument) - buffers.begin();
        const launch::CheckResult checked =
            check_buffer(launch, check, result.buffers.at(static_cast<std::size_t>(at)));
        EXPECT_TRUE(checked.passed()) << checked.buffer << ": " << checked.mismatches << " of " << checked.compared;
    }
}

INSTANTIATE_TEST_SUITE_P(Cuda, Kernels, testing::ValuesIn(launches()), [](const auto &parameter) {
    const std::filesystem::path path(parameter.param);
    return path.parent_path().filename().string() + "_" + path.stem().string();
});

} // namespace
} // namespace smsim::ptx::interpreter

// Translation validation of all kernels in CUDA C, with the PTX of clang and of nvcc: `smsim compile --check` finds no
// pass after which one of them computes something other than the interpreter of PTX.
#include <algorithm>
#include <filesystem>
#include <ostream>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"

namespace smsim {
namespace {

struct Case {
    std::string program;
    std::string launch;
    std::string name;
};

/// For the names that ctest shows.
void PrintTo(const Case &value, std::ostream *out) {
    *out << value.name;
}

/// The program that a launch file names.
std::string program_of(const std::filesystem::path &launch) {
    const std::string text = test::read_file(launch.string());
    std::smatch found;
    return std::regex_search(text, found, std::regex("(^|\n)program: *(\\S+)")) ? found[2].str() : "";
}

/// Each program with the first of its launch files, preferably a small one.
std::vector<Case> cases() {
    std::vector<Case> found;
    for (const auto &folder : test::example_kernels()) {
        std::vector<std::filesystem::path> launches;
        for (const auto &file : std::filesystem::directory_iterator(folder)) {
            if (file.path().extension() == ".yaml") {
                launches.push_back(file.path());
            }
        }
        std::ranges::sort(launches, {}, [](const std::filesystem::path &launch) {
            return std::pair(launch.stem().string().find("_small") == std::string::npos, launch);
        });
        for (const auto &launch : launches) {
            const std::string program = program_of(launch);
            const bool known = std::ranges::any_of(
                found, [&](const Case &other) { return other.program == (folder / program).string(); });
            if (program.ends_with(".ptx") && !known) {
                std::string name = program.substr(0, program.size() - 4);
                std::ranges::replace(name, '.', '_');
                found.push_back({(folder / program).string(), launch.string(), name});
            }
        }
    }
    std::ranges::sort(found, {}, &Case::name);
    return found;
}

class Translation : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(All, Translation, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case> &test) { return test.param.name; });

TEST_P(Translation, IsTheSameAfterEveryPass) {
    const test::CommandResult done = test::run_command_line(std::string(SMSIM_BINARY) + " compile --check --launch " +
                                                            GetParam().launch + " " + GetParam().program);
    EXPECT_EQ(done.status, 0) << done.output;
    EXPECT_THAT(done.output, testing::HasSubstr(": equal\n"));
}

} // namespace
} // namespace smsim

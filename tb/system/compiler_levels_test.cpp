// The code that clang and nvcc make of one source gives the same results at all optimisation levels: the kernels in
// CUDA C with the PTX of tb/data/ptx/levels, and the functions of the CUDA header in tb/data/ptx/cuda_header. The texts
// of clang are made by the build, with the installed version.
// scripts/compile-kernels makes the PTX; a text that equals that of another level is stored once.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include <gtest/gtest.h>

#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"

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

const std::filesystem::path kRoot = SMSIM_SOURCE_DIR;

/// nbody.clang-O0.ptx and launch_plain.yaml: nbody_clang_O0_plain.
std::string case_name(const std::filesystem::path &program, const std::string &variant) {
    std::string name = program.stem().string() + variant;
    std::ranges::replace_if(
        name, [](char c) { return c == '.' || c == '-'; }, '_');
    return name;
}

/// The name of the source: the part before the first dot.
std::string source_of(const std::filesystem::path &program) {
    const std::string name = program.filename().string();
    return name.substr(0, name.find('.'));
}

void add_kernel(std::vector<Case> &cases, const std::filesystem::path &program) {
    const std::filesystem::path folder = test::example_file("cuda_" + source_of(program));
    // If there is a small launch, the other one is a benchmark.
    const std::string start = std::filesystem::exists(folder / "launch_small.yaml") ? "launch_small" : "launch";
    for (const auto &file : std::filesystem::directory_iterator(folder)) {
        const std::string stem = file.path().stem().string();
        if (file.path().extension() == ".yaml" && stem.starts_with(start) && !stem.ends_with("_cu") &&
            !stem.ends_with("_nvcc")) {
            const std::string variant = stem.substr(std::string_view("launch").size());
            if (variant == "_large") { // redundant
                continue;
            }
            cases.push_back({program.string(), file.path().string(), case_name(program, variant)});
        }
    }
}

std::vector<Case> cases() {
    std::vector<Case> found;
    const std::filesystem::path stored = kRoot / "tb/data/ptx";
    for (const std::filesystem::path &folder : {stored, std::filesystem::path(SMSIM_MADE_PTX)}) {
        std::error_code none; // without clang, nothing is made
        for (const auto &file : std::filesystem::directory_iterator(folder / "levels", none)) {
            if (file.path().extension() == ".ptx") {
                add_kernel(found, file.path());
            }
        }
        for (const auto &file : std::filesystem::directory_iterator(folder / "cuda_header", none)) {
            if (file.path().extension() == ".ptx") {
                const auto launch = stored / "cuda_header" / (source_of(file.path()) + ".yaml");
                found.push_back({file.path().string(), launch.string(), "header_" + case_name(file.path(), "")});
            }
        }
    }
    std::ranges::sort(found, {}, &Case::name);
    return found;
}

class CompilerLevels : public testing::TestWithParam<Case> {};

TEST_P(CompilerLevels, GiveTheSameResults) {
    test::KernelLaunch loaded;
    test::load(loaded, GetParam().launch, {"sm.hazard_check=true"}, GetParam().program);
    const session::SimulationResult result =
        session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch);
    test::expect_checked(loaded, result);
    EXPECT_TRUE(result.stats.hazards.empty());
}

INSTANTIATE_TEST_SUITE_P(All, CompilerLevels, testing::ValuesIn(cases()),
                         [](const auto &param) { return param.param.name; });

} // namespace
} // namespace smsim

// Every example kernel on every configuration compared with the limits that the report draws: no unit is busier than
// its time allows, no level of the memories moves more than its roof, and each moves as much as its unit was in use.
#include <algorithm>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "tb/support/child_process.h"
#include "tb/support/exact_use.h"
#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

namespace fs = std::filesystem;

const std::string kSource = SMSIM_SOURCE_DIR;

std::vector<std::string> configurations() {
    std::vector<std::string> found;
    std::error_code missing;
    for (const fs::directory_entry &file : fs::directory_iterator(kSource + "/configs", missing)) {
        if (file.path().extension() == ".yaml") {
            found.push_back(file.path().stem().string());
        }
    }
    std::ranges::sort(found);
    return found;
}

/// One launch of each folder; the smaller one if there are two.
std::vector<std::string> launches() {
    std::vector<std::string> found;
    for (const fs::path &folder : test::example_kernels()) {
        for (const char *name : {"launch_small.yaml", "launch.yaml"}) {
            if (fs::exists(folder / name)) {
                found.push_back((folder / name).string());
                break;
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

class Roofs : public testing::TestWithParam<std::string> {};

TEST_P(Roofs, NoUnitOfAnyKernelIsBusierThanItsRoofSays) {
    const std::vector<std::string> all = launches();
    EXPECT_GT(all.size(), 50U);
    for (const std::string &path : all) {
        EXPECT_TRUE(test::run_in_child([&] {
            test::KernelLaunch loaded;
            test::load(loaded, path, {}, std::nullopt, kSource + "/configs/" + GetParam() + ".yaml");
            const session::SimulationResult result =
                session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, {});
            EXPECT_FALSE(result.fault) << result.exception;
            test::expect_within_the_time(result.stats);
            test::expect_below_the_roofs(result.stats, loaded.config, loaded.program);
            test::expect_as_busy_as_its_roof(result.stats, loaded.config, loaded.program);
            if (testing::Test::HasFailure()) {
                throw std::runtime_error("a unit and its roof disagree");
            }
        })) << path;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, Roofs, testing::ValuesIn(configurations()), [](const auto &one) { return one.param; });

} // namespace
} // namespace smsim

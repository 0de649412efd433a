// Policies by name (`l1.replacement`, `l1.bypass`, `sm.cta_distribution`): each changes the time or the hit rate of a
// kernel, and none its results, which the launch file checks.
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"

namespace smsim {
namespace {

using ::testing::HasSubstr;

test::CommandResult run(const std::string &arguments, const std::string &kernel) {
    return test::run_command_line(fmt::format("{} run --no-progress {} {}", SMSIM_BINARY, arguments,
                                              test::example_file(kernel + "/launch.yaml")));
}

/// Cycles and hit rate of a run whose results are right.
std::pair<std::uint64_t, double> figures_of(const std::string &arguments, const std::string &kernel) {
    const test::CommandResult done = run("--report json " + arguments, kernel);
    EXPECT_EQ(done.status, 0) << done.output;
    const nlohmann::json report = nlohmann::json::parse(done.output, nullptr, false);
    return {report.at("cycles"), report.at("memory").at("l1").at("hit_rate")};
}

struct Case {
    const char *kernel;
    const char *design; ///< in which the policy matters
    const char *setting;

    friend std::ostream &operator<<(std::ostream &out, const Case &one) { return out << one.setting; }
};
class Policies : public testing::TestWithParam<Case> {};

TEST_P(Policies, ChangeTheTimeAndNotTheResults) {
    const auto &[kernel, design, setting] = GetParam();
    EXPECT_NE(figures_of(fmt::format("{} --set {}", design, setting), kernel), figures_of(design, kernel));
}

constexpr const char *kSmall = "--set l1.bytes=16K"; ///< lines are replaced
INSTANTIATE_TEST_SUITE_P(All, Policies,
                         testing::Values(Case{"cuda_spmv", kSmall, "l1.replacement=fifo"},
                                         Case{"cuda_spmv", kSmall, "l1.replacement=random"},
                                         Case{"cuda_spmv", kSmall, "l1.replacement=srrip"},
                                         Case{"cuda_spmv", kSmall, "l1.replacement=brrip"},
                                         Case{"cuda_spmv", "", "l1.bypass=divergent"},
                                         Case{"cuda_spmv", "", "l1.bypass=stalled"},
                                         Case{"cuda_spmv", "", "l1.bypass=low_reuse"},
                                         Case{"cuda_transpose", "", "sm.cta_distribution=by_column"},
                                         Case{"cuda_transpose", "", "sm.cta_distribution=by_tile"},
                                         Case{"cuda_transpose", "", "sm.cta_distribution=last_first"}),
                         [](const testing::TestParamInfo<Case> &which) {
                             std::string name = which.param.setting;
                             for (char &letter : name) {
                                 letter = letter == '.' || letter == '=' ? '_' : letter;
                             }
                             return name;
                         });

TEST(PolicyNames, BlockedIsInOrderWithOneSm) {
    EXPECT_EQ(figures_of("--set sm.cta_distribution=blocked", "cuda_transpose"), figures_of("", "cuda_transpose"));
}

TEST(PolicyNames, AnotherOrderOfCtasNeedsAWholeLaunchInTime) {
    const std::string last_first = "--report none --set sm.cta_distribution=last_first ";
    for (const char *part : {"--timing-ctas 2-3", "--timing-from 2", "--timing-from instruction:1000"}) {
        const test::CommandResult done = run(last_first + part, "cuda_transpose");
        EXPECT_EQ(done.status, 2) << part;
        EXPECT_THAT(done.output, HasSubstr("sm.cta_distribution: CTAs start in the order of their numbers")) << part;
    }
    EXPECT_EQ(run(last_first + "--timing none", "cuda_transpose").status, 0) << "all CTAs are functional";
}

} // namespace
} // namespace smsim

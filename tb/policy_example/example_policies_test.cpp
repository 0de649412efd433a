// Policies from a shared library (`library:LIB.so[:PARAMETERS]` as the value of a key): kernels that run with them, and
// the messages for libraries that cannot be used.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"

namespace smsim {
namespace {

using ::testing::HasSubstr;

std::string library(const std::string &name) {
    return std::string("library:") + SMSIM_POLICY_EXAMPLES + "/lib" + name;
}
std::string example(const std::string &parameters) {
    return library("example_policies.so:" + parameters);
}

test::CommandResult run(const std::string &arguments, const std::string &launch) {
    return test::run_command_line(
        fmt::format("{} run --no-progress {} {}", SMSIM_BINARY, arguments, test::example_file(launch)));
}

/// The report of a run whose results are right, without what repeats the configuration.
nlohmann::json report_of(const std::string &settings, const std::string &launch) {
    const test::CommandResult done = run("--report json " + settings, launch);
    EXPECT_EQ(done.status, 0) << done.output;
    nlohmann::json report = nlohmann::json::parse(done.output, nullptr, false);
    EXPECT_FALSE(report.is_discarded()) << done.output;
    report.erase("config");
    report.erase("validation");
    return report;
}

/// A small L1, in which lines are replaced.
const std::string kSmall = "--set l1.bytes=4096 ";

TEST(ExamplePolicies, AReplacementThatRemembersUsesIsThatOfTheCache) {
    const std::string launch = "cuda_gemm_tiled/launch.yaml";
    const nlohmann::json own = report_of(kSmall, launch);
    EXPECT_EQ(report_of(kSmall + "--set l1.replacement=" + example("oldest"), launch), own);
    EXPECT_NE(report_of(kSmall + "--set l1.replacement=" + example("newest"), launch)["cycles"], own["cycles"]);
}

TEST(ExamplePolicies, ABypassForManyTransactionsIsThatOfTheCache) {
    const std::string launch = "cuda_spmv/launch.yaml";
    const nlohmann::json own = report_of(kSmall + "--set l1.bypass=divergent", launch);
    EXPECT_EQ(report_of(kSmall + "--set l1.bypass=" + example("8"), launch), own);
    EXPECT_NE(report_of(kSmall + "--set l1.bypass=" + example("1"), launch)["cycles"], own["cycles"]);
}

TEST(ExamplePolicies, ADistributionHandsOutTheWholeGrid) {
    const std::string launch = "cuda_transpose/launch.yaml";
    EXPECT_NE(report_of("--set sm.cta_distribution=" + example(""), launch)["cycles"], report_of("", launch)["cycles"]);
}

TEST(ExamplePolicies, AChoiceOfTheFirstPathIsThatOfTheBranchUnit) {
    const std::string launch = "nested_divergence/launch.yaml";
    const nlohmann::json own = report_of("", launch);
    EXPECT_EQ(report_of("--set bru.election=" + example("lowest_lane"), launch), own);
    EXPECT_NE(report_of("--set bru.election=" + example("lowest_address"), launch)["cycles"], own["cycles"]);
}

TEST(ExamplePolicies, AReportNamesIt) {
    const std::string value = example("newest");
    const test::CommandResult done = run("--report json --set l1.replacement=" + value, "vector_add/launch.yaml");
    ASSERT_EQ(done.status, 0) << done.output;
    EXPECT_THAT(done.output, HasSubstr(value));
}

void expect_refused(const std::string &setting, const std::string &message,
                    const std::string &launch = "vector_add/launch.yaml") {
    const test::CommandResult done = run("--report none --set " + setting, launch);
    EXPECT_EQ(done.status, 2) << setting << ": " << done.output;
    EXPECT_THAT(done.output, HasSubstr(message)) << setting;
    EXPECT_EQ(std::ranges::count(done.output, '\n'), 1) << "one message: " << done.output;
}

TEST(ExamplePolicies, LibrariesThatCannotBeUsedAreRefused) {
    for (const std::string key : {"l1.replacement", "l1.bypass", "sm.cta_distribution", "bru.election"}) {
        expect_refused(key + "=library:nowhere.so", key + ": the library nowhere.so cannot be loaded");
        expect_refused(key + "=" + library("no_policies.so"), key + ": the library ");
        expect_refused(key + "=" + library("no_policies.so"), "exports no function 'smsim_");
    }
    expect_refused("l1.replacement=" + library("other_replacement_version.so"), "was made for version");
    expect_refused("l1.replacement=" + example("middle"), "l1.replacement: 'middle'; expected newest or oldest");
    expect_refused("bru.election=" + example("x"), "bru.election: 'x'; expected lowest_address or lowest_lane");
}

TEST(ExamplePolicies, APolicyThatBreaksItsInterfaceEndsTheRun) {
    const std::string wrong = "=" + library("wrong_policies.so");
    expect_refused("l1.replacement" + wrong + " " + kSmall, "l1.replacement: the policy has chosen way 4 of a set of 4",
                   "cuda_gemm_tiled/launch.yaml");
    expect_refused("sm.cta_distribution" + wrong, "sm.cta_distribution: the policy has given CTA 0 of a grid of");
    expect_refused("bru.election" + wrong, "bru.election: the policy has chosen path 2 of 2",
                   "nested_divergence/launch.yaml");
}

TEST(ExamplePolicies, RtlOfTheBranchUnitHasNoElectionOfALibrary) {
    expect_refused("bru.implementation=rtl --set bru.election=" + example("lowest_lane"), "bru.election");
}

} // namespace
} // namespace smsim

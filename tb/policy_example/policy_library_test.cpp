// `--policy` of `smsim run` and `smsim batch`, and `ibuffer.policy=library:...`: kernels with an issue policy from a
// shared library, and the messages for rejected libraries.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"

namespace smsim {
namespace {

using ::testing::HasSubstr;

std::string library(const std::string &name) {
    return std::string(SMSIM_POLICY_EXAMPLES) + "/" + name;
}

test::CommandResult run(const std::string &arguments) {
    return test::run_command_line(fmt::format("{} run --no-progress {} {}", SMSIM_BINARY, arguments,
                                              test::example_file("cuda_stencil/launch.yaml")));
}

std::string cycles_with(const std::string &arguments) {
    const test::CommandResult done = run("--report json " + arguments);
    const std::size_t at = done.output.find("\"cycles\":");
    return at == std::string::npos ? done.output : done.output.substr(at, 30);
}

TEST(PolicyLibrary, DecidesWhichWarpIssues) {
    const std::string one = cycles_with("--policy " + library("libshort_turns.so:1"));
    EXPECT_NE(one, cycles_with("")) << one;
    EXPECT_NE(one, cycles_with("--policy " + library("libshort_turns.so:100"))) << "the parameter arrives";
    EXPECT_EQ(one, cycles_with("--set ibuffer.policy=library:" + library("libshort_turns.so:1")));
}
TEST(PolicyLibrary, AppearsInTheConfiguration) {
    const test::TemporaryFolder folder;
    ASSERT_EQ(run("--report none --policy " + library("libshort_turns.so:2") + " -o " + (folder / "out")).status, 0);
    EXPECT_THAT(test::read_file(folder / "out/config.yaml"), HasSubstr("libshort_turns.so:2"));
    EXPECT_EQ(run("--report none -c " + (folder / "out/config.yaml")).status, 0) << "and can be read again";
}
TEST(PolicyLibrary, PolicyTakesANameToo) {
    EXPECT_EQ(cycles_with("--policy two_level"), cycles_with("--set ibuffer.policy=two_level"));
}

void expect_refused(const std::string &argument, const std::vector<std::string> &words) {
    const test::CommandResult done = run("--report none --policy " + argument);
    EXPECT_EQ(done.status, 2) << argument;
    for (const std::string &word : words) {
        EXPECT_THAT(done.output, HasSubstr(word)) << argument;
    }
}
TEST(PolicyLibrary, WhatIsNoLibraryIsRefused) {
    expect_refused("nowhere/libpolicy.so:4", {"ibuffer.policy: the library nowhere/libpolicy.so", "No such file"});
    expect_refused(SMSIM_BINARY, {"ibuffer.policy: the library", "cannot be loaded"});
    expect_refused(":4", {"library:LIB.so[:PARAMETERS]"});
    expect_refused("two_levels", {"did you mean 'two_level'?"});
}
TEST(PolicyLibrary, AnotherVersionOfTheInterfaceIsRefused) {
    expect_refused(library("libsmsim_other_policy_version.so"), {"version 2", "version 1"});
}
TEST(PolicyLibrary, ParametersThatTheLibraryDoesNotUnderstandAreRefused) {
    expect_refused(library("libshort_turns.so:0"), {"short turns: parameter '0'"});
    expect_refused(library("libshort_turns.so"), {"short turns: parameter ''"});
}

} // namespace
} // namespace smsim

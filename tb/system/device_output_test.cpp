// Output and assertions of kernels as a user sees them: where the output appears, and the exit status.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tb/support/child_process.h"

namespace smsim {
namespace {

using test::CommandResult;
using testing::HasSubstr;
using testing::StartsWith;

/// Prints one number; with `check` 0 in the launch file an assertion fails.
constexpr const char *kProgram = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s) .noreturn;
.global .align 1 .b8 text[5] = {110, 32, 37, 117, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
.visible .entry k(.param .u32 n, .param .u32 check) {
    .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %d<4>;
    .local .align 8 .b8 list[8];
    ld.param.u32 %r0, [n]; st.local.u32 [list], %r0; mov.u64 %d0, list; cvta.local.u64 %d0, %d0;
    mov.u64 %d1, text; cvta.global.u64 %d1, %d1; mov.u64 %d2, file; cvta.global.u64 %d2, %d2;
    { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d1; st.param.b64 [a], %d0;
    call.uni (r), vprintf, (f, a); }
    ld.param.u32 %r1, [check]; setp.ne.u32 %p, %r1, 0; @%p bra GOOD;
    { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s; st.param.b64 [m], %d1;
    st.param.b64 [f], %d2; st.param.b32 [l], 5; st.param.b64 [n], %d2; st.param.b64 [s], 1;
    call.uni __assertfail, (m, f, l, n, s); }
    GOOD: ret;
}
)";

class DeviceOutput : public testing::Test {
  protected:
    void SetUp() override { test::write_file(folder / "kernel.ptx", kProgram); }

    CommandResult run(const std::string &launch, const std::string &options) {
        test::write_file(folder / "launch.yaml", launch);
        return test::run_command_line("(" + std::string(SMSIM_BINARY) + " run " + (folder / "launch.yaml") + " " +
                                      options + ")");
    }
    static std::string single(const std::string &check) {
        return "program: kernel.ptx\nkernel: k\ngrid: 1\nblock: 1\narguments:\n  - {name: n, type: u32, value: 42}\n"
               "  - {name: check, type: u32, value: " +
               check + "}\n";
    }

    test::TemporaryFolder folder;
};

TEST_F(DeviceOutput, IsPrintedInFunctionalRuns) {
    EXPECT_EQ(run(single("1"), "--report none --timing none 2> /dev/null").output, "n 42\n");
    const CommandResult failed = run(single("0"), "--report none --timing none");
    EXPECT_EQ(failed.status, 3);
    EXPECT_THAT(failed.output, HasSubstr("n 42"));
    EXPECT_THAT(failed.output, HasSubstr("Trap: kernel 'k', CTA 0 (0,0,0), warp 0, pc"));
}

TEST_F(DeviceOutput, IsPrintedToStandardOutputBeforeTheReport) {
    const CommandResult result = run(single("1"), "2> /dev/null");
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.output, StartsWith("n 42\nsmsim "));
    EXPECT_EQ(run(single("1"), "--report none 2> /dev/null").output, "n 42\n");
}

TEST_F(DeviceOutput, LeavesStandardOutputToAJsonReport) {
    const CommandResult json = run(single("1"), "--report json 2> " + (folder / "errors"));
    EXPECT_TRUE(nlohmann::json::accept(json.output)) << json.output;
    EXPECT_THAT(test::read_file(folder / "errors"), HasSubstr("n 42\n"));
}

TEST_F(DeviceOutput, OfSeveralLaunchesIsPrintedByLaunch) {
    const std::string plan = R"(
program: kernel.ptx
steps:
  - launch: {kernel: k, grid: 1, block: 1, arguments: [{name: n, type: u32, value: 1}, {name: check, type: u32, value: 1}]}
  - launch: {kernel: k, grid: 1, block: 1, arguments: [{name: n, type: u32, value: 2}, {name: check, type: u32, value: 1}]}
)";
    const std::string text = run(plan, "--report none 2>&1").output;
    EXPECT_THAT(text, HasSubstr("n 1\nn 2\n"));
}

TEST_F(DeviceOutput, AFailedAssertionIsAnExceptionWithItsPlace) {
    const CommandResult result = run(single("0"), "--report none -o " + (folder / "out") + " 2>&1");
    EXPECT_EQ(result.status, 3);
    EXPECT_THAT(result.output, HasSubstr("n 42\n")) << "what was printed before";
    EXPECT_THAT(result.output, HasSubstr("Trap: kernel 'k', CTA 0 (0,0,0), warp 0"));
    EXPECT_THAT(result.output, HasSubstr("assertion 'n %u' failed in a.cu at a.cu:5, thread (0,0,0) of CTA (0,0,0)"));
    const auto report = nlohmann::json::parse(test::read_file(folder / "out/report.json"));
    EXPECT_THAT(report["run"]["exception"].get<std::string>(), HasSubstr("assertion 'n %u' failed"));
}

} // namespace
} // namespace smsim

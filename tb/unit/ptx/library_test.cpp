// printf and assert on the model: the data left by the bodies of vprintf and __assertfail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/error.h"
#include "tb/unit/ptx/run_support.h"

namespace smsim::ptx::tb {
namespace {

using testing::HasSubstr;

constexpr const char *kPrintf = R"(
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 number[13] = {91, 37, 48, 52, 100, 124, 37, 46, 50, 102, 93, 10, 0};
.global .align 1 .b8 strings[14] = {37, 115, 124, 37, 52, 115, 124, 37, 42, 108, 108, 120, 10, 0};
.global .align 1 .b8 word[4] = {97, 98, 99, 0};
.shared .align 1 .b8 tile[4];
)";

/// Calls vprintf with the format `name` and the arguments at `%rd3`; %r20 gets its result.
std::string call(const std::string &name) {
    return "{ .param .b64 f; .param .b64 a; .param .b32 r; mov.u64 %rd2, " + name +
           "; cvta.global.u64 %rd2, %rd2; st.param.b64 [f], %rd2; st.param.b64 [a], %rd3;\n"
           "call (r), vprintf, (f, a); ld.param.b32 %r20, [r]; }\n";
}

const std::string kNumber =
    ".local .align 8 .b8 args[32]; mov.u64 %rd4, args; cvta.local.u64 %rd3, %rd4;\n"
    "st.local.u32 [%rd4], %r0; mov.f64 %fd0, 0d3FF8000000000000; st.local.f64 [%rd4+8], %fd0;\n" +
    call("number") + "cvt.u64.u32 %rd5, %r20; st.global.u64 [%rd1], %rd5; ret;";

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
        lines.push_back(text.substr(at, text.find('\n', at) - at));
    }
    std::ranges::sort(lines);
    return lines;
}

class Printing : public testing::TestWithParam<ReconvergenceEngineKind> {};

TEST_P(Printing, EveryThreadsTextIsPrinted) {
    const RunResult result = run_kernel(kernel_with(kNumber, kPrintf), 64, {.engine = GetParam()});
    ASSERT_EQ(result.exception, "");
    const std::vector<std::string> lines = lines_of(result.printed);
    ASSERT_EQ(lines.size(), 64U);
    EXPECT_EQ(lines.front(), "[0000|1.50]");
    EXPECT_EQ(lines.back(), "[0063|1.50]");
    EXPECT_EQ(result.out[5], 2U) << "the number of arguments";
}

INSTANTIATE_TEST_SUITE_P(Engines, Printing,
                         testing::Values(ReconvergenceEngineKind::kConvergenceBarrier,
                                         ReconvergenceEngineKind::kSimtStack, ReconvergenceEngineKind::kTokenStack),
                         [](const auto &engine) { return "Engine" + std::to_string(engine.index); });

TEST(Library, StringsAreReadFromEveryMemory) {
    const std::string body =
        ".local .align 8 .b8 args[40]; mov.u64 %rd4, args; cvta.local.u64 %rd3, %rd4; mov.u64 %rd5, word;\n"
        "cvta.global.u64 %rd5, %rd5; st.local.u64 [%rd4], %rd5; mov.u32 %r1, 31097; st.shared.u32 [tile], %r1;\n"
        "mov.u64 %rd6, tile; cvta.shared.u64 %rd6, %rd6; st.local.u64 [%rd4+8], %rd6; mov.u32 %r2, -7;\n"
        "st.local.u32 [%rd4+16], %r2; mov.u64 %rd7, 0xabcdef0123; st.local.u64 [%rd4+24], %rd7;\n" +
        call("strings") + "ret;";
    const RunResult result = run_kernel(kernel_with(body, kPrintf), 1);
    EXPECT_EQ(result.exception, "");
    EXPECT_EQ(result.printed, "abc|  yy|abcdef0123\n");
}

TEST(Library, FormatsAndStringsWithoutEndAreCut) {
    const std::string before = std::string(kPrintf) + ".global .align 8 .b8 endless[8192] = {37, 115, 0};\n";
    const std::string body = R"(
    mov.u64 %rd6, endless; cvta.global.u64 %rd6, %rd6; add.u64 %rd5, %rd6, 8; mov.u32 %r1, 0; mov.u64 %rd7, %rd5;
    FILL: st.global.u32 [%rd7], 0x7a7a7a7a; add.u64 %rd7, %rd7, 4; add.u32 %r1, %r1, 4; setp.lt.u32 %p1, %r1, 8000;
    @%p1 bra FILL; membar.gl;
    .local .align 8 .b8 args[8]; mov.u64 %rd4, args; cvta.local.u64 %rd3, %rd4; st.local.u64 [%rd4], %rd5;
    )" + call("endless") + call("endless+8") +
                             "ret;";
    const RunResult result = run_kernel(kernel_with(body, before), 1);
    EXPECT_EQ(result.exception, "");
    EXPECT_EQ(result.printed, std::string(2 * 4095, 'z'));
}

TEST(Library, NullFormatsAndArgumentsPrintNothing) {
    const std::string body = "mov.u64 %rd3, 0;\n{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd3; "
                             "st.param.b64 [a], %rd3; call (r), vprintf, (f, a); ld.param.b32 %r20, [r]; }\n" +
                             call("word") + "cvt.s64.s32 %rd5, %r20; st.global.u64 [%rd1], %rd5; ret;";
    const RunResult result = run_kernel(kernel_with(body, kPrintf), 1);
    EXPECT_EQ(result.exception, "");
    EXPECT_EQ(result.printed, "abc");
    EXPECT_EQ(result.out[0], 0U);
}

TEST(Library, LostOutputIsCounted) {
    // 24 bytes for each text: 43690 of them fill the area.
    const std::string body = "mov.u32 %r3, 0; mov.u64 %rd3, 0;\nAGAIN: " + call("word") +
                             "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 150; @%p1 bra AGAIN; cvt.s64.s32 %rd5, %r20;\n"
                             "st.global.u64 [%rd1], %rd5; ret;";
    const RunResult result = run_kernel(kernel_with(body, kPrintf), 512);
    EXPECT_EQ(result.exception, "");
    EXPECT_THAT(result.printed, HasSubstr("more texts or assertions found no room"));
    EXPECT_EQ(result.printed.substr(0, 6), "abcabc");
    EXPECT_EQ(static_cast<std::int64_t>(result.out[0]), -1) << "of a text without room";
}

constexpr const char *kAssert = R"(
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s) .noreturn;
.global .align 1 .b8 message[6] = {120, 32, 62, 32, 48, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
.global .align 1 .b8 name[2] = {102, 0};
)";

TEST(Library, AFailedAssertionIsAnExceptionWithItsPlace) {
    const std::string body = R"(
    setp.ne.u32 %p1, %r0, 37; @%p1 bra GOOD;
    { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
    mov.u64 %rd2, message; cvta.global.u64 %rd2, %rd2; st.param.b64 [m], %rd2; mov.u64 %rd3, file;
    cvta.global.u64 %rd3, %rd3; st.param.b64 [f], %rd3; st.param.b32 [l], 77; mov.u64 %rd4, name;
    cvta.global.u64 %rd4, %rd4; st.param.b64 [n], %rd4; st.param.b64 [s], 1;
    call __assertfail, (m, f, l, n, s); }
    GOOD: ret;)";
    const RunResult result = run_kernel(kernel_with(body, kAssert), 64);
    EXPECT_THAT(result.exception, HasSubstr("Trap: kernel 'k', CTA 0 (0,0,0), warp 1"));
    EXPECT_THAT(result.exception,
                HasSubstr("\n  assertion 'x > 0' failed in f at a.cu:77, thread (37,0,0) of CTA (0,0,0)"));
}

TEST(Library, OtherDeclarationsAreRefused) {
    const auto error_of = [](const std::string &declaration) {
        try {
            compile_to_assembly(kernel_with("ret;", declaration), "t.ptx");
        } catch (const InputError &error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(error_of(".extern .func vprintf (.param .b64 f, .param .b64 a);"),
                HasSubstr("'vprintf' is declared with other parameters"));
    EXPECT_THAT(error_of(".extern .func (.param .b32 r) vprintf (.reg .b64 f, .reg .b64 a);"),
                HasSubstr("t.ptx:4:31: 'vprintf' is declared with other parameters"));
    EXPECT_EQ(error_of(".extern .func (.param .b32 %p) vprintf (.param .b64 _, .param .b64 _);"
                       ".extern .func (.param .b32 a) vprintf (.param .b64 b, .param .b64 c);"),
              "")
        << "whatever its parameters are called, and twice";
    EXPECT_EQ(error_of(".func (.param .b32 r) vprintf (.param .b32 f) { st.param.b32 [r], 1; ret; }"), "")
        << "a definition of the module's own";
}

} // namespace
} // namespace smsim::ptx::tb

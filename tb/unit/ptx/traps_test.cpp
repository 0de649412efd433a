// The checks that the compiler adds to the code of PTX, and accesses that memory rejects: what PTX leaves undefined is
// an exception with its place, never other data (ptx-compiler.md "Traps").
#include <array>
#include <tuple>

#include <gmock/gmock.h>

#include "tb/unit/ptx/run_support.h"

namespace smsim::ptx::tb {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

/// On each engine, as selected and fully optimised.
class Traps : public testing::TestWithParam<std::tuple<ReconvergenceEngineKind, unsigned>> {
  protected:
    static RunResult run(const std::string &body, const std::string &before = "") {
        return run_kernel(kernel_with(body, before), 32,
                          {.level = std::get<1>(GetParam()), .engine = std::get<0>(GetParam())});
    }
};

std::string traps_name(const testing::TestParamInfo<Traps::ParamType> &info) {
    constexpr std::array<const char *, 3> kNames = {"ConvergenceBarrier", "SimtStack", "TokenStack"};
    return std::string(kNames.at(static_cast<std::size_t>(std::get<0>(info.param)))) + "O" +
           std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Engines, Traps,
                         testing::Combine(testing::Values(ReconvergenceEngineKind::kConvergenceBarrier,
                                                          ReconvergenceEngineKind::kSimtStack,
                                                          ReconvergenceEngineKind::kTokenStack),
                                          testing::Values(0U, 3U)),
                         traps_name);

constexpr const char *kNullCall = "; a call through a null function pointer";
constexpr const char *kConstAddress = "; a store or an atomic through a generic address of a .const variable";

TEST_P(Traps, ACallThroughANullPointerOfMemory) {
    const RunResult result = run("ld.global.u64 %rd2, [hook];\n    P: .callprototype _ ();\n"
                                 "    call %rd2, P;\n    ret;",
                                 ".global .u64 hook;\n");
    EXPECT_THAT(result.exception, AllOf(HasSubstr("(test.ptx:19): "), HasSubstr(kNullCall)));
}

TEST_P(Traps, ACallThroughANullPointerOfOneThread) {
    const RunResult result = run("setp.eq.u32 %p1, %r0, 5;\n    mov.u64 %rd2, f;\n    selp.b64 %rd2, 0, %rd2, %p1;\n"
                                 "    P: .callprototype _ ();\n    call %rd2, P;\n    ret;",
                                 ".func f() { ret; }\n");
    EXPECT_THAT(result.exception,
                AllOf(HasSubstr("(test.ptx:21): "), HasSubstr("by threads 0x00000020"), HasSubstr(kNullCall)));
}

TEST_P(Traps, ACallThroughAPointerThatIsTheConstantNull) {
    const RunResult result = run("mov.u64 %rd2, 0;\n    P: .callprototype _ ();\n    call %rd2, P;\n    ret;");
    EXPECT_THAT(result.exception, AllOf(HasSubstr("(test.ptx:18): "), HasSubstr(kNullCall)));
}

TEST_P(Traps, ACallThroughTheConstantNullThatNoThreadExecutes) {
    const RunResult result = run("ld.global.u64 %rd3, [hook];\n    setp.eq.u64 %p1, %rd3, 0;\n    mov.u64 %rd2, 0;\n"
                                 "    P: .callprototype _ ();\n    @!%p1 call %rd2, P;\n"
                                 "    st.global.u32 [%rd1], 7;\n    ret;",
                                 ".global .u64 hook;\n");
    EXPECT_EQ(result.exception, "");
    EXPECT_THAT(result.out, Each(7));
}

TEST_P(Traps, AnIndexOutsideOfItsTable) {
    const RunResult result = run("TARGETS: .branchtargets A, B;\n    brx.idx %r0, TARGETS;\nA:\nB:\n    ret;");
    EXPECT_THAT(result.exception,
                AllOf(HasSubstr("(test.ptx:17): "), HasSubstr("; the index of brx.idx is outside of its table")));
}

TEST_P(Traps, AStoreToAConstant) {
    const RunResult result = run("mov.u64 %rd2, c;\n    cvta.const.u64 %rd2, %rd2;\n    st.u32 [%rd2+4], 1;\n    ret;",
                                 ".const .u32 c[2] = {5, 6};\n");
    EXPECT_THAT(result.exception, AllOf(HasSubstr("(test.ptx:19): "), HasSubstr(kConstAddress)));
}

TEST_P(Traps, AnAtomicOnAConstant) {
    const RunResult result = run("ld.global.u64 %rd2, [p];\n    atom.add.u32 %r1, [%rd2], 1;\n    ret;",
                                 ".const .u32 c[2] = {5, 6};\n.global .u64 p = generic(c);\n");
    EXPECT_THAT(result.exception, AllOf(HasSubstr("(test.ptx:19): "), HasSubstr(kConstAddress)));
}

TEST_P(Traps, NoneOfStoresBesideTheConstants) {
    const RunResult result =
        run("mov.u64 %rd2, c;\n    cvta.const.u64 %rd2, %rd2;\n    ld.u32 %r1, [%rd2+4];\n"
            "    mov.u64 %rd3, g;\n    setp.eq.u32 %p1, %r0, 40;\n"
            "    selp.b64 %rd3, %rd2, %rd3, %p1;\n    st.u32 [%rd3], %r1;\n"
            "    mov.u64 %rd4, f;\n    st.u32 [%rd4+252], %r1;\n    atom.add.u32 %r2, [%rd1], %r1;\n    ret;",
            ".const .u32 c[2] = {5, 6};\n.global .u32 f[64] = {1};\n.global .u32 g[64];\n");
    EXPECT_EQ(result.exception, "");
    EXPECT_THAT(result.out, Each(6));
}

TEST_P(Traps, AStoreToAParameterIsAnIllegalAddress) {
    const RunResult result = run("mov.b64 %rd2, out;\n    cvta.param.u64 %rd2, %rd2;\n    st.u32 [%rd2], 1;\n    ret;");
    EXPECT_THAT(result.exception, AllOf(HasSubstr("IllegalAddress: "), HasSubstr("(test.ptx:18): ")));
}

/// Atomics, each on a generic address of local or parameter memory in %rd4.
class Atomics : public testing::TestWithParam<std::tuple<const char *, const char *, unsigned>> {};

constexpr std::array kAtomics = {
    "atom.add.u32 %r1, [%rd4], 1;",      "red.add.u32 [%rd4], %r0;",
    "atom.exch.b64 %rd5, [%rd4], %rd1;", "atom.cas.b32 %r1, [%rd4], 0, 1;",
    "atom.min.s64 %rd5, [%rd4], %rd1;",  "atom.add.f32 %f1, [%rd4], %f2;",
    "red.add.f64 [%rd4], %fd2;",         "atom.cas.b16 %h1, [%rd4], %h2, %h3;",
    "red.add.noftz.f16x2 [%rd4], %r1;",  "atom.add.noftz.f16 %h1, [%rd4], %h2;",
};
constexpr std::array kPlaces = {
    ".local .align 8 .b8 l[16]; mov.u64 %rd4, l; cvta.local.u64 %rd4, %rd4;",
    "mov.b64 %rd4, out; cvta.param.u64 %rd4, %rd4;",
};

INSTANTIATE_TEST_SUITE_P(Local, Atomics,
                         testing::Combine(testing::ValuesIn(kAtomics), testing::ValuesIn(kPlaces),
                                          testing::Values(0U, 3U)));

TEST_P(Atomics, ToMemoryThatHasNoneAreAnIllegalAddress) {
    const auto &[atomic, place, level] = GetParam();
    const RunResult result = run_kernel(
        kernel_with(std::string("mov.f32 %f2, 0f3f800000;\n    mov.f64 %fd2, 0d3ff0000000000000; mov.b16 %h2, 0; "
                                "mov.b16 %h3, 1; mov.b32 %r1, 0;\n    ") +
                    place + "\n    " + atomic + "\n    ret;"),
        32, {.level = level});
    EXPECT_THAT(result.exception, AllOf(HasSubstr("IllegalAddress: "), HasSubstr("(test.ptx:19): ")));
}

} // namespace
} // namespace smsim::ptx::tb

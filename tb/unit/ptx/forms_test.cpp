// Forms that are expanded before the module is checked, aliases, alignment, and modules that are only partly covered.
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tb/unit/ptx/run_support.h"

namespace smsim::ptx::tb {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::UnorderedElementsAreArray;

std::string refusal(const std::string &text, const CompileOptions &options = {}) {
    try {
        compile_to_assembly(text, "test.ptx", options);
    } catch (const InputError &error) {
        return error.what();
    }
    return "";
}

TEST(Forms, HintsOfTheSecondLevelCacheChangeNothing) {
    const auto out = run_body(R"(
    createpolicy.fractional.L2::evict_first.b64 %rd3, 0.5;
    st.global.L2::cache_hint.u32 [%rd1], %r0, %rd3;
    ld.global.nc.L1::no_allocate.L2::cache_hint.v2.u32 {%r1, %r2}, [%rd1], %rd3;
    atom.global.add.L2::cache_hint.u32 %r3, [%rd1], 100, %rd3;
    red.global.add.L2::cache_hint.u32 [%rd1+4], %r3, %rd3;
    red.global.add.u32 [%rd1+4], %r1;
    ret;)",
                              32);
    for (std::uint64_t t = 0; t < 32; ++t) {
        EXPECT_EQ(out[t], (2 * t << 32) + t + 100);
    }
}

TEST(Forms, APolicyIsARegisterOf64Bits) {
    EXPECT_THAT(refusal(kernel_with("ld.global.L2::cache_hint.u32 %r1, [%rd1], %r2;\n    ret;")),
                HasSubstr("test.ptx:16:43: 'mov.b64': '%r2'"));
}

TEST(Forms, MmioIsARelaxedAccessOfTheSystem) {
    const auto out = run_body("st.mmio.relaxed.sys.global.u32 [%rd1], %r0;\n"
                              "    ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];\n "
                              "   add.u32 %r1, %r1, 1;\n"
                              "    st.global.u32 [%rd1], %r1;\n    ret;",
                              4);
    EXPECT_THAT(out, ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(refusal(kernel_with("ld.mmio.global.u32 %r1, [%rd1];\n    ret;")),
                HasSubstr("'ld.mmio.global.u32' is not supported: '.mmio' is for "
                          "'.relaxed.sys' accesses"));
}

/// %rd4: this thread's 64 bytes, which hold 16 words.
const std::string kLines = R"(
    mad.wide.u32 %rd4, %r0, 64, %rd0;
    mul.lo.u32 %r1, %r0, 100;
    add.u32 %r2, %r1, 1;
    st.global.v4.u32 [%rd4], {%r1, %r2, %r1, %r2};
    st.global.v4.u32 [%rd4+16], {%r2, %r2, %r1, %r1};
)";

TEST(Forms, EightWordsAtOnce) {
    const RunResult result = run_kernel(kernel_with(kLines + R"(
    ld.global.v8.b32 {%r10, %r11, %r12, %r13, %r14, _, %r16, %r17}, [%rd4];
    add.u32 %r10, %r10, 7;
    st.global.v8.b32 [%rd4+32], {%r10, %r11, %r12, %r13, %r14, %r14, %r16, %r17};
    ret;)"),
                                        2, {}, 8);
    EXPECT_EQ(result.exception, "");
    const auto word = [](std::uint64_t low, std::uint64_t high) { return high << 32 | low; };
    EXPECT_THAT(std::vector(result.out.begin() + 12, result.out.begin() + 16),
                ElementsAre(word(107, 101), word(100, 101), word(101, 101), word(100, 100)));
}

class ThirtyTwoBytes : public testing::TestWithParam<const char *> {};

INSTANTIATE_TEST_SUITE_P(
    Accesses, ThirtyTwoBytes,
    testing::Values(
        "ld.global.v4.b64 {%rd5, %rd6, %rd7, %rd8}, [%rd4+16]; st.global.u64 [%rd1], %rd5;",
        "add.u64 %rd4, %rd4, 16; ld.global.v4.b64 {%rd5, %rd6, %rd7, %rd8}, [%rd4]; st.global.u64 [%rd1], %rd8;",
        "st.global.v4.f64 [%rd4+-16], {%fd1, %fd2, %fd3, %fd4};",
        "ld.global.v8.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd4+48]; st.global.f32 [%rd1], %f8;"));

TEST_P(ThirtyTwoBytes, AtMultiplesOf16AloneAreMisaligned) {
    const RunResult result = run_kernel(
        kernel_with("    mad.wide.u32 %rd4, %r0, 64, %rd0;\n    " + std::string(GetParam()) + "\n    ret;"), 2, {}, 16);
    EXPECT_THAT(result.exception, StartsWith("MisalignedAddress: "));
}

TEST(Forms, ThirtyTwoBytesAtMultiplesOf32) {
    const auto out = run_kernel(kernel_with(R"(
    mad.wide.u32 %rd4, %r0, 64, %rd0;
    cvt.u64.u32 %rd5, %r0;
    st.global.v4.b64 [%rd4+32], {%rd5, 2, 3, %rd5};
    ld.global.v4.b64 {%rd4, %rd6, %rd7, %rd8}, [%rd4+32];
    mad.wide.u32 %rd9, %r0, 64, %rd0;
    st.global.v4.b64 [%rd9], {%rd8, %rd7, %rd6, %rd4};
    ret;)"),
                                2, {}, 8)
                         .out;
    EXPECT_THAT(out, ElementsAre(0, 3, 2, 0, 0, 2, 3, 0, 1, 3, 2, 1, 1, 2, 3, 1));
}

TEST(Forms, AtomicSumsOnVectors) {
    const RunResult result = run_kernel(kernel_with(R"(
    mov.f32 %f1, 0f3F800000;
    mov.f32 %f2, 0f40000000;
    red.global.add.v2.f32 [%rd0], {%f1, %f2};
    bar.sync 0;
    mov.u32 %r1, 0;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 ret;
    atom.global.v4.f32.add {%f2, %f1, _, _}, [%rd0], {%f1, %f2, %f1, %f1};
    st.global.v2.f32 [%rd0+16], {%f2, %f1};
    ret;)"),
                                        32);
    EXPECT_EQ(result.exception, "");
    const auto floats = [&](std::size_t i) {
        return std::pair(std::bit_cast<float>(static_cast<std::uint32_t>(result.out[i])),
                         std::bit_cast<float>(static_cast<std::uint32_t>(result.out[i] >> 32)));
    };
    EXPECT_EQ(floats(0), std::pair(33.0F, 66.0F));
    EXPECT_EQ(floats(1), std::pair(1.0F, 1.0F));
    EXPECT_EQ(floats(2), std::pair(32.0F, 64.0F));
    EXPECT_THAT(refusal(kernel_with("red.global.max.noftz.v2.f16 [%rd0], {%h1, %h2};\n    ret;")),
                HasSubstr("is not supported: of vectors 'add' is covered"));
}

struct Reduction {
    const char *name;
    const char *operation;
    std::uint32_t first; ///< bits of thread 0's value; the others have 1.0,
                         ///< thread 3 has -2.0
    std::uint32_t expected;
};

constexpr std::uint32_t kNan = 0xffc12345;
const Reduction kReductions[] = {
    {"Min", "min", 0x40400000, 0xc0000000},
    {"Max", "max", 0x40400000, 0x40400000},
    {"MinOfMagnitudes", "min.abs", 0xbf000000, 0x3f000000},
    {"MaxOfMagnitudes", "max.abs", 0x3f000000, 0x40000000},
    {"MinWithoutNan", "min", kNan, 0xc0000000},
    {"MaxWithoutNan", "max", kNan, 0x3f800000},
    {"MinWithNan", "min.NaN", kNan, 0x7fffffff},
    {"MaxWithNan", "max.NaN", kNan, 0x7fffffff},
    {"MaxOfMagnitudesWithNan", "max.abs.NaN", kNan, 0x7fffffff},
};

class FloatReduction : public testing::TestWithParam<Reduction> {};

INSTANTIATE_TEST_SUITE_P(Operations, FloatReduction, testing::ValuesIn(kReductions),
                         [](const auto &one) { return std::string(one.param.name); });

TEST_P(FloatReduction, OfAllLanes) {
    const auto out = run_body("mov.f32 %f1, 0f3F800000;\n    setp.eq.u32 %p1, %r0, 3;\n    selp.f32 "
                              "%f1, 0fC0000000, %f1, %p1;\n"
                              "    setp.eq.u32 %p1, %r0, 0;\n    selp.b32 %f1, " +
                                  std::to_string(GetParam().first) + ", %f1, %p1;\n    redux.sync." +
                                  GetParam().operation + ".f32 %f2, %f1, -1;\n    st.global.f32 [%rd1], %f2;\n    ret;",
                              32);
    EXPECT_THAT(out, Each(GetParam().expected));
}

const std::string kAlias = R"(
.func (.param .b32 r) other(.param .b32 a);
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .param .b32 p;
    .param .b32 q;
    ld.param.u64 %rd0, [out];
    st.param.b32 [p], 4;
    call.uni (q), other, (p);
    ld.param.b32 %r1, [q];
    st.global.u32 [%rd0], %r1;
    ld.global.u64 %rd1, [pointer];
    mov.u64 %rd2, plain;
    sub.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd0+4], %rd1;
    ret;
}
)";
const std::string kPlain = R"(.func (.param .b32 r) plain(.param .b32 a)
{
    .reg .b32 %x;
    ld.param.b32 %x, [a];
    add.u32 %x, %x, 1;
    st.param.b32 [r], %x;
    ret;
}
)";
const std::string kModule = ".version 8.0\n.target sm_80\n.address_size 64\n";
const std::string kPointer = ".global .align 8 .u64 pointer = other;\n";

TEST(Aliases, AreTheFunctionsThatTheyName) {
    const std::string before = ".func (.param .b32 r) other(.param .b32 a);\n.func (.param .b32 r) "
                               "plain(.param .b32 a);\n";
    const RunResult result = run_kernel(
        kModule + before + kPointer + kAlias.substr(kAlias.find(".visible")) + kPlain + ".alias other, plain;\n", 1);
    EXPECT_EQ(result.exception, "");
    EXPECT_EQ(result.out[0], 5U);
}

TEST(Aliases, OfNoFunctionAreRefusedAtTheirPlace) {
    const auto with = [&](const std::string &alias) { return refusal(kModule + kPlain + kPointer + kAlias + alias); };
    EXPECT_THAT(with(".alias other, nothing;"),
                testing::AllOf(StartsWith("test.ptx:"),
                               HasSubstr("'.alias' of 'nothing', which is not a function with a body")));
    EXPECT_THAT(with(".alias nothing, plain;"),
                HasSubstr("'.alias' 'nothing' is not declared as a function without body"));
    EXPECT_THAT(with(".alias other;"), HasSubstr("'.alias' without two names"));
    EXPECT_THAT(refusal(kModule + kPlain + ".func wide(.param .b64 a);\n.alias wide, plain;\n.entry e() { ret; }"),
                testing::AllOf(StartsWith("test.ptx:13:"),
                               HasSubstr("'.alias' 'wide' is declared with other parameters than 'plain' has")));
}

TEST(Parameters, LieAsTheyAreAlignedForTheProgramToo) {
    const std::string text = kModule + R"(
.visible .entry k(.param .u64 out, .param .align 64 .b8 big[64])
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd0, [out];
    mov.b64 %rd1, big;
    cvta.param.u64 %rd3, %rd1;
    st.global.v2.u64 [%rd0], {%rd1, %rd3};
    ret;
}
)";
    const std::string code = compile_to_assembly(text, "test.ptx");
    EXPECT_THAT(code,
                HasSubstr("0x40;")); // c[0x0][0x1a0]: addresses count from the first parameter
    EXPECT_THAT(code, testing::Not(HasSubstr("0x1a0")));
}

const std::string kTwo = kModule + R"(.entry good(.param .u64 out)
{
    ret;
}
.func helper()
{
    .reg .b32 %r<4>;
    cp.async.commit_group;
    ret;
}
.entry bad(.param .u64 out)
{
    call helper, ();
    ret;
}
)";

TEST(Kernels, ThatNeedUnsupportedFeaturesDoNotStopTheOthers) {
    std::vector<LeftOut> left_out;
    const std::string code = compile_to_assembly(kTwo, "test.ptx", {.left_out = &left_out});
    EXPECT_THAT(code, HasSubstr(".kernel good"));
    ASSERT_EQ(left_out.size(), 1U);
    EXPECT_EQ(left_out[0].kernel, "bad");
    EXPECT_THAT(left_out[0].message, StartsWith("test.ptx:11:5: 'cp.async.commit_group' is in row 5"));
    EXPECT_THAT(refusal(kTwo),
                StartsWith("test.ptx:11:5: ")); // for callers who want everything
}

/// A module of a kernel that runs and of `others`: returns what is left out, as "kernel: message" lines.
std::string left_out_beside_a_good_one(const std::string &others) {
    std::vector<LeftOut> left_out;
    const std::string code =
        compile_to_assembly(kModule + others + ".entry good() { ret; }\n", "t.ptx", {.left_out = &left_out});
    EXPECT_THAT(code, HasSubstr(".kernel good"));
    std::string lines;
    for (const LeftOut &one : left_out) {
        lines += one.kernel + ": " + one.message + "\n";
    }
    return lines;
}

TEST(Kernels, InClustersOfMoreThanOneCtaAreLeftOut) {
    EXPECT_EQ(left_out_beside_a_good_one(".entry k() .reqnctapercluster 1 .maxclusterrank 8 { ret; }\n"), "");
    EXPECT_EQ(left_out_beside_a_good_one(".entry k() .blocksareclusters .reqnctapercluster 1, 1 { ret; }\n"), "");
    EXPECT_THAT(left_out_beside_a_good_one(".entry k() .explicitcluster { ret; }\n"),
                StartsWith("k: t.ptx:4:12: '.explicitcluster' is in row 7 of docs/ptx.md"));
    EXPECT_THAT(left_out_beside_a_good_one(".entry k() .reqntid 32 .blocksareclusters { ret; }\n"),
                HasSubstr("'.blocksareclusters' is in row 7"));
    EXPECT_THAT(left_out_beside_a_good_one(".entry k() .reqnctapercluster 2 { ret; }\n"),
                HasSubstr("expected clusters of one CTA"));
}

TEST(Kernels, ThatNeedTexturesOrSurfacesAreLeftOut) {
    EXPECT_THAT(left_out_beside_a_good_one(".global .texref t;\n.entry k() { .reg .b64 %d; mov.u64 %d, t; ret; }\n"),
                StartsWith("k: t.ptx:4:17: '.texref': textures and surfaces are not covered"));
    EXPECT_THAT(left_out_beside_a_good_one(".global .texref t;\n.entry k() { .reg .f32 %f<9>;\n"
                                           "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f4}]; ret; }\n"),
                StartsWith("k: "));
    EXPECT_THAT(left_out_beside_a_good_one(".entry k(.param .surfref s) { ret; }\n"),
                HasSubstr("'.surfref': textures and surfaces"));
    EXPECT_THAT(refusal(kModule + ".entry k() { .reg .texref %t; ret; }\n"), HasSubstr("unexpected '.texref'"));
}

TEST(Kernels, ThatTheEngineCannotRunDoNotStopTheOthers) {
    const std::string spin = R"(.entry spins(.param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r;
    .reg .b64 %d;
    ld.param.u64 %d, [out];
SPIN:
    atom.global.cas.b32 %r, [%d], 0, 1;
    setp.ne.u32 %p, %r, 0;
    @%p bra SPIN;
    ret;
}
)";
    std::vector<LeftOut> left_out;
    compile_to_assembly(kTwo + spin, "test.ptx",
                        {.engine = ReconvergenceEngineKind::kSimtStack, .left_out = &left_out});
    ASSERT_EQ(left_out.size(), 2U);
    EXPECT_THAT(left_out[1].message, HasSubstr("'spins' may need independent progress"));
    EXPECT_THAT(refusal(kModule + spin, {.engine = ReconvergenceEngineKind::kSimtStack, .left_out = &left_out}),
                HasSubstr("'spins' may need independent progress"));
}

/// An instruction of the assembly.
struct Product {
    std::string name;
    std::string result; ///< its registers
    std::string addend;
};

/// What a product of wmma becomes.
std::vector<Product> products_of(const std::string &types, const CompileOptions &options) {
    const std::string text = compile_to_assembly(R"(.version 6.4
.target sm_70
.address_size 64
.entry k(.param .u64 out) {
    .reg .b32 %r<9>;
    .reg .b64 %d;
    ld.param.u64 %d, [out];
    wmma.mma.sync.aligned.row.col.m16n16k16.)" + types +
                                                     R"( {%r1, %r2, %r3, %r4},
        {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4};
    st.global.b32 [%d], %r1;
    st.global.b32 [%d], %r4;
    ret;
}
)",
                                                 "test.ptx", options);
    std::vector<Product> found;
    for (std::size_t at = 0; (at = text.find("HMMA", at)) != std::string::npos; ++at) {
        const std::string line = text.substr(at, text.find(';', at) - at);
        const std::size_t name = line.find(' ');
        found.push_back(
            {line.substr(0, name), line.substr(name + 1, line.find(',') - name - 1), line.substr(line.rfind(' ') + 1)});
    }
    return found;
}

/// F-85: the second instruction of each tile adds to the first one, and saturates.
TEST(Wmma, IsAsManyInstructionsAsTheMachineNeeds) {
    const std::vector<Product> whole = products_of("f16.f16", {});
    ASSERT_EQ(whole.size(), 2U);
    EXPECT_EQ(whole[0].name, "HMMA.16816.F16.F16");
    EXPECT_EQ(whole[1].name, "HMMA.16816.F16.F16");
    std::vector<std::string> first; // results of first instructions
    std::vector<std::string> second;
    for (const Product &product : products_of("f16.f16.satfinite", {.matrix_steps = 1})) {
        if (product.name == "HMMA.1688.F16.F16") {
            first.push_back(product.result);
            continue;
        }
        EXPECT_EQ(product.name, "HMMA.1688.F16.F16.SAT");
        EXPECT_THAT(first, Contains(product.addend));
        second.push_back(product.addend);
    }
    EXPECT_EQ(first.size(), 2U);
    EXPECT_THAT(second, UnorderedElementsAreArray(first));
}

TEST(Kernels, AreNotLeftOutForErrors) {
    std::vector<LeftOut> left_out;
    EXPECT_THAT(refusal(kTwo + ".entry wrong() { add.u32 %r0, %r1, 1; ret; }", {.left_out = &left_out}),
                testing::AllOf(HasSubstr("'%r0' is not declared"), HasSubstr("is in row 5")));
}

TEST(Messages, NeverDenyInstructionsThatPtxHas) {
    const auto message = [](const std::string &instruction) {
        return refusal(kernel_with("    " + instruction + "\n    ret;"));
    };
    for (const char *instruction :
         {"ld.global.b128 %rd2, [%rd1];", "atom.global.exch.b128 %rd2, [%rd1], %rd3;", "mov.b128 %rd2, {%rd3, %rd4};",
          "ld.global.v8.b64 {%rd2, %rd3}, [%rd1];", "shfl.up.b32 %r1, %r2, 1, 0;", "vote.ballot.b32 %r1, %p1;",
          "cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;", "cvt.rn.satfinite.e2m1x2.f32 %h1, %f1, %f2;",
          "max.f32 %f1, %f2, %f3, %f4;", "mul.wide.u64 %rd1, %rd2, %rd3;",
          "atom.global.v2.f16.min.noftz {%h1, %h2}, [%rd1], {%h1, %h2};",
          "fence.acquire.sync_restrict::shared::cluster.cluster;"}) {
        EXPECT_THAT(message(instruction),
                    testing::AllOf(StartsWith("test.ptx:16:5: '"), testing::Not(HasSubstr("there is no"))))
            << instruction;
    }
    EXPECT_THAT(message("add.b32 %r1, %r2, %r3;"), HasSubstr("there is no 'add.b32'"));
}

/// The error of a launch of one CTA of `threads` of a kernel with `directive`; empty if it runs.
std::string refusal_of_launch(const std::string &directive, unsigned threads) {
    std::string text = kernel_with("ret;");
    text.insert(text.find("\n{"), "\n" + directive);
    try {
        EXPECT_EQ(run_kernel(text, threads).exception, "");
    } catch (const InputError &error) {
        return error.what();
    }
    return "";
}

TEST(Launches, OfMoreThreadsThanMaxntidAreRefused) {
    EXPECT_THAT(refusal_of_launch(".maxntid 16, 2", 33),
                HasSubstr("kernel 'k' is for CTAs of at most 32 threads (.maxntid); the launch has 33 (33 x 1 x 1)"));
}

TEST(Launches, MayHaveExtentsBeyondThoseOfMaxntidAndFewerThreads) {
    EXPECT_EQ(refusal_of_launch(".maxntid 16, 2", 32), "");
}

TEST(Launches, OfOtherExtentsThanReqntidAreRefused) {
    EXPECT_THAT(refusal_of_launch(".reqntid 32, 2", 64),
                HasSubstr("kernel 'k' is for CTAs of 32 x 2 x 1 threads (.reqntid); the launch has 64 x 1 x 1"));
}

TEST(Launches, OfTheExtentsOfReqntidRun) {
    EXPECT_EQ(refusal_of_launch(".reqntid 32", 32), "");
}

} // namespace
} // namespace smsim::ptx::tb

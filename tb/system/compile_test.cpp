// PTX and CUDA C++ as input: `smsim compile`, launches that name such files, and the messages for mistakes in them.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tb/support/child_process.h"

namespace smsim {
namespace {

using test::CommandResult;
using test::read_file;
using test::write_file;
using testing::HasSubstr;
using testing::Not;

constexpr int kBadInput = 2;

/// out[i] = 3 i + 1 for i < n.
const std::string kPtx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry fill(.param .u64 out, .param .u32 n) {
    .reg .pred %p<2>;
    .reg .b32 %r<7>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 ret;
    mul.wide.u32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    mad.lo.s32 %r6, %r5, 3, 1;
    st.global.u32 [%rd3], %r6;
    ret;
}
)";

/// The same for clang, without any header.
const std::string kCuda = R"(extern "C" __attribute__((global)) void fill(unsigned *out, unsigned n) {
    unsigned i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
    if (i < n) out[i] = 3 * i + 1;
}
)";

class Compile : public testing::Test {
  protected:
    CommandResult smsim(const std::string &arguments) {
        return test::run_command_line(std::string(SMSIM_BINARY) + " " + arguments);
    }
    /// Runs `fill` of a file in the folder; its check passes if the program is right.
    CommandResult run(const std::string &program) {
        write_file(folder / "launch.yaml", "program: '" + program +
                                               "'\ngrid: 2\nblock: 32\narguments:\n"
                                               "  - {name: out, type: u32, count: 64}\n"
                                               "  - {name: n, type: u32, value: 40}\n"
                                               "check:\n  - {buffer: out, values: [1, 4, 7]}\n"
                                               "  - {buffer: out, offset: 38, values: [115, 118, 0, 0]}\n");
        return smsim("run --report none " + (folder / "launch.yaml") + " -o " + (folder / "out"));
    }
    nlohmann::json report() { return nlohmann::json::parse(read_file(folder / "out/report.json")); }

    test::TemporaryFolder folder;
};

TEST_F(Compile, PrintsAssemblyThatRunsAsThePtxDoes) {
    write_file(folder / "fill.ptx", kPtx);
    const CommandResult compiled = smsim("compile " + (folder / "fill.ptx"));
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    EXPECT_THAT(compiled.output, HasSubstr("mad.lo.s32 "));
    write_file(folder / "fill.sasm", compiled.output);
    ASSERT_EQ(run("fill.ptx").status, 0);
    const nlohmann::json from_ptx = report();
    ASSERT_EQ(run("fill.sasm").status, 0);
    EXPECT_EQ(report()["cycles"], from_ptx["cycles"]);
    EXPECT_EQ(report()["warp_instructions"], from_ptx["warp_instructions"]);
}

TEST_F(Compile, WritesTheNamedFileButNeverOverItsInput) {
    write_file(folder / "fill.ptx", kPtx);
    const CommandResult written = smsim("compile " + (folder / "fill.ptx") + " -o " + (folder / "fill.sasm"));
    EXPECT_EQ(written.status, 0);
    EXPECT_EQ(written.output, "");
    EXPECT_EQ(read_file(folder / "fill.sasm"), smsim("compile " + (folder / "fill.ptx")).output);
    const CommandResult refused = smsim("compile " + (folder / "fill.ptx") + " -o " + (folder / "./fill.ptx"));
    EXPECT_EQ(refused.status, kBadInput);
    EXPECT_THAT(refused.output, HasSubstr("would overwrite the input"));
    EXPECT_EQ(read_file(folder / "fill.ptx"), kPtx);
}

TEST_F(Compile, KeepsTheLimitOfRegisters) {
    const std::string input = std::string(SMSIM_SOURCE_DIR) + "/tb/data/ptx/language/arithmetic.clang-O1.ptx";
    EXPECT_THAT(smsim("compile " + input).output, Not(HasSubstr(".registers 16")));
    const std::string limited = smsim("compile --registers 16 " + input).output;
    EXPECT_THAT(limited, HasSubstr(".registers 16"));
    EXPECT_THAT(limited, Not(HasSubstr(".registers 2")));
    EXPECT_EQ(smsim("compile --registers 256 " + input).status, kBadInput);
}

/// A kernel that needs more than 32 registers, unless it spills: it loads 40 numbers before it adds them.
std::string many_registers() {
    std::string loads;
    std::string sums;
    for (int i = 0; i < 40; ++i) {
        const std::string number = std::to_string(i);
        loads += "    ld.volatile.global.u32 %r" + number + ", [%rd1+" + std::to_string(4 * i) + "];\n";
        sums += "    add.u32 %r40, %r40, %r" + number + ";\n";
    }
    return ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry many(.param .u64 out) {\n"
           "    .reg .b32 %r<41>;\n    .reg .b64 %rd<2>;\n    ld.param.u64 %rd1, [out];\n    mov.u32 %r40, 0;\n" +
           loads + sums + "    st.global.u32 [%rd1], %r40;\n    ret;\n}\n";
}

/// A configuration of 7.x has no HMMA.16816 (tensor.steps).
TEST_F(Compile, ProductsOfWmmaAreForTheMachineThatIsNamed) {
    write_file(folder / "product.ptx", R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry product(.param .u64 out) {
    .reg .b32 %r<9>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];
    wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8},
        {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4};
    wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%rd1], {%r1, %r2, %r3, %r4};
    ret;
}
)");
    write_file(folder / "launch.yaml",
               "program: product.sasm\ngrid: 1\nblock: 32\narguments:\n  - {name: out, type: u16, count: 256, init: "
               "{value: 15360}}\n"
               "check:\n  - {buffer: out, values: [19520, 19520]}\n"); // 17 = 16 products of ones, and one
    const std::string files = (folder / "product.ptx") + " -o " + (folder / "product.sasm");
    const std::string turing = "run -c " SMSIM_SOURCE_DIR "/configs/turing.yaml " + (folder / "launch.yaml");
    EXPECT_EQ(smsim("compile --matrix-steps 1 " + files).status, 0);
    EXPECT_THAT(read_file(folder / "product.sasm"), HasSubstr("HMMA.1688.F16.F16"));
    EXPECT_THAT(smsim(turing).output, HasSubstr("check out: 2 of 2 elements agree"));
    EXPECT_EQ(smsim("compile " + files).status, 0);
    EXPECT_THAT(smsim(turing).output, HasSubstr("no products of matrices of 2 steps (tensor.steps is 1)"));
}

TEST_F(Compile, LaunchFileAndOptionsMayLimitTheRegisters) {
    write_file(folder / "many.ptx", many_registers());
    const std::string launch = "program: many.ptx\ngrid: 1\nblock: 32\n"
                               "arguments: [{name: out, type: u32, init: {pattern: {start: 0, step: 1}}, count: 40}]\n"
                               "check: [{buffer: out, values: [780]}]\n";
    const auto fitting_ctas = [&](const std::string &compile, const std::string &options) {
        write_file(folder / "launch.yaml", launch + compile);
        const CommandResult done =
            smsim("run --report none " + (folder / "launch.yaml") + " -o " + (folder / "out") + " " + options);
        EXPECT_EQ(done.status, 0) << done.output;
        return report()["occupancy"]["limits"]["by_registers"].get<unsigned>();
    };
    const unsigned unlimited = fitting_ctas("", "");
    const unsigned limited = fitting_ctas("compile: {registers: 16}\n", "");
    EXPECT_GT(limited, unlimited);
    EXPECT_EQ(fitting_ctas("", "--registers 16"), limited);
    EXPECT_EQ(fitting_ctas("", "--launch compile.registers=16"), limited);
    EXPECT_EQ(fitting_ctas("compile: {registers: 16}\n", "--registers 255"), unlimited) << "the option precedes";

    write_file(folder / "steps.yaml",
               "program: many.ptx\ncompile: {registers: 16}\n"
               "buffers: [{name: out, type: u32, init: {pattern: {start: 0, step: 1}}, count: 40}]\n"
               "steps:\n  - launch: {grid: 1, block: 32, arguments: [{buffer: out}]}\n"
               "  - check: {buffer: out, values: [780]}\n");
    const CommandResult steps = smsim("run --report none " + (folder / "steps.yaml") + " -o " + (folder / "out"));
    EXPECT_EQ(steps.status, 0) << steps.output;
    EXPECT_EQ(report()["launches"][0]["occupancy"]["limits"]["by_registers"].get<unsigned>(), limited);
}

TEST_F(Compile, MacrosAreForCudaSourcesOnly) {
    write_file(folder / "fill.ptx", kPtx);
    EXPECT_EQ(run("fill.ptx").status, 0); // writes the launch file
    const CommandResult refused = smsim("run -D N=1 " + (folder / "launch.yaml"));
    EXPECT_EQ(refused.status, kBadInput);
    EXPECT_THAT(refused.output,
                HasSubstr("--launch compile.define.N=1: define has macros of CUDA C++ (.cu); the program is fill.ptx"));
    EXPECT_THAT(smsim("compile -D N=1 " + (folder / "fill.ptx")).output,
                HasSubstr("fill.ptx: -D N=1 defines a macro of CUDA C++; expected a .cu file"));
}

TEST_F(Compile, PtxThatIsWrongNamesFileAndLine) {
    write_file(folder / "fill.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { foo; }\n");
    for (const CommandResult &result : {smsim("compile " + (folder / "fill.ptx")), run("fill.ptx")}) {
        EXPECT_EQ(result.status, kBadInput);
        EXPECT_THAT(result.output, HasSubstr("fill.ptx:4:"));
    }
}

/// A kernel that needs unsupported features is left out with a warning; launching it is the error.
TEST_F(Compile, AKernelThatIsNotCoveredDoesNotStopTheOthers) {
    const std::string second = "\n.visible .entry second(.param .u64 out) { wgmma.fence.sync.aligned; ret; }\n";
    write_file(folder / "two.ptx", kPtx + second);
    const CommandResult compiled = smsim("compile " + (folder / "two.ptx"));
    EXPECT_EQ(compiled.status, 0);
    EXPECT_THAT(compiled.output, HasSubstr("kernel 'second' is left out: " + (folder / "two.ptx") + ":23:43: "));
    EXPECT_THAT(compiled.output, HasSubstr(".kernel fill"));
    EXPECT_THAT(run("two.ptx").output,
                HasSubstr("'kernel' is needed, " + (folder / "two.ptx") + " has several: fill, second"));
    write_file(folder / "one.yaml", "program: two.ptx\nkernel: fill\ngrid: 2\nblock: 32\narguments:\n"
                                    "  - {name: out, type: u32, count: 64}\n  - {name: n, type: u32, value: 40}\n"
                                    "check:\n  - {buffer: out, values: [1, 4, 7]}\n");
    EXPECT_EQ(smsim("run --report none " + (folder / "one.yaml")).status, 0);
    write_file(folder / "other.yaml", "program: two.ptx\nkernel: second\ngrid: 1\nblock: 32\narguments:\n"
                                      "  - {name: out, type: u32, count: 64}\n");
    const CommandResult refused = smsim("run --report none " + (folder / "other.yaml"));
    EXPECT_EQ(refused.status, kBadInput);
    EXPECT_THAT(refused.output, HasSubstr("smsim: error: " + (folder / "two.ptx") + ":23:43: "));
    write_file(folder / "none.ptx", ".version 8.0\n.target sm_90a\n.address_size 64\n" + second);
    EXPECT_EQ(smsim("compile " + (folder / "none.ptx")).status, kBadInput);
}

TEST_F(Compile, OtherFilesAreRefused) {
    write_file(folder / "k.sasm", ".kernel k\nEXIT;\n");
    const CommandResult result = smsim("compile " + (folder / "k.sasm"));
    EXPECT_EQ(result.status, kBadInput);
    EXPECT_THAT(result.output, HasSubstr("k.sasm: 'smsim compile' takes PTX (.ptx) or CUDA C++ (.cu)"));
    EXPECT_THAT(smsim("compile " + (folder / "none.ptx")).output, HasSubstr("none.ptx: cannot be opened"));
}

TEST_F(Compile, ProgramInThePlaceOfALaunchFileIsExplained) {
    for (const char *name : {"k.ptx", "k.cu", "k.sasm", "k.smbin"}) {
        const CommandResult result = smsim("run " + (folder / name));
        EXPECT_EQ(result.status, kBadInput);
        EXPECT_THAT(result.output,
                    HasSubstr(std::string(name) + ": this is a program; 'smsim run' takes a launch file"));
        EXPECT_THAT(result.output, HasSubstr("docs/launch-files.md"));
    }
}

/// CUDA source, with or without a clang to compile it.
class CudaFiles : public Compile {
  protected:
    /// Temporary folders that smsim left behind.
    std::size_t leftovers() {
        const auto files = std::filesystem::directory_iterator(folder / "tmp");
        return static_cast<std::size_t>(std::distance(begin(files), end(files)));
    }
    void SetUp() override {
        std::filesystem::create_directory(folder / "tmp");
        setenv("TMPDIR", (folder / "tmp").c_str(), 1);
    }
    void TearDown() override {
        EXPECT_EQ(leftovers(), 0U);
        unsetenv("TMPDIR");
    }
};

/// Tests that need clang; skipped if it is missing. Only a skip in SetUp skips the body of the test.
class Cuda : public CudaFiles {
  protected:
    void SetUp() override {
        CudaFiles::SetUp();
        if (test::run_command_line("${CLANG:-clang} --version").status != 0) {
            GTEST_SKIP() << "clang is not installed: CUDA sources are not tested";
        }
    }
};

TEST_F(Cuda, SourceRunsAndCompiles) {
    write_file(folder / "fill.cu", kCuda);
    const CommandResult result = run("fill.cu");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(smsim("compile " + (folder / "fill.cu")).output, HasSubstr(".kernel fill\n"));
}

TEST_F(Cuda, HeadersOfTheTreeAreFound) {
    const std::string header = std::string(SMSIM_SOURCE_DIR) + "/cuda/include/smsim_cuda.h";
    ASSERT_TRUE(std::filesystem::exists(header));
    write_file(folder / "fill.cu", "#include \"smsim_cuda.h\"\n" + kCuda);
    const CommandResult result = run("fill.cu");
    EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(Cuda, NamesOfFilesAreNotInterpreted) {
    const std::string name = "a b;$(exit).cu";
    write_file(folder / name, kCuda);
    EXPECT_EQ(run(name).status, 0);
    write_file(folder / "-fill.cu", kCuda);
    const CommandResult dashed =
        test::run_command_line("cd " + (folder / "") + " && " + SMSIM_BINARY + " compile -- -fill.cu");
    EXPECT_EQ(dashed.status, 0) << dashed.output;
}

TEST_F(Cuda, MessagesOfClangReachTheUser) {
    write_file(folder / "fill.cu", "extern \"C\" __attribute__((global)) void fill() {\n  wrong;\n}\n");
    const CommandResult refused = run("fill.cu");
    EXPECT_EQ(refused.status, kBadInput);
    EXPECT_THAT(refused.output, HasSubstr("fill.cu: clang cannot compile it"));
    EXPECT_THAT(refused.output, HasSubstr("fill.cu:2:3: error: use of undeclared identifier 'wrong'"));
    write_file(folder / "fill.cu", "#warning careful\n" + kCuda);
    const CommandResult warned = run("fill.cu");
    EXPECT_EQ(warned.status, 0);
    EXPECT_THAT(warned.output, HasSubstr("careful"));
}

/// STEP and TEXT must be defined, FAST may be.
const std::string kMacros = R"(extern "C" __attribute__((global)) void fill(unsigned *out) {
    out[0] = STEP;
#ifdef FAST
    out[1] = FAST;
#endif
    out[2] = sizeof("" TEXT);
}
)";

TEST_F(Cuda, MacrosAreThoseOfTheLaunchFileAndOfOptions) {
    write_file(folder / "fill.cu", kMacros);
    const auto expect = [&](const std::string &values, const std::string &options) {
        write_file(folder / "launch.yaml", "program: fill.cu\ncompile: {define: {STEP: 3, TEXT: '\"a b\"'}}\ngrid: 1\n"
                                           "block: 1\narguments: [{name: out, type: u32, count: 3}]\n"
                                           "check: [{buffer: out, values: [" +
                                               values + "]}]\n");
        const CommandResult done =
            smsim("run --report none " + (folder / "launch.yaml") + " -o " + (folder / "out") + " " + options);
        EXPECT_EQ(done.status, 0) << values << ": " << done.output;
    };
    expect("3, 0, 4", "");
    expect("0x11, 1, 4", "-D STEP=0x11 --define FAST");
    expect("5, 0, 1", "-DSTEP=2+3 -DTEXT=");
    EXPECT_EQ(report()["run"]["launch_changes"],
              nlohmann::json::array({"compile.define.STEP='2+3'", "compile.define.TEXT=''"}));
    EXPECT_THAT(smsim("compile -D STEP=77 -D STEP=78 -D TEXT= " + (folder / "fill.cu")).output, HasSubstr("78"));
    const CommandResult refused = smsim("run -D 3X " + (folder / "launch.yaml"));
    EXPECT_EQ(refused.status, kBadInput);
    EXPECT_THAT(refused.output, HasSubstr("-D 3X: expected NAME or NAME=VALUE"));
}

TEST_F(Cuda, OptionsOfTheCommandPrecedeThoseOfTheLaunchFile) {
    write_file(folder / "fill.cu", kCuda);
    const auto instructions = [&](const std::string &compile, const std::string &options) {
        write_file(folder / "launch.yaml", "program: fill.cu\ncompile: {" + compile +
                                               "}\ngrid: 2\nblock: 32\narguments:\n"
                                               "  - {name: out, type: u32, count: 64}\n"
                                               "  - {name: n, type: u32, value: 40}\n");
        const CommandResult done =
            smsim("run --report none " + (folder / "launch.yaml") + " -o " + (folder / "out") + " " + options);
        EXPECT_EQ(done.status, 0) << done.output;
        return report()["warp_instructions"].get<unsigned>();
    };
    const unsigned best = instructions("", "");
    const unsigned plain = instructions("optimisation: 0", "");
    EXPECT_GT(plain, best);
    EXPECT_EQ(instructions("", "-O 0"), plain);
    EXPECT_EQ(instructions("optimisation: 0", "-O 3"), best);
}

TEST_F(CudaFiles, MissingCompilerIsExplained) {
    write_file(folder / "fill.cu", kCuda);
    const CommandResult result = test::run_command_line("CLANG=/nowhere/clang " + std::string(SMSIM_BINARY) +
                                                        " compile " + (folder / "fill.cu"));
    EXPECT_EQ(result.status, kBadInput);
    EXPECT_THAT(result.output, HasSubstr("'/nowhere/clang' cannot be run: No such file or directory"));
    EXPECT_THAT(result.output, HasSubstr("give a .ptx file instead"));
}

TEST_F(CudaFiles, CompilerThatGivesNoReasonIsExplained) {
    write_file(folder / "fill.cu", kCuda);
    const CommandResult result =
        test::run_command_line("CLANG=/bin/false " + std::string(SMSIM_BINARY) + " compile " + (folder / "fill.cu"));
    EXPECT_EQ(result.status, kBadInput);
    EXPECT_THAT(result.output, HasSubstr("/bin/false cannot compile it and gives no reason"));
    EXPECT_THAT(result.output, HasSubstr("(TMPDIR)"));
}

TEST_F(CudaFiles, MissingSourceIsNamed) {
    EXPECT_THAT(smsim("compile " + (folder / "none.cu")).output, HasSubstr("none.cu: cannot be opened for reading"));
}

/// `--check` runs the code as selected and after each pass, and compares each with the interpreter of PTX.
TEST_F(Compile, CheckComparesEveryPassWithTheInterpreter) {
    write_file(folder / "fill.ptx", kPtx);
    const CommandResult random = smsim("compile --check --launches 2 " + (folder / "fill.ptx"));
    EXPECT_EQ(random.status, 0) << random.output;
    EXPECT_THAT(random.output, testing::MatchesRegex("(fill: [0-9]+ instructions of threads, 4096 words, after "
                                                     "[0-9]+ passes: equal\n)+"));
    run("fill.ptx"); // writes the launch file
    const CommandResult launch =
        smsim("compile --check --launch " + (folder / "launch.yaml") + " " + (folder / "fill.ptx"));
    EXPECT_EQ(launch.status, 0) << launch.output;
    EXPECT_THAT(launch.output, testing::StartsWith("fill: 712 instructions of threads, 64 words, after "));
}

/// Interpreter and model differ in which thread comes last: the one kind of difference that a correct compiler shows.
TEST_F(Compile, CheckReportsWhereResultsDiffer) {
    write_file(folder / "race.ptx", R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry race(.param .u64 out) {
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1+4], %r1;
    ret;
}
)");
    const CommandResult done = smsim("compile --check --launches 1 " + (folder / "race.ptx"));
    EXPECT_EQ(done.status, 1) << done.output;
    EXPECT_THAT(done.output, HasSubstr("states differ"));
    EXPECT_THAT(done.output, HasSubstr("  as selected: out, byte 4: 0x0000003f, expected "));
    EXPECT_THAT(done.output, HasSubstr("  after pass 1 (split): out, byte 4: "));
}

TEST_F(Compile, CheckSaysWhenThereIsNothingToCompare) {
    write_file(folder / "trap.ptx",
               ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry ends() { trap; ret; }\n");
    const CommandResult done = smsim("compile --check " + (folder / "trap.ptx"));
    EXPECT_EQ(done.status, 0) << done.output;
    EXPECT_THAT(done.output, HasSubstr("ends: nothing compared: the interpreter: "));
    write_file(folder / "struct.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n"
                                      ".visible .entry k(.param .align 8 .b8 s[24]) { ret; }\n");
    const CommandResult refused = smsim("compile --check " + (folder / "struct.ptx"));
    EXPECT_EQ(refused.status, kBadInput);
    EXPECT_THAT(refused.output,
                HasSubstr("struct.ptx:4:39: parameter 's' is neither a number nor a pointer; expected a launch "
                          "file with arguments (--launch)"));
    EXPECT_EQ(smsim("compile --launches 2 " + (folder / "trap.ptx")).status, kBadInput);
    EXPECT_EQ(smsim("compile --check --statistics " + (folder / "trap.ptx")).status, kBadInput);
    write_file(folder / "none.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.func f() { ret; }\n");
    const CommandResult none = smsim("compile --check " + (folder / "none.ptx"));
    EXPECT_EQ(none.status, kBadInput);
    EXPECT_THAT(none.output, HasSubstr("none.ptx: has no kernel that could be run"));
}

} // namespace
} // namespace smsim

// Control flow of compiled PTX on the model: branches, loops, calls, tables; what reconverges and what is rejected.
#include "tb/unit/ptx/run_support.h"

namespace smsim::ptx::tb {
namespace {

using testing::Test;

TEST(ControlFlow, WaysOutOfRegionsBreakThem) {
    const std::string code = compile_to_assembly(kernel_with(R"(
    mov.u32 %r1, 0;
LOOP:
    and.b32 %r2, %r1, %r0;
    setp.eq.u32 %p0, %r2, 0;
    @%p0 bra JOIN;
    setp.gt.u32 %p1, %r2, 5;
    @%p1 bra OUT;
    add.u32 %r1, %r1, 1;
JOIN:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, 64;
    @%p2 bra LOOP;
OUT:
    st.global.u32 [%rd1], %r1;
    ret;)"),
                                                 "test.ptx");
    EXPECT_NE(code.find("BSSY B0"), std::string::npos) << code;
    EXPECT_NE(code.find("BSSY B1"), std::string::npos) << code;
    EXPECT_NE(code.find("BREAK B1"), std::string::npos) << code;
}

TEST(ControlFlow, CompiledProgramsNameTheEngineThatTheyAreFor) {
    const std::string ptx = kernel_with("    ret;");
    EXPECT_EQ(compile_to_assembly(ptx, "test.ptx").substr(0, 28), ".engine convergence_barrier\n");
    EXPECT_EQ(compile(ptx, "test.ptx", timing::SchedulingModel()).engine, "convergence_barrier");
}

TEST(ControlFlow, UniformBranchesGetNoBarrier) {
    const std::string code = compile_to_assembly(kernel_with(R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, %nctaid.x;
LOOP:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p0, %r1, %r2;
    @%p0 bra LOOP;
    st.global.u32 [%rd1], %r1;
    ret;)"),
                                                 "test.ptx");
    EXPECT_EQ(code.find("BSSY"), std::string::npos) << code;
}

TEST(ControlFlow, BranchesThatTheProgramCallsUniformGetNoBarrier) {
    const std::string body = R"(
    shr.u32 %r1, %r0, 5;
    setp.eq.u32 %p0, %r1, 0;
    @%p0 bra.uni FIRST;
    add.u32 %r1, %r1, 7;
FIRST:
    st.global.u32 [%rd1], %r1;
    ret;)";
    const std::string code = compile_to_assembly(kernel_with(body), "test.ptx");
    EXPECT_EQ(code.find("BSSY"), std::string::npos) << code;
    const auto out = run_body(body, 64);
    for (unsigned i = 0; i < 64; ++i) {
        EXPECT_EQ(out[i], i < 32 ? 0 : 8) << i;
    }
}

TEST(ControlFlow, SpinLockBetweenThreadsOfAWarp) {
    const RunResult result = run_kernel(kernel_with(R"(
    mov.u64 %rd2, lock;
    mov.u64 %rd3, counter;
SPIN:
    atom.shared.cas.b32 %r1, [%rd2], 0, 1;
    setp.ne.u32 %p0, %r1, 0;
    @%p0 bra SPIN;
    ld.volatile.shared.u32 %r2, [%rd3];
    mad.lo.u32 %r2, %r2, 3, 1;
    add.u32 %r2, %r2, 0;
    ld.volatile.shared.u32 %r4, [%rd3+4];
    add.u32 %r4, %r4, 1;
    st.volatile.shared.u32 [%rd3+4], %r4;
    membar.cta;
    atom.shared.exch.b32 %r3, [%rd2], 0;
    bar.sync 0;
    ld.volatile.shared.u32 %r4, [%rd3+4];
    st.global.u32 [%rd1], %r4;
    ret;)",
                                                    ".shared .align 4 .b32 lock;\n.shared .align 8 .b32 counter[2];\n"),
                                        64);
    EXPECT_EQ(result.exception, "");
    for (const std::uint64_t value : result.out) {
        EXPECT_EQ(value, 64U);
    }
}

TEST(ControlFlow, TableIndexOutsideIsATrap) {
    const RunResult result = run_kernel(kernel_with(R"(
    TARGETS: .branchtargets A, B;
    brx.idx %r0, TARGETS;
A:
B:  ret;)"),
                                        32);
    EXPECT_NE(result.exception.find("Trap"), std::string::npos) << result.exception;
}

TEST(ControlFlow, FunctionsThatMightCallOneAnotherThroughPointers) {
    // `outer` calls through a pointer to a function of its own type; only the data show that it is never itself.
    const std::string functions = R"(
.global .align 8 .u64 either[2];
.func (.param .b32 r) inner(.param .b32 a)
{
    .reg .b32 %q<2>;
    ld.param.u32 %q0, [a];
    mad.lo.u32 %q1, %q0, 7, 3;
    st.param.b32 [r], %q1;
    ret;
}
.func (.param .b32 r) outer(.param .b32 a)
{
    .reg .b32 %q<4>;
    .reg .b64 %t<2>;
    ld.param.u32 %q0, [a];
    add.u32 %q2, %q0, 5;
    mov.u64 %t0, inner;
    {
    .param .b32 x;
    .param .b32 y;
    st.param.b32 [x], %q0;
    P: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (y), %t0, (x), P;
    ld.param.b32 %q1, [y];
    }
    mad.lo.u32 %q3, %q1, 1000, %q2;
    st.param.b32 [r], %q3;
    ret;
}
.global .align 8 .u64 table[1] = {outer};
)";
    const auto out = run_body(R"(
    ld.global.u64 %rd4, [table];
    add.u32 %r5, %r0, 40;
    {
    .param .b32 x;
    .param .b32 y;
    st.param.b32 [x], %r0;
    P: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (y), %rd4, (x), P;
    ld.param.b32 %r1, [y];
    }
    add.u32 %r1, %r1, %r5;
    st.global.u32 [%rd1], %r1;
    ret;)",
                              32, functions);
    for (unsigned i = 0; i < 32; ++i) {
        EXPECT_EQ(out[i], (i * 7 + 3) * 1000 + i + 5 + i + 40) << i;
    }
}

TEST(ControlFlow, AParameterOfAFunctionIsReadThroughItsAddress) {
    // As clang writes it at -O0 for a record that is passed by value.
    const std::string function = R"(
.func (.param .b32 r) third(.param .align 8 .b8 record[16])
{
    .reg .b32 %q<2>;
    .reg .b64 %t<2>;
    mov.b64 %t0, record;
    ld.param.u32 %q0, [%t0+8];
    ld.param::func.u32 %q1, [%t0+4];
    add.u32 %q0, %q0, %q1;
    st.param.b32 [r], %q0;
    ret;
}
)";
    const std::string body = R"(
    {
    .param .align 8 .b8 x[16];
    .param .b32 y;
    add.u32 %r1, %r0, 7;
    st.param.b32 [x+4], %r0;
    st.param.b32 [x+8], %r1;
    call (y), third, (x);
    ld.param.b32 %r2, [y];
    }
    st.global.u32 [%rd1], %r2;
    ret;)";
    const auto out = run_body(body, 32, function, {.level = 1});
    for (unsigned i = 0; i < 32; ++i) {
        EXPECT_EQ(out[i], 2 * i + 7) << i;
    }
}

/// Fibonacci numbers by a doubly recursive function, in a region that threads leave at different depths.
const std::string kFibonacci = R"(
.func (.param .b32 r) fib(.param .b32 a)
{
    .reg .pred %q;
    .reg .b32 %x<4>;
    ld.param.u32 %x0, [a];
    setp.lt.u32 %q, %x0, 2;
    @%q bra DONE;
    sub.u32 %x1, %x0, 1;
    {
    .param .b32 n;
    .param .b32 f;
    st.param.b32 [n], %x1;
    call (f), fib, (n);
    ld.param.b32 %x2, [f];
    }
    sub.u32 %x1, %x0, 2;
    {
    .param .b32 n;
    .param .b32 f;
    st.param.b32 [n], %x1;
    call (f), fib, (n);
    ld.param.b32 %x3, [f];
    }
    add.u32 %x0, %x2, %x3;
DONE:
    st.param.b32 [r], %x0;
    ret;
}
)";

const std::string kCallFibonacci = R"(
    rem.u32 %r1, %r0, 10;
    {
    .param .b32 n;
    .param .b32 f;
    st.param.b32 [n], %r1;
    call (f), fib, (n);
    ld.param.b32 %r2, [f];
    }
    st.global.u32 [%rd1], %r2;
    ret;)";

void expect_fibonacci(const CompileOptions &options) {
    constexpr std::array kNumbers = {0U, 1U, 1U, 2U, 3U, 5U, 8U, 13U, 21U, 34U};
    const auto out = run_body(kCallFibonacci, 64, kFibonacci, options);
    for (unsigned i = 0; i < 64; ++i) {
        EXPECT_EQ(out[i], kNumbers.at(i % 10)) << i;
    }
}

TEST(ControlFlow, AFunctionThatCallsItselfHasAFrameForEachCall) {
    expect_fibonacci({});
}

TEST(ControlFlow, AFunctionThatCallsItselfOnAStackOfTokens) {
    expect_fibonacci({.engine = ReconvergenceEngineKind::kTokenStack});
}

/// How many numbers below the thread's number there are, by two functions that call each other.
const std::string kPingPong = R"(
.func (.param .b32 r) ping(.param .b32 a);
.func (.param .b32 r) pong(.param .b32 a)
{
    .reg .b32 %x<3>;
    .local .align 4 .b32 kept;
    ld.param.u32 %x0, [a];
    st.local.u32 [kept], %x0;
    sub.u32 %x1, %x0, 1;
    {
    .param .b32 n;
    .param .b32 f;
    st.param.b32 [n], %x1;
    call (f), ping, (n);
    ld.param.b32 %x2, [f];
    }
    ld.local.u32 %x0, [kept];
    sub.u32 %x0, %x0, %x1;
    add.u32 %x2, %x2, %x0;
    st.param.b32 [r], %x2;
    ret;
}
.func (.param .b32 r) ping(.param .b32 a)
{
    .reg .pred %q;
    .reg .b32 %x<3>;
    ld.param.u32 %x0, [a];
    mov.u32 %x2, 0;
    setp.eq.u32 %q, %x0, 0;
    @%q bra DONE;
    {
    .param .b32 n;
    .param .b32 f;
    st.param.b32 [n], %x0;
    call (f), pong, (n);
    ld.param.b32 %x2, [f];
    }
DONE:
    st.param.b32 [r], %x2;
    ret;
}
)";

const std::string kCallPing = R"(
    {
    .param .b32 n;
    .param .b32 f;
    st.param.b32 [n], %r0;
    call (f), ping, (n);
    ld.param.b32 %r2, [f];
    }
    st.global.u32 [%rd1], %r2;
    ret;)";

TEST(ControlFlow, FunctionsThatCallOneAnotherHaveAFrameForEachCall) {
    const auto out = run_body(kCallPing, 32, kPingPong, {.stack_bytes = 4096});
    for (unsigned i = 0; i < 32; ++i) {
        EXPECT_EQ(out[i], i) << i;
    }
}

/// Bytes of local memory that the kernel's directive requests.
unsigned local_bytes(const std::string &assembly) {
    const std::size_t at = assembly.find(".local ");
    return at == std::string::npos ? 0 : static_cast<unsigned>(std::stoul(assembly.substr(at + 7)));
}

TEST(ControlFlow, RecursionHasAStackOfTheSizeThatIsAskedFor) {
    const std::string ptx = kernel_with(kCallFibonacci, kFibonacci);
    const unsigned none = local_bytes(compile_to_assembly(ptx, "test.ptx", {.stack_bytes = 0}));
    EXPECT_GT(none, 0U);
    EXPECT_EQ(local_bytes(compile_to_assembly(ptx, "test.ptx")), none + 1024);
    EXPECT_EQ(local_bytes(compile_to_assembly(ptx, "test.ptx", {.stack_bytes = 64})), none + 64);
}

TEST(ControlFlow, RecursionBeyondItsStackIsAnException) {
    const RunResult result = run_kernel(kernel_with(kCallPing, kPingPong), 32, {.stack_bytes = 128});
    EXPECT_NE(result.exception.find("IllegalAddress"), std::string::npos) << result.exception;
    EXPECT_NE(result.exception.find("local address"), std::string::npos) << result.exception;
    EXPECT_NE(result.exception.find("calls itself deeper than its stack holds: give it more with --stack BYTES"),
              std::string::npos)
        << result.exception;
}

TEST(ControlFlow, RecursionBesideAllocaIsRefused) {
    try {
        compile_to_assembly(kernel_with("    alloca.u64 %rd2, 16;\n    call f, ();\n    ret;",
                                        ".func f()\n{\n    call f, ();\n    ret;\n}\n"),
                            "test.ptx");
        FAIL();
    } catch (const InputError &error) {
        EXPECT_NE(std::string(error.what()).find("'k' calls a function that calls itself, in a module with alloca"),
                  std::string::npos)
            << error.what();
    }
}

TEST(ControlFlow, LoopsWithTwoEntries) {
    const auto out = run_body(R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
    and.b32 %r3, %r0, 1;
    setp.eq.u32 %p0, %r3, 0;
    @%p0 bra SECOND;
FIRST:
    add.u32 %r2, %r2, 1;
SECOND:
    add.u32 %r2, %r2, 100;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, %r0;
    @%p1 bra FIRST;
    st.global.u32 [%rd1], %r2;
    ret;)",
                              32);
    for (unsigned i = 0; i < 32; ++i) {
        unsigned value = i % 2;
        unsigned rounds = 0;
        do {
            value += 100 + (rounds > 0 ? 1 : 0);
        } while (++rounds < i);
        EXPECT_EQ(out[i], value) << i;
    }
}

TEST(ControlFlow, RegistersThatFindNoPlaceAreSpilled) {
    // Thirty values that are all live to the end, with a limit of sixteen registers.
    std::string body;
    for (unsigned i = 1; i <= 30; ++i) {
        body += "    mad.lo.u32 %r" + std::to_string(i) + ", %r0, " + std::to_string(i) + ", " + std::to_string(i * i) +
                ";\n";
    }
    body += "    mov.u32 %r31, 0;\n";
    for (unsigned i = 30; i >= 1; --i) {
        body += "    mad.lo.u32 %r31, %r31, 3, %r" + std::to_string(i) + ";\n";
    }
    body += "    st.global.u32 [%rd1], %r31;\n    ret;";
    CompileOptions options;
    options.registers = 16;
    const RunResult result = run_kernel(kernel_with(body), 32, options);
    EXPECT_EQ(result.exception, "");
    for (std::uint32_t t = 0; t < 32; ++t) {
        std::uint32_t value = 0;
        for (std::uint32_t i = 30; i >= 1; --i) {
            value = value * 3 + (t * i + i * i);
        }
        EXPECT_EQ(result.out[t], value) << t;
    }
}

TEST(Votes, MeanTheSameWithSyncBeforeAndAfterTheMode) {
    const auto code = [](const std::string &ballot, const std::string &all) {
        const std::string text =
            kernel_with("setp.gt.u32 %p0, %r0, 3; vote." + ballot + ".b32 %r1, %p0, 0xff; vote." + all +
                        ".pred %p1, %p0, -1; @%p1 add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; ret;");
        return compile(text, "test.ptx", timing::SchedulingModel()).code;
    };
    EXPECT_EQ(code("ballot.sync", "all.sync"), code("sync.ballot", "sync.all"));
    EXPECT_NE(code("ballot.sync", "any.sync"), code("sync.ballot", "sync.all"));
}

TEST(ControlFlow, ASleepIsOfAMillisecondAtMost) {
    const auto out = run_body("mov.u32 %r1, %clock;\n    nanosleep.u32 0xffffffff;\n    mov.u32 %r2, %clock;\n"
                              "    ld.global.u32 %r4, [%rd1];\n    add.u32 %r4, %r4, 4000000000;\n"
                              "    nanosleep.u32 %r4;\n    mov.u32 %r3, %clock;\n    sub.u32 %r2, %r2, %r1;\n"
                              "    sub.u32 %r3, %r3, %r1;\n    st.global.v2.u32 [%rd1], {%r2, %r3};\n    ret;",
                              1);
    const std::uint64_t one = out[0] & 0xffffffff;
    const std::uint64_t both = out[0] >> 32;
    EXPECT_GE(one, 1'000'000U);
    EXPECT_LT(one, 1'100'000U * 2);
    EXPECT_GE(both, 2'000'000U);
    EXPECT_LT(both, 2'200'000U * 2);
}

} // namespace
} // namespace smsim::ptx::tb

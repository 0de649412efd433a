// Compiled PTX that gives the same results on every reconvergence engine, and what the stacks reject.
#include "tb/unit/ptx/run_support.h"

namespace smsim::ptx::tb {
namespace {

using testing::Test;

std::uint64_t collatz(std::uint64_t n) {
    std::uint64_t steps = 0;
    for (; n != 1; ++steps) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    }
    return steps;
}

/// Code that gives the same results on every engine.
class EveryEngine : public testing::TestWithParam<ReconvergenceEngineKind> {
  protected:
    static std::vector<std::uint64_t> run(const std::string &body, unsigned threads, const std::string &before = "") {
        return run_body(body, threads, before, {.engine = GetParam()});
    }
};

std::string engine_name(const testing::TestParamInfo<ReconvergenceEngineKind> &info) {
    constexpr std::array<const char *, 3> kNames = {"ConvergenceBarrier", "SimtStack", "TokenStack"};
    return kNames.at(static_cast<std::size_t>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Engines, EveryEngine,
                         testing::Values(ReconvergenceEngineKind::kConvergenceBarrier,
                                         ReconvergenceEngineKind::kSimtStack, ReconvergenceEngineKind::kTokenStack),
                         engine_name);

TEST_P(EveryEngine, LoopsThatThreadsLeaveAtDifferentTimes) {
    const auto out = run(R"(
    add.u32 %r1, %r0, 1;
    mov.u32 %r2, 0;
LOOP:
    setp.eq.u32 %p0, %r1, 1;
    @%p0 bra DONE;
    and.b32 %r3, %r1, 1;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 bra EVEN;
    mad.lo.u32 %r1, %r1, 3, 1;
    bra NEXT;
EVEN:
    shr.u32 %r1, %r1, 1;
NEXT:
    add.u32 %r2, %r2, 1;
    bra LOOP;
DONE:
    st.global.u32 [%rd1], %r2;
    ret;)",
                         64);
    for (unsigned i = 0; i < 64; ++i) {
        EXPECT_EQ(out[i], collatz(i + 1)) << i;
    }
}

/// A nested loop, and an exit from both loops from the inner one.
const char *const kBreakOut = R"(
    mov.u32 %r1, 0;
    mov.u32 %r5, 0;
OUTER:
    mov.u32 %r2, 0;
INNER:
    mad.lo.u32 %r3, %r1, 8, %r2;
    setp.eq.u32 %p0, %r3, %r0;
    @%p0 bra FOUND;
    add.u32 %r5, %r5, 1;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 8;
    @%p1 bra INNER;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, 3;
    @%p2 bra OUTER;
FOUND:
    st.global.u32 [%rd1], %r5;
    ret;)";

TEST_P(EveryEngine, BreakOutOfNestedLoops) {
    const auto out = run(kBreakOut, 32);
    for (unsigned i = 0; i < 32; ++i) {
        EXPECT_EQ(out[i], std::min(i, 24U)) << i;
    }
}

TEST_P(EveryEngine, TableOfLabels) {
    const auto out = run(R"(
    and.b32 %r1, %r0, 3;
    TARGETS: .branchtargets A, B, C, D;
    brx.idx %r1, TARGETS;
A:  mov.u32 %r2, 10;
    bra END;
B:  mov.u32 %r2, 20;
    bra END;
C:  mov.u32 %r2, 30;
D:  add.u32 %r2, %r0, 1000;
END:
    st.global.u32 [%rd1], %r2;
    ret;)",
                         32);
    for (unsigned i = 0; i < 32; ++i) {
        const unsigned expected[] = {10, 20, i + 1000, i + 1000};
        EXPECT_EQ(out[i], expected[i % 4]) << i;
    }
}

const char *const kFunctions = R"(
.func (.param .b32 r) square(.param .b32 a)
{
    .reg .b32 %q<3>;
    ld.param.u32 %q0, [a];
    mul.lo.u32 %q1, %q0, %q0;
    st.param.b32 [r], %q1;
    ret;
}
.func (.param .b32 r) next(.param .b32 a)
{
    .reg .b32 %q<3>;
    .reg .pred %p;
    ld.param.u32 %q0, [a];
    setp.lt.u32 %p, %q0, 8;
    @%p bra SMALL;
    add.u32 %q1, %q0, 1;
    st.param.b32 [r], %q1;
    ret;
SMALL:
    {
    .param .b32 x;
    .param .b32 y;
    st.param.b32 [x], %q0;
    call.uni (y), square, (x);
    ld.param.b32 %q1, [y];
    }
    st.param.b32 [r], %q1;
    ret;
}
.global .align 8 .u64 table[2] = {square, next};
)";

TEST_P(EveryEngine, CallsThatCallAndReturnAtDifferentTimes) {
    const auto out = run(R"(
    {
    .param .b32 x;
    .param .b32 y;
    st.param.b32 [x], %r0;
    call.uni (y), next, (x);
    ld.param.b32 %r1, [y];
    }
    add.u32 %r1, %r1, %r0;
    st.global.u32 [%rd1], %r1;
    ret;)",
                         32, kFunctions);
    for (unsigned i = 0; i < 32; ++i) {
        EXPECT_EQ(out[i], (i < 8 ? i * i : i + 1) + i) << i;
    }
}

TEST_P(EveryEngine, CallsThroughATableOfFunctions) {
    const auto out = run(R"(
    and.b32 %r1, %r0, 1;
    mul.wide.u32 %rd2, %r1, 8;
    mov.u64 %rd3, table;
    add.u64 %rd3, %rd3, %rd2;
    ld.global.u64 %rd4, [%rd3];
    {
    .param .b32 x;
    .param .b32 y;
    st.param.b32 [x], %r0;
    P: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (y), %rd4, (x), P;
    ld.param.b32 %r1, [y];
    }
    st.global.u32 [%rd1], %r1;
    ret;)",
                         32, kFunctions);
    for (unsigned i = 0; i < 32; ++i) {
        EXPECT_EQ(out[i], i % 2 == 0 || i < 8 ? i * i : i + 1) << i;
    }
}

TEST_P(EveryEngine, PredicatesThatFindNoPlaceAreSpilled) {
    std::string body = "    mov.u32 %r1, 0;\n    .reg .pred %q<12>;\n";
    for (unsigned i = 0; i < 12; ++i) {
        body += "    setp.gt.u32 %q" + std::to_string(i) + ", %r0, " + std::to_string(2 * i) + ";\n";
    }
    for (unsigned i = 0; i < 12; ++i) {
        body += "    @%q" + std::to_string(i) + " add.u32 %r1, %r1, " + std::to_string(1U << i) + ";\n";
    }
    const auto out = run(body + "    st.global.u32 [%rd1], %r1;\n    ret;", 32);
    for (unsigned t = 0; t < 32; ++t) {
        unsigned value = 0;
        for (unsigned i = 0; i < 12; ++i) {
            value += t > 2 * i ? 1U << i : 0;
        }
        EXPECT_EQ(out[t], value) << t;
    }
}

/// Twenty nested conditions, each with an else side; more than there are B registers.
std::string twenty_conditions() {
    std::string head = "    mov.u32 %r1, 0;\n    mov.u32 %r2, 0;\n";
    for (unsigned i = 0; i < 20; ++i) {
        const std::string n = std::to_string(i);
        head += "    setp.lt.u32 %p0, %r0, " + n + ";\n    @%p0 bra ELSE" + n + ";\n    add.u32 %r1, %r1, 1;\n";
    }
    std::string ordered;
    for (unsigned i = 20; i-- > 0;) {
        const std::string n = std::to_string(i);
        ordered += "    bra JOIN" + n + ";\nELSE" + n + ":\n    add.u32 %r2, %r2, 100;\nJOIN" + n +
                   ":\n    add.u32 %r2, %r2, 1;\n";
    }
    return head + ordered + "    mad.lo.u32 %r1, %r1, 10000, %r2;\n    st.global.u32 [%rd1], %r1;\n    ret;";
}

TEST(ConvergenceBarriers, DeepNestingTakesBarriersAgain) {
    EXPECT_NE(compile_to_assembly(kernel_with(twenty_conditions()), "test.ptx").find("BMOV"), std::string::npos);
}

TEST_P(EveryEngine, DeepNesting) {
    const auto out = run(twenty_conditions(), 32);
    for (unsigned t = 0; t < 32; ++t) {
        const unsigned taken = std::min(t + 1, 20U); // number of conditions passed
        const unsigned joins = t + 1 < 20 ? taken + 1 : 20;
        EXPECT_EQ(out[t], taken * 10000 + joins + (t + 1 < 20 ? 100 : 0)) << t;
    }
}

const std::string kSpin = R"(
SPIN:
    atom.global.cas.b32 %r1, [%rd0], 0, 1;
    setp.ne.u32 %p0, %r1, 0;
    @%p0 bra SPIN;
    st.volatile.global.u32 [%rd0], 0;
    ret;)";

std::string refusal(const std::string &body, const CompileOptions &options, const std::string &before = "") {
    try {
        compile_to_assembly(kernel_with(body, before), "test.ptx", options);
    } catch (const InputError &error) {
        return error.what();
    }
    return "";
}

TEST(Stacks, RefuseCodeInWhichThreadsOfAWarpWaitForOneAnother) {
    for (const auto engine : {ReconvergenceEngineKind::kSimtStack, ReconvergenceEngineKind::kTokenStack}) {
        const std::string message = refusal(kSpin, {.engine = engine});
        EXPECT_TRUE(message.starts_with("test.ptx:18:1: 'k' may need independent progress")) << message;
        EXPECT_EQ(refusal(kSpin, {.engine = engine, .force = true}), "");
    }
    EXPECT_EQ(refusal(kSpin, {}), "");
}

const std::string kTwoEntries = R"(
    setp.lt.u32 %p0, %r0, 16;
    @%p0 bra SECOND;
FIRST:
    add.u32 %r0, %r0, 1;
SECOND:
    add.u32 %r0, %r0, 3;
    setp.lt.u32 %p0, %r0, 60;
    @%p0 bra FIRST;
    ret;)";

TEST(Stacks, TokensRefuseLoopsWithTwoEntries) {
    const std::string message = refusal(kTwoEntries, {.engine = ReconvergenceEngineKind::kTokenStack});
    EXPECT_NE(message.find("'k' has a loop that is entered at several places, which token_stack cannot hold"),
              std::string::npos)
        << message;
    EXPECT_EQ(refusal(kTwoEntries, {.engine = ReconvergenceEngineKind::kSimtStack}), "");
}

TEST(Stacks, SimtRefusesFunctionsThatCallThemselves) {
    const std::string function = ".func f()\n{\n    call f, ();\n    ret;\n}\n";
    const std::string message =
        refusal("    call f, ();\n    ret;", {.engine = ReconvergenceEngineKind::kSimtStack}, function);
    EXPECT_NE(message.find("'f' calls itself, directly or through others, which simt_stack cannot hold"),
              std::string::npos)
        << message;
}

TEST(Stacks, SimtRefusesThreadsThatEndInACalledFunction) {
    const std::string function =
        ".func f(.reg .u32 %x)\n{\n    .reg .pred %p;\n    setp.eq.u32 %p, %x, 3;\n    @%p exit;\n"
        "    ret;\n}\n";
    const std::string message =
        refusal("    call f, (%r0);\n    ret;", {.level = 1, .engine = ReconvergenceEngineKind::kSimtStack}, function);
    EXPECT_NE(message.find("'f' ends threads inside of a called function, which simt_stack cannot hold"),
              std::string::npos)
        << message;
    EXPECT_EQ(refusal("    call f, (%r0);\n    ret;", {.engine = ReconvergenceEngineKind::kTokenStack}, function), "");
}

/// Threads that leave early must not arrive at the barrier, and those that stay arrive at it together.
TEST_P(EveryEngine, ThreadsThatEndInARegionBeforeABarrier) {
    const auto out = run(R"(
    st.global.u32 [%rd1], 7;
    setp.lt.u32 %p0, %r0, 20;
    @!%p0 bra JOIN;
    add.u32 %r0, %r0, 100;
    and.b32 %r1, %r0, 3;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 exit;
    add.u32 %r0, %r0, 100;
JOIN:
    bar.sync 0;
    add.u32 %r0, %r0, 1000;
    st.global.u32 [%rd1], %r0;
    ret;)",
                         64);
    for (unsigned t = 0; t < 64; ++t) {
        EXPECT_EQ(out[t], t >= 20 ? t + 1000 : t % 4 == 0 ? 7 : t + 1200) << t;
    }
}

/// An exit from two loops, the inner one of which other threads leave by other exits.
TEST_P(EveryEngine, WaysOutOfSeveralLoopsFromInsideOfBranches) {
    const auto out = run(R"(
    mov.u32 %r1, 0;
    mov.u32 %r5, 0;
OUTER:
    mov.u32 %r2, 0;
INNER:
    add.u32 %r3, %r1, %r2;
    and.b32 %r4, %r3, %r0;
    setp.eq.u32 %p0, %r4, 5;
    @!%p0 bra ON;
    add.u32 %r5, %r5, 1000;
    setp.gt.u32 %p1, %r0, 20;
    @%p1 bra FOUND;
    add.u32 %r5, %r5, 1;
    setp.gt.u32 %p1, %r0, 12;
    @%p1 bra NEXT;
ON:
    add.u32 %r5, %r5, 10;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 8;
    @%p1 bra INNER;
NEXT:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, 3;
    @%p2 bra OUTER;
    add.u32 %r5, %r5, 100000;
FOUND:
    st.global.u32 [%rd1], %r5;
    ret;)",
                         32);
    for (unsigned t = 0; t < 32; ++t) {
        std::uint64_t sum = 0;
        bool found = false;
        for (unsigned i = 0; i < 3 && !found; ++i) {
            for (unsigned j = 0; j < 8; ++j) {
                if (((i + j) & t) == 5) {
                    sum += 1000;
                    found = t > 20;
                    sum += found ? 0 : 1;
                    if (found || t > 12) {
                        break;
                    }
                }
                sum += 10;
            }
        }
        EXPECT_EQ(out[t], sum + (found ? 0 : 100000)) << t;
    }
}

/// A region that begins inside another one, with an entry outside of that too.
TEST_P(EveryEngine, AUniformWayIntoTheMiddleOfRegions) {
    const auto out = run(R"(
    and.b32 %r3, %r0, 1;
    setp.ne.u32 %p1, %r3, 0;
    and.b32 %r3, %r0, 4;
    setp.ne.u32 %p2, %r3, 0;
    and.b32 %r3, %r0, 8;
    setp.ne.u32 %p3, %r3, 0;
    mov.u32 %r1, 0;
    mov.u32 %r4, %ctaid.x;
    setp.ne.u32 %p4, %r4, 99;
    @%p4 bra A;
    @%p2 bra Y;
    add.u32 %r1, %r1, 1000;
    @%p3 bra TO;
    bra Z;
Y:
    add.u32 %r1, %r1, 5000;
    bra MT;
A:
    add.u32 %r1, %r1, 10;
    @%p1 bra TO;
Z:
    add.u32 %r1, %r1, 100;
    bra MR;
TO:
    add.u32 %r1, %r1, 200;
MR:
    mul.lo.u32 %r1, %r1, 3;
MT:
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;)",
                         32);
    for (unsigned t = 0; t < 32; ++t) {
        EXPECT_EQ(out[t], t % 2 != 0 ? 631U : 331U) << t;
    }
}

/// An exit that no thread takes must not keep the sides of a branch apart where the warp shuffles.
TEST_P(EveryEngine, ThreadsAreTogetherWhereSidesMeetThoughOneHasAnExit) {
    const auto out = run(R"(
    mov.u32 %r1, %r0;
    setp.gt.u32 %p2, %r0, 5000;
    setp.lt.u32 %p1, %r0, 13;
    @!%p1 bra M;
    add.u32 %r1, %r1, 1000;
    @%p2 exit;
    add.u32 %r1, %r1, 7;
M:
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
    st.global.u32 [%rd1], %r2;
    ret;)",
                         32);
    for (unsigned t = 0; t < 32; ++t) {
        const unsigned other = t ^ 1U;
        EXPECT_EQ(out[t], other < 13 ? other + 1007 : other) << t;
    }
}

/// No thread waits for threads that end on a side of a branch.
TEST_P(EveryEngine, ThreadsThatEndOnASideOfABranchBeforeTheOthersMeet) {
    const auto out = run(R"(
    setp.lt.u32 %p1, %r0, 20;
    @!%p1 bra M;
    and.b32 %r1, %r0, 1;
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra M;
    st.global.u32 [%rd1], 77;
    exit;
M:
    bar.warp.sync 0xfff55555;
    st.global.u32 [%rd1], %r0;
    ret;)",
                         32);
    for (unsigned t = 0; t < 32; ++t) {
        EXPECT_EQ(out[t], t < 20 && t % 2 != 0 ? 77U : t) << t;
    }
}

/// The same in a loop, with a break and a CTA barrier.
TEST_P(EveryEngine, ThreadsAreTogetherInARoundThoughASideHasABreak) {
    const auto out = run(R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
LOOP:
    and.b32 %r3, %r0, 1;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 bra M;
    add.u32 %r2, %r2, 10;
    setp.gt.u32 %p2, %r0, 5000;
    @%p2 bra OUT;
    add.u32 %r2, %r2, 1;
M:
    bar.sync 0;
    shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1;
    add.u32 %r2, %r2, %r4;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p3, %r1, 3;
    @%p3 bra LOOP;
OUT:
    st.global.u32 [%rd1], %r2;
    ret;)",
                         64);
    for (unsigned t = 0; t < 64; ++t) {
        std::uint64_t even = 0;
        std::uint64_t odd = 0;
        for (unsigned round = 0; round < 3; ++round) {
            odd += 11;
            even = odd = even + odd;
        }
        EXPECT_EQ(out[t], even) << t;
    }
}

TEST(Stacks, AWaitWhoseValueGoesThroughAFunctionIsOne) {
    const std::string same = ".func (.reg .u32 %y) same(.reg .u32 %x)\n{\n    mov.u32 %y, %x;\n    ret;\n}\n";
    const std::string message = refusal(R"(
SPIN:
    ld.volatile.global.u32 %r1, [%rd0];
    call (%r2), same, (%r1);
    setp.eq.u32 %p0, %r2, 0;
    @%p0 bra SPIN;
    ret;)",
                                        {.engine = ReconvergenceEngineKind::kTokenStack}, same);
    EXPECT_NE(message.find("may need independent progress"), std::string::npos) << message;
}

/// Threads that jump over a meeting of the others, and meet them after it.
TEST_P(EveryEngine, AJumpOverAMeetingOfTheOthers) {
    const auto out = run(R"(
    mov.u32 %r2, 1;
    and.b32 %r1, %r0, 1;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra M;
    add.u32 %r2, %r2, 10;
    setp.gt.u32 %p2, %r0, 20;
    @%p2 bra L;
    add.u32 %r2, %r2, 1;
M:
    bar.warp.sync 0x555fffff;
    match.any.sync.b32 %r3, %r1, 0x555fffff;
    add.u32 %r2, %r2, %r3;
L:
    shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1;
    st.global.u32 [%rd1], %r4;
    ret;)",
                         32);
    for (unsigned t = 0; t < 32; ++t) {
        const unsigned other = t ^ 1U;
        const unsigned odd = other > 20 ? 11U : 12U + 0x000aaaaaU;
        EXPECT_EQ(out[t], other % 2 == 0 ? 1U + 0x55555555U : odd) << t;
    }
}

/// The same by `return` in a function called in a loop, which counts the threads that meet.
TEST_P(EveryEngine, AReturnOverAMeetingOfTheOthers) {
    const auto out = run(R"(
    mov.u32 %r1, 0;
    mov.u32 %r5, 0;
LOOP:
    add.u32 %r2, %r0, %r1;
    call (%r3), f, (%r2, %r1);
    add.u32 %r5, %r5, %r3;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 3;
    @%p1 bra LOOP;
    st.global.u32 [%rd1], %r5;
    ret;)",
                         32, R"(
.func (.reg .b32 %out) f(.reg .b32 %in, .reg .b32 %round)
{
    .reg .pred %p<3>;
    .reg .b32 %a<4>;
    and.b32 %a0, %in, 3;
    setp.eq.u32 %p0, %a0, 0;
    mov.u32 %out, 0;
    @%p0 bra TOGETHER;
    setp.eq.u32 %p1, %a0, 2;
    @%p1 bra BACK;
    add.u32 %out, %out, 100;
TOGETHER:
    mov.u32 %a1, 0xbbbbbbbb;
    shf.r.wrap.b32 %a1, %a1, %a1, %round;
    bar.warp.sync %a1;
    vote.sync.ballot.b32 %a2, %p0, %a1;
    popc.b32 %a2, %a2;
    add.u32 %out, %out, %a2;
BACK:
    ret;
}
)");
    // Of 32 threads, 24 meet in each round; 8 of them arrive at once.
    for (unsigned t = 0; t < 32; ++t) {
        unsigned sum = 0;
        for (unsigned round = 0; round < 3; ++round) {
            const unsigned kind = (t + round) % 4;
            sum += kind == 2 ? 0 : (kind == 0 ? 8 : 108);
        }
        EXPECT_EQ(out[t], sum) << t;
    }
}

/// Two exits of a loop, one of which leads past a meeting of the threads that take the other.
TEST_P(EveryEngine, AWayOutOfALoopOverAMeetingOfTheOthers) {
    const auto out = run(R"(
    mov.u32 %r2, 0;
LOOP:
    add.u32 %r2, %r2, 1;
    mul.lo.u32 %r3, %r2, 5;
    setp.eq.u32 %p1, %r3, %r0;
    @%p1 bra FOUND;
    setp.lt.u32 %p2, %r2, %r0;
    @%p2 bra LOOP;
    bar.warp.sync 0xbdef7bdf;
    vote.sync.ballot.b32 %r4, %p2, 0xbdef7bdf;
    not.b32 %r4, %r4;
    popc.b32 %r4, %r4;
    add.u32 %r2, %r2, %r4;
FOUND:
    shfl.sync.idx.b32 %r5, %r2, 31, 31, -1;
    add.u32 %r2, %r2, %r5;
    st.global.u32 [%rd1], %r2;
    ret;)",
                         32);
    // 5, 10, 15, 20, 25, 30 are found.
    for (unsigned t = 0; t < 32; ++t) {
        const unsigned own = t != 0 && t % 5 == 0 ? t / 5 : std::max(t, 1U) + 32;
        EXPECT_EQ(out[t], own + 31 + 32) << t;
    }
}

} // namespace
} // namespace smsim::ptx::tb

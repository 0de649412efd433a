// Operations with a mask: threads that execute the same operation with the same mask meet, wherever it is, and never
// get values from other lanes (ptx-compiler.md "Synchronisation").
#include <array>
#include <bit>
#include <functional>
#include <iterator>
#include <tuple>

#include "tb/unit/ptx/run_support.h"

namespace smsim::ptx::tb {
namespace {

/// On each engine, as selected and fully optimised.
class Meetings : public testing::TestWithParam<std::tuple<ReconvergenceEngineKind, unsigned>> {
  protected:
    static CompileOptions options() { return {.level = std::get<1>(GetParam()), .engine = std::get<0>(GetParam())}; }
    static void expect(const std::string &body, unsigned threads, const std::function<std::uint64_t(unsigned)> &value,
                       const std::string &before = "") {
        const auto out = run_body(body, threads, before, options());
        for (unsigned t = 0; t < threads; ++t) {
            EXPECT_EQ(out[t], value(t)) << t;
        }
    }
    static std::string exception(const std::string &body, unsigned threads, const std::string &before = "") {
        return run_kernel(kernel_with(body, before), threads, options()).exception;
    }
    /// Each engine's name for threads that do not meet.
    static std::string apart() {
        switch (std::get<0>(GetParam())) {
        case ReconvergenceEngineKind::kSimtStack:
            return "Trap: ";
        case ReconvergenceEngineKind::kTokenStack:
            return "WarpSyncDiverged: ";
        default:
            return "SyncDeadlock: ";
        }
    }
};

std::string engine_name(ReconvergenceEngineKind engine, unsigned level) {
    constexpr std::array<const char *, 3> kNames = {"ConvergenceBarrier", "SimtStack", "TokenStack"};
    return std::string(kNames.at(static_cast<std::size_t>(engine))) + "O" + std::to_string(level);
}

std::string parameter_name(const testing::TestParamInfo<Meetings::ParamType> &info) {
    return engine_name(std::get<0>(info.param), std::get<1>(info.param));
}

const auto kEngines = testing::Values(ReconvergenceEngineKind::kConvergenceBarrier, ReconvergenceEngineKind::kSimtStack,
                                      ReconvergenceEngineKind::kTokenStack);
const auto kLevels = testing::Values(0U, 3U);

INSTANTIATE_TEST_SUITE_P(Engines, Meetings, testing::Combine(kEngines, kLevels), parameter_name);

/// `one` for threads below 16 and `other` for the rest, each of which leaves its result in %r3; %r2 is the parity and
/// %p2 is set for even threads.
std::string two_sides(const std::string &one, const std::string &other) {
    return R"(
    and.b32 %r2, %r0, 1;
    setp.eq.u32 %p2, %r2, 0;
    mov.u32 %r9, -1;
    setp.lt.u32 %p1, %r0, 16;
    @!%p1 bra OTHER;
)" + one + "\n    bra AFTER;\nOTHER:\n" +
           other + "\nAFTER:\n    st.global.u32 [%rd1], %r3;\n    ret;";
}

/// One side, another side, and the expected results.
struct TwoPlaces {
    const char *name;
    const char *one;
    const char *other; ///< nullptr: the same
    std::uint64_t (*value)(unsigned thread);
};

const TwoPlaces kTwoPlaces[] = {
    {"Ballot", "vote.sync.ballot.b32 %r3, %p2, -1;", nullptr, [](unsigned) -> std::uint64_t { return 0x55555555; }},
    {"BallotByARegister", "vote.sync.ballot.b32 %r3, %p2, %r9;", nullptr,
     [](unsigned) -> std::uint64_t { return 0x55555555; }},
    {"Any", "setp.eq.u32 %p3, %r0, 20; vote.sync.any.pred %p4, %p3, -1; selp.u32 %r3, 1, 0, %p4;", nullptr,
     [](unsigned) -> std::uint64_t { return 1; }},
    {"All", "setp.ne.u32 %p3, %r0, 20; vote.sync.all.pred %p4, %p3, -1; selp.u32 %r3, 1, 0, %p4;", nullptr,
     [](unsigned) -> std::uint64_t { return 0; }},
    {"Match", "match.any.sync.b32 %r3, %r2, -1;", nullptr,
     [](unsigned t) -> std::uint64_t { return 0x55555555U << t % 2; }},
    {"Redux", "redux.sync.add.u32 %r3, %r0, -1;", nullptr, [](unsigned) -> std::uint64_t { return 496; }},
    {"Shuffle", "shfl.sync.bfly.b32 %r3, %r0, 16, 31, -1;", nullptr,
     [](unsigned t) -> std::uint64_t { return t ^ 16; }},
    {"ShuffleOfOtherLanes", "shfl.sync.idx.b32 %r3, %r0, 31, 31, -1;",
     "mov.u32 %r4, 3; shfl.sync.idx.b32 %r3, %r0, %r4, 31, %r9;",
     [](unsigned t) -> std::uint64_t { return t < 16 ? 31 : 3; }},
    {"Halves", "vote.sync.ballot.b32 %r3, %p2, 0xffff;", "vote.sync.ballot.b32 %r3, %p2, 0xffff0000;",
     [](unsigned t) -> std::uint64_t { return t < 16 ? 0x5555U : 0x55550000U; }},
    {"HalvesByARegister", "mov.u32 %r4, 0xffff; redux.sync.add.u32 %r3, %r0, %r4;",
     "activemask.b32 %r4; redux.sync.add.u32 %r3, %r0, %r4;",
     [](unsigned t) -> std::uint64_t { return t < 16 ? 120 : 376; }},
};

/// Members of the group that thread `t` names: every third.
std::uint32_t group(unsigned t) {
    std::uint32_t mask = 0;
    for (unsigned other = t % 3; other < 32; other += 3) {
        mask |= 1U << other;
    }
    return mask;
}

std::uint32_t sum_of_group(unsigned t) {
    std::uint32_t sum = 0;
    for (unsigned other = t % 3; other < 32; other += 3) {
        sum += other;
    }
    return sum;
}

/// An operation of groups whose masks are in %r9; %r2 is the number of the group, %r4 the parity.
struct OfGroups {
    const char *name;
    const char *operation;
    std::uint64_t (*value)(unsigned thread);
};

const OfGroups kOfGroups[] = {
    {"Ballot", "vote.sync.ballot.b32 %r3, %p1, %r9;", [](unsigned t) -> std::uint64_t { return group(t) & 0xffffU; }},
    {"Any", "setp.ne.u32 %p2, %r2, 0; vote.sync.any.pred %p3, %p2, %r9; selp.u32 %r3, 1, 0, %p3;",
     [](unsigned t) -> std::uint64_t { return t % 3 != 0 ? 1 : 0; }},
    {"All", "setp.ne.u32 %p2, %r2, 0; vote.sync.all.pred %p3, %p2, %r9; selp.u32 %r3, 1, 0, %p3;",
     [](unsigned t) -> std::uint64_t { return t % 3 != 0 ? 1 : 0; }},
    {"Uniform", "setp.ne.u32 %p2, %r2, 0; vote.sync.uni.pred %p3, %p2, %r9; selp.u32 %r3, 1, 0, %p3;",
     [](unsigned) -> std::uint64_t { return 1; }},
    {"NotUniform", "setp.ne.u32 %p2, %r4, 0; vote.sync.uni.pred %p3, %p2, %r9; selp.u32 %r3, 1, 0, %p3;",
     [](unsigned) -> std::uint64_t { return 0; }},
    {"MatchAny", "match.any.sync.b32 %r3, %r4, %r9;",
     [](unsigned t) -> std::uint64_t { return group(t) & 0x55555555U << t % 2; }},
    {"MatchAll", "match.all.sync.b32 %r3|%p4, %r2, %r9;", [](unsigned t) -> std::uint64_t { return group(t); }},
    {"MatchNotAll", "match.all.sync.b32 %r3|%p4, %r4, %r9; selp.u32 %r3, 1, %r3, %p4;",
     [](unsigned) -> std::uint64_t { return 0; }},
    {"ReduxMax", "redux.sync.max.u32 %r3, %r0, %r9;",
     [](unsigned t) -> std::uint64_t { return 31U - static_cast<unsigned>(std::countl_zero(group(t))); }},
    {"TwoRedux", "redux.sync.add.u32 %r5, %r0, %r9; redux.sync.or.b32 %r3, %r0, %r9; mad.lo.u32 %r3, %r5, 1000, %r3;",
     [](unsigned t) -> std::uint64_t { return sum_of_group(t) * 1000 + 31; }},
};

using Case = std::tuple<ReconvergenceEngineKind, unsigned, std::size_t>;

class Cases : public testing::TestWithParam<Case> {
  protected:
    static void expect(const std::string &body, std::uint64_t (*value)(unsigned)) {
        const auto out = run_body(body, 32, "", {.level = std::get<1>(GetParam()), .engine = std::get<0>(GetParam())});
        for (unsigned t = 0; t < 32; ++t) {
            EXPECT_EQ(out[t], value(t)) << t;
        }
    }
};

class MeetingsAtTwoPlaces : public Cases {};
class MeetingsOfGroups : public Cases {};

template <const auto &kCases> std::string case_name(const testing::TestParamInfo<Case> &info) {
    return kCases[std::get<2>(info.param)].name + std::string("On") +
           engine_name(std::get<0>(info.param), std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Operations, MeetingsAtTwoPlaces,
                         testing::Combine(kEngines, kLevels, testing::Range(std::size_t{0}, std::size(kTwoPlaces))),
                         case_name<kTwoPlaces>);
INSTANTIATE_TEST_SUITE_P(Operations, MeetingsOfGroups,
                         testing::Combine(kEngines, kLevels, testing::Range(std::size_t{0}, std::size(kOfGroups))),
                         case_name<kOfGroups>);

/// Threads meet that execute one operation with one mask on different sides of a branch.
TEST_P(MeetingsAtTwoPlaces, AreAsIfTheWarpWereTogether) {
    const TwoPlaces &places = kTwoPlaces[std::get<2>(GetParam())];
    expect(two_sides(places.one, places.other == nullptr ? places.one : places.other), places.value);
}

/// Masks that differ between threads that reach one place together.
TEST_P(MeetingsOfGroups, AreOfTheMembersOfEachMask) {
    const OfGroups &groups = kOfGroups[std::get<2>(GetParam())];
    expect("    rem.u32 %r2, %r0, 3;\n    match.any.sync.b32 %r9, %r2, -1;\n    setp.lt.u32 %p1, %r0, 16;\n"
           "    and.b32 %r4, %r0, 1;\n    " +
               std::string(groups.operation) + "\n    st.global.u32 [%rd1], %r3;\n    ret;",
           groups.value);
}

TEST_P(Meetings, OfBarriersOfTheWarpAtTwoPlaces) {
    const std::string side = R"(
    st.shared.u32 [%r4], %r0;
    bar.warp.sync -1;
    ld.shared.u32 %r3, [%r5];)";
    expect("    .shared .align 4 .b8 words[128];\n    mov.u32 %r6, words;\n    shl.b32 %r4, %r0, 2;\n"
           "    add.u32 %r4, %r4, %r6;\n    xor.b32 %r5, %r4, 64;\n" +
               two_sides(side, side + "\n    add.u32 %r3, %r3, 100;"),
           32, [](unsigned t) { return (t ^ 16) + (t < 16 ? 0 : 100); });
}

/// Three sides of two branches, with two operations each, in the same order.
TEST_P(Meetings, OfSeveralOperationsOnThreeSides) {
    const auto side = [](unsigned number) {
        return "    add.u32 %r3, %r0, " + std::to_string(number) +
               ";\n    shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;\n    add.u32 %r4, %r4, " + std::to_string(10 * number) +
               ";\n    redux.sync.add.u32 %r5, %r4, -1;\n    mad.lo.u32 %r3, %r4, 100000, %r5;\n";
    };
    const auto number = [](unsigned t) { return t < 8 ? 1U : t < 20 ? 2U : 3U; };
    const auto shuffled = [&](unsigned t) { return (t ^ 1) + number(t ^ 1) + 10 * number(t); };
    unsigned sum = 0;
    for (unsigned t = 0; t < 32; ++t) {
        sum += shuffled(t);
    }
    expect("    setp.lt.u32 %p1, %r0, 8;\n    @%p1 bra FIRST;\n    setp.lt.u32 %p2, %r0, 20;\n    @%p2 bra SECOND;\n" +
               side(3) + "    bra AFTER;\nFIRST:\n" + side(1) + "    bra AFTER;\nSECOND:\n" + side(2) +
               "AFTER:\n    st.global.u32 [%rd1], %r3;\n    ret;",
           32, [&](unsigned t) { return std::uint64_t{shuffled(t)} * 100000 + sum; });
}

TEST_P(Meetings, UnderGuardsOfTheirMembers) {
    expect(R"(
    mov.u32 %r3, 7;
    setp.lt.u32 %p1, %r0, 10;
    @%p1 shfl.sync.idx.b32 %r3, %r0, 4, 31, 0x3ff;
    @!%p1 redux.sync.min.u32 %r3, %r0, 0xfffffc00;
    st.global.u32 [%rd1], %r3;
    ret;)",
           32, [](unsigned t) { return t < 10 ? 4U : 10U; });
}

TEST_P(Meetings, UnderAGuardThatMembersLackAreAnException) {
    const std::string message = exception(R"(
    setp.lt.u32 %p1, %r0, 10;
    @%p1 redux.sync.min.u32 %r3, %r0, -1;
    st.global.u32 [%rd1], %r3;
    @!%p1 redux.sync.max.u32 %r3, %r0, -1;
    st.global.u32 [%rd1], %r3;
    ret;)",
                                          32);
    EXPECT_TRUE(message.starts_with(apart())) << message;
}

TEST_P(Meetings, InARoundOfALoopThatSomeHaveLeft) {
    expect(R"(
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
ROUND:
    activemask.b32 %r9;
    and.b32 %r4, %r0, 1;
    setp.eq.u32 %p1, %r4, 0;
    @%p1 bra EVEN;
    redux.sync.add.u32 %r5, %r0, %r9;
    bra NEXT;
EVEN:
    redux.sync.add.u32 %r5, %r4, %r9;
NEXT:
    add.u32 %r3, %r3, %r5;
    add.u32 %r2, %r2, 1;
    shr.u32 %r6, %r0, 3;
    setp.le.u32 %p2, %r2, %r6;
    @%p2 bra ROUND;
    st.global.u32 [%rd1], %r3;
    ret;)",
           32, [](unsigned t) {
               unsigned sum = 0;
               for (unsigned round = 0; round <= t / 8; ++round) {
                   for (unsigned other = 1; other < 32; other += 2) {
                       sum += other / 8 >= round ? other : 0;
                   }
               }
               return sum;
           });
}

TEST_P(Meetings, ThatThreadsCannotReachAreAnException) {
    // One side in its own loop.
    const std::string message = exception(R"(
    setp.lt.u32 %p1, %r0, 16;
    mov.u32 %r2, 0;
    @!%p1 bra OTHER;
ROUND:
    vote.sync.ballot.b32 %r3, %p1, -1;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, %r0;
    @%p2 bra ROUND;
    bra AFTER;
OTHER:
    vote.sync.ballot.b32 %r3, %p1, -1;
AFTER:
    st.global.u32 [%rd1], %r3;
    bar.sync 0;
    ret;)",
                                          32);
    EXPECT_TRUE(message.starts_with(apart())) << message;
    EXPECT_NE(message.find("(test.ptx:2"), std::string::npos) << message;
}

const std::string kShuffles = R"(
.func (.param .b32 r) plain(.param .b32 a)
{
    .reg .b32 %x<4>;
    ld.param.b32 %x0, [a];
    shfl.sync.bfly.b32 %x1, %x0, 1, 31, -1;
    st.param.b32 [r], %x1;
    ret;
}
.func (.param .b32 r) other(.param .b32 a)
{
    .reg .b32 %x<4>;
    .param .b32 p;
    .param .b32 q;
    ld.param.b32 %x0, [a];
    st.param.b32 [p], %x0;
    call.uni (q), plain, (p);
    ld.param.b32 %x1, [q];
    add.u32 %x1, %x1, 1;
    st.param.b32 [r], %x1;
    ret;
}
)";

/// Threads from `border` on call another function; every fifth thread of each eight has already ended.
std::string calls(const std::string &border) {
    return R"(
    .param .b32 x;
    .param .b32 y;
    mov.u32 %r3, 0;
    and.b32 %r2, %r0, 7;
    setp.eq.u32 %p2, %r2, 5;
    @%p2 ret;
    setp.lt.u32 %p1, %r0, )" +
           border + R"(;
    st.param.b32 [x], %r0;
    @!%p1 bra OTHER;
    call (y), plain, (x);
    bra AFTER;
OTHER:
    call (y), other, (x);
AFTER:
    ld.param.b32 %r3, [y];
    and.b32 %r4, %r0, 6;
    setp.ne.u32 %p2, %r4, 4;
    @%p2 st.global.u32 [%rd1], %r3;
    ret;)";
}

TEST_P(Meetings, InFunctionsThatWarpsCallAsAWhole) {
    expect(
        calls("32"), 52, [](unsigned t) { return (t & 6) == 4 ? 0 : (t ^ 1) + (t < 32 ? 0 : 1); }, kShuffles);
}

TEST_P(Meetings, InFunctionsThatPartsOfAWarpCallAreAnExceptionUnlessTheyBecomeOnePlace) {
    const std::string message = exception(calls("16"), 32, kShuffles);
    if (std::get<1>(GetParam()) == 0) {
        // If the threads have different places, they meet in the function that both call.
        const bool meets = std::get<0>(GetParam()) == ReconvergenceEngineKind::kConvergenceBarrier;
        EXPECT_TRUE(meets ? message.empty() : message.starts_with(apart())) << message;
    } else {
        EXPECT_EQ(message, "");
    }
}

/// An operation whose mask leaves out threads that execute it; the warp is together. %r6 holds 0x1f, %r7 all lanes
/// except its own.
class OutsideOfTheMask : public testing::TestWithParam<std::tuple<ReconvergenceEngineKind, unsigned, const char *>> {};

INSTANTIATE_TEST_SUITE_P(
    Engines, OutsideOfTheMask,
    testing::Combine(kEngines, kLevels,
                     testing::Values("vote.sync.ballot.b32 %r3, %p1, 0x1f;", "vote.sync.all.pred %p2, %p1, %r6;",
                                     "match.any.sync.b32 %r3, %r0, 0;", "redux.sync.add.u32 %r3, %r0, 0x1f;",
                                     "redux.sync.add.u32 %r3, %r0, %r6;", "redux.sync.add.u32 %r3, %r0, %r7;",
                                     "shfl.sync.idx.b32 %r3, %r0, 0, 31, 0x1f;",
                                     "shfl.sync.idx.b32 %r3, %r0, 0, 31, %r7;", "bar.warp.sync 0x1f;",
                                     "bar.warp.sync %r7;")));

TEST_P(OutsideOfTheMask, ThreadsAreAnException) {
    const auto &[engine, level, operation] = GetParam();
    const std::string message =
        run_kernel(kernel_with(std::string("ld.global.u32 %r6, [%rd0];\n    add.u32 %r6, %r6, 0x1f;\n"
                                           "    mov.u32 %r7, %lanemask_eq;\n    not.b32 %r7, %r7;\n"
                                           "    setp.ge.u32 %p1, %r6, 0;\n    ") +
                               operation + "\n    st.global.u32 [%rd1], %r3;\n    ret;"),
                   32, {.level = level, .engine = engine})
            .exception;
    const bool checked = engine == ReconvergenceEngineKind::kSimtStack;
    EXPECT_TRUE(message.starts_with(checked ? "Trap: " : "WarpSyncMembership: ")) << message;
    EXPECT_NE(message.find("(test.ptx:21): "), std::string::npos) << message;
}

/// Two groups that each have all threads of their mask are not such a case, and the whole warp costs nothing.
TEST_P(Meetings, ThreadsInsideOfTheirMasksPass) {
    expect("setp.lt.u32 %p1, %r0, 16;\n    selp.u32 %r2, 0xffff, 0xffff0000, %p1;\n"
           "    redux.sync.add.u32 %r3, %r0, %r2;\n    bar.warp.sync %r2;\n    st.global.u32 [%rd1], %r3;\n    ret;",
           32, [](unsigned t) { return t < 16 ? 120 : 376; });
}

TEST(MaskChecks, CostNothingForTheWholeWarpTogether) {
    for (const auto engine : {ReconvergenceEngineKind::kConvergenceBarrier, ReconvergenceEngineKind::kSimtStack,
                              ReconvergenceEngineKind::kTokenStack}) {
        const std::string code = compile_to_assembly(
            kernel_with("mov.u32 %r2, -1;\n    redux.sync.add.u32 %r3, %r0, %r2;\n    bar.warp.sync 0xffffffff;\n"
                        "    st.global.u32 [%rd1], %r3;\n    ret;"),
            "test.ptx", {.engine = engine});
        EXPECT_EQ(code.find("WARPSYNC"), std::string::npos) << code;
        EXPECT_EQ(code.find("TRAP"), std::string::npos) << code;
    }
}

TEST(MaskChecks, ReportThreadsThatTheMaskNamesWrongly) {
    const std::string message =
        run_kernel(kernel_with("setp.lt.u32 %p1, %r0, 16;\n    @!%p1 bra AFTER;\n"
                               "    shfl.sync.bfly.b32 %r3, %r0, 1, 31, -1;\nAFTER:\n    bar.sync 0;\n    ret;"),
                   32, {.engine = ReconvergenceEngineKind::kSimtStack})
            .exception;
    EXPECT_NE(message.find("(test.ptx:18): TRAP 0x6d61736b: "), std::string::npos) << message;
    EXPECT_NE(message.find("the mask of the operation names threads that are not here and have not ended"),
              std::string::npos)
        << message;
}

/// A check is generated only inside a region: after threads have ended, all remaining threads are together.
TEST(MaskChecks, AreGeneratedInRegionsOnly) {
    const CompileOptions options{.engine = ReconvergenceEngineKind::kSimtStack};
    const std::string ended = kernel_with("setp.lt.u32 %p1, %r0, 20;\n    @!%p1 exit;\n"
                                          "    shfl.sync.bfly.b32 %r3, %r0, 1, 31, -1;\n"
                                          "    st.global.u32 [%rd1], %r3;\n    ret;");
    EXPECT_EQ(compile_to_assembly(ended, "test.ptx", options).find("TRAP"), std::string::npos);
    const auto out = run_kernel(ended, 32, options);
    EXPECT_EQ(out.exception, "");
    EXPECT_EQ(out.out[18], 19U);
}

} // namespace
} // namespace smsim::ptx::tb

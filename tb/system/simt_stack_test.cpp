// Kernels for the engine simt_stack, end to end: what each thread computes, under every order of the sides, and the
// stack depth needed. Each thread stores one number, which is compared with the result of a loop on the host.
#include <array>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "tb/support/child_process.h"
#include "tb/system/simt_stack_run.h"

namespace smsim {
namespace {

using test::KernelRun;
using test::simt_stack::kernel;
using test::simt_stack::run;
using ::testing::HasSubstr;

constexpr std::array kOrders = {"minority_first", "fallthrough_first", "taken_first"};

using Thread = std::function<std::uint32_t(std::uint32_t)>;

std::string wrong(const KernelRun &ran, const Thread &expected) {
    return test::wrong_numbers(ran, expected);
}

/// Runs the kernel with 64 threads under every order, with separate branch pipelines and a shared one.
void expect_numbers(const std::string &text, const Thread &expected, unsigned threads = 64) {
    for (const char *order : kOrders) {
        for (const char *pipelines : {"4", "1"}) {
            const std::vector<std::string> settings = {fmt::format("bru.simt_stack.order={}", order),
                                                       fmt::format("bru.pipelines={}", pipelines)};
            EXPECT_TRUE(test::run_in_child([&] {
                if (const std::string what = wrong(run(text, threads, settings), expected); !what.empty()) {
                    throw std::runtime_error(what);
                }
            })) << order
                << ", pipelines " << pipelines;
        }
    }
}

const std::string kIfElse = kernel(R"(
    LOP3 R5, R0, 0x1, RZ, 0xc0;
    SETRPC join;
    VBEQ R5, RZ, even;
    IADD3 R4, R0, 0x64, RZ;
    BRA join;
even:
    IMAD R4, R0, 0x3, RZ;
join:
    JOIN;
    IADD3 R4, R4, 0x1, RZ;
)");
constexpr Pc kIfElseJoin = 0xa0;

std::uint32_t if_else(std::uint32_t tid) {
    return (tid % 2 == 0 ? 3 * tid : tid + 100) + 1;
}

TEST(SimtStackKernel, IfElse) {
    expect_numbers(kIfElse, if_else);
}

TEST(SimtStackKernel, ABranchCostsThreeExecutionsOfItsJoinAndTwoEntries) {
    const KernelRun ran = run(kIfElse, 32);
    ASSERT_EQ(wrong(ran, if_else), "");
    EXPECT_EQ(ran.executions(kIfElseJoin), 3U);
    EXPECT_EQ(ran.counter("stack_pushes"), 2U);
    EXPECT_EQ(ran.counter("stack_depth"), 2U);
    const BranchStats &branch = ran.result.stats.bru.branches.begin()->second;
    EXPECT_EQ(branch.diverged, 1U);
    EXPECT_EQ(branch.reconverged, 1U);
}

TEST(SimtStackKernel, NestedBranches) {
    expect_numbers(kernel(R"(
    LOP3 R5, R0, 0x1, RZ, 0xc0;
    LOP3 R6, R0, 0x6, RZ, 0xc0;
    MOV R7, 0x14;
    SETRPC outer;
    VBGEU R0, R7, large;
    SETRPC inner;
    VBNE R5, RZ, odd;
    MOV R4, 0x1;
    SETRPC inmost;
    VBEQ R6, RZ, inmost;
    IADD3 R4, R4, R6, RZ;
inmost:
    JOIN;
    BRA inner;
odd:
    MOV R4, 0x2;
inner:
    JOIN;
    SHL R4, R4, 0x4;
    BRA outer;
large:
    IADD3 R4, R4, R0, RZ;
outer:
    JOIN;
    IADD3 R4, R4, 0x1, RZ;
)"),
                   [](std::uint32_t tid) {
                       if (tid >= 20) {
                           return tid + 1;
                       }
                       return ((tid % 2 == 1 ? 2 : 1 + (tid & 6)) << 4) + 1;
                   });
}

/// Thread t leaves after t rounds, at the head; R4 = 0 + 1 + .. + (t - 1).
const std::string kLeaveAtTheHead = kernel(R"(
    MOV R6, RZ;
loop:
    SETRPC out;
    VBGE R6, R0, out;
    IADD3 R4, R4, R6, RZ;
    IADD3 R6, R6, 0x1, RZ;
    BRA loop;
out:
    JOIN;
)");
/// Thread t leaves after t + 1 rounds, at the end; R4 = 0 + 1 + .. + t.
const std::string kLeaveAtTheEnd = kernel(R"(
    MOV R6, RZ;
loop:
    IADD3 R4, R4, R6, RZ;
    IADD3 R6, R6, 0x1, RZ;
    SETRPC out;
    VBGE R0, R6, loop;
out:
    JOIN;
)");

TEST(SimtStackKernel, ALoopThatThreadsLeaveOneAtATime) {
    expect_numbers(kLeaveAtTheHead, [](std::uint32_t tid) { return tid * (tid - 1) / 2; });
    expect_numbers(kLeaveAtTheEnd, [](std::uint32_t tid) { return tid * (tid + 1) / 2; });
}

struct Bound {
    const char *order;
    bool at_the_head;
    unsigned entries;
    friend void PrintTo(const Bound &bound, std::ostream *out) {
        *out << bound.order << (bound.at_the_head ? ", left at the head" : ", left at the end");
    }
};

class SimtStackDepths : public testing::TestWithParam<Bound> {
  protected:
    static KernelRun run_with(std::uint64_t depth) {
        return run(
            GetParam().at_the_head ? kLeaveAtTheHead : kLeaveAtTheEnd, 32,
            {fmt::format("bru.simt_stack.order={}", GetParam().order), fmt::format("bru.simt_stack.depth={}", depth)});
    }
};

TEST_P(SimtStackDepths, OfALoopThatThreadsLeaveOneAtATimeAreReached) {
    const KernelRun ran = run_with(GetParam().entries);
    EXPECT_TRUE(ran.result.completed()) << ran.result.exception;
    EXPECT_EQ(ran.counter("stack_depth"), GetParam().entries);
}

TEST_P(SimtStackDepths, OverflowWithOneEntryLess) {
    const KernelRun ran = run_with(GetParam().entries - 1);
    EXPECT_EQ(ran.result.fault, Fault::kStackOverflow);
    EXPECT_EQ(ran.counter("stack_overflows"), 1U);
}

INSTANTIATE_TEST_SUITE_P(All, SimtStackDepths,
                         testing::Values(Bound{"minority_first", true, 32}, Bound{"minority_first", false, 32},
                                         Bound{"fallthrough_first", true, 62}, Bound{"taken_first", false, 62}),
                         [](const auto &one) {
                             return fmt::format("{}_{}", one.param.order, one.param.at_the_head ? "head" : "end");
                         });

TEST(SimtStackKernel, ABreakLeavesALoopWithABranchInside) {
    expect_numbers(kernel(R"(
    MOV R6, RZ;
    MOV R7, 0x8;
    MOV R8, 0x1e;
loop:
    SETRPC out;
    VBGE R6, R7, out;
    IMAD R9, R0, R6, RZ;
    SETRPC out;
    VBGE R9, R8, out;
    LOP3 R10, R6, R0, RZ, 0xc0;
    SETRPC next;
    VBEQ R10, RZ, next;
    IADD3 R4, R4, R6, RZ;
next:
    JOIN;
    IADD3 R6, R6, 0x1, RZ;
    BRA loop;
out:
    JOIN;
    IMAD R4, R4, 0x10, R6;
)"),
                   [](std::uint32_t tid) {
                       std::uint32_t sum = 0;
                       std::uint32_t i = 0;
                       for (; i < 8 && tid * i < 30; ++i) {
                           sum += (i & tid) != 0 ? i : 0;
                       }
                       return 16 * sum + i;
                   });
}

TEST(SimtStackKernel, AFunctionThatBranchesIsCalledFromBothSides) {
    expect_numbers(kernel(R"(
    LOP3 R5, R0, 0x1, RZ, 0xc0;
    SETRPC join;
    VBEQ R5, RZ, even;
    MOV R6, 0x5;
    LEPC R[16:17], `(back_1 - .);
    CALL.REL scale;
back_1:
    BRA join;
even:
    MOV R6, 0x7;
    LEPC R[16:17], `(back_2 - .);
    CALL.REL scale;
back_2:
    IADD3 R4, R4, 0x1, RZ;
join:
    JOIN;
)",
                          R"(
scale:
    MOV R8, 0x10;
    SETRPC scaled;
    VBLT R0, R8, low;
    IMAD R4, R6, R0, RZ;
    BRA scaled;
low:
    IADD3 R4, R6, R0, RZ;
scaled:
    JOIN;
    RET.ABS R[16:17], 0x0;
)"),
                   [](std::uint32_t tid) {
                       const std::uint32_t factor = tid % 2 == 0 ? 7 : 5;
                       return (tid < 16 ? factor + tid : factor * tid) + (tid % 2 == 0 ? 1 : 0);
                   });
}

TEST(SimtStackKernel, ThreadsThatExitWaitAtTheOneEnd) {
    expect_numbers(kernel(R"(
    MOV R5, 0x28;
    SETRPC end;
    VBGEU R0, R5, end;
    LOP3 R6, R0, 0x3, RZ, 0xc0;
    SETRPC end;
    VBEQ R6, RZ, end;
    SETRPC join;
    VBLT R6, R1, join;
join:
    JOIN;
    MOV R4, 0x9;
)"),
                   [](std::uint32_t tid) { return tid < 40 && tid % 4 != 0 ? 9U : 0U; });
}

TEST(SimtStackKernel, BarriersBetweenBranchesWaitForAliveWarps) {
    for (const char *barrier : {"BARRIER", "BAR.SYNC 0x3, 0x40"}) {
        expect_numbers(
            kernel(fmt::format(R"(
    MOV R5, 0x40;
    SETRPC end;
    VBGEU R0, R5, end;
    LOP3 R6, R0, 0x1, RZ, 0xc0;
    MOV R7, R0;
    SETRPC join;
    VBEQ R6, RZ, join;
    IADD3 R7, R7, 0x64, RZ;
join:
    JOIN;
    SHL R8, R0, 0x2;
    STS [R8], R7;
    {};
    IADD3 R9, -R0, 0x3f, RZ;
    SHL R9, R9, 0x2;
    LDS R4, [R9];
)",
                               barrier)),
            [](std::uint32_t tid) {
                if (tid >= 64) {
                    return 0U; // of a warp that ends without it
                }
                const std::uint32_t other = 63 - tid;
                return other + (other % 2 == 1 ? 100 : 0);
            },
            96);
    }
}

const std::string kBarrierOnOneSide = kernel(R"(
    LOP3 R5, R0, 0x1, RZ, 0xc0;
    SETRPC join;
    VBEQ R5, RZ, join;
    MOV R4, 0x1;
    BARRIER;
join:
    JOIN;
    SETRPC last;
    VBEQ R5, RZ, even;
    BAR.SYNC 0x1;
    BRA last;
even:
    BAR.SYNC 0x1;
last:
    JOIN;
)");

TEST(SimtStackKernel, ABarrierIsForOneSideWhenTheOtherHasNothingToDoAndElseDiverged) {
    const KernelRun ran = run(kBarrierOnOneSide, 32);
    EXPECT_EQ(ran.result.fault, Fault::kBarrierDiverged);
    EXPECT_THAT(ran.result.exception, HasSubstr("BAR.SYNC 0x1")) << "the BARRIER before was none's second arrival";
}

TEST(SimtStackKernel, WithoutTheCheckEachSideArrives) {
    const KernelRun ran = run(kernel(R"(
    LOP3 R5, R0, 0x1, RZ, 0xc0;
    SETRPC join;
    VBEQ R5, RZ, even;
    BARRIER;
    MOV R4, 0x1;
    BRA join;
even:
    BARRIER;
    MOV R4, 0x2;
join:
    JOIN;
)"),
                              32, {"bru.simt_stack.barrier_check=false"});
    EXPECT_EQ(wrong(ran, [](std::uint32_t tid) { return 2 - tid % 2; }), "");
    EXPECT_EQ(ran.result.stats.bcu.barriers[0].arrivals, 2U);
}

TEST(SimtStackKernel, UniformBranchesTablesSleepAndWarpsync) {
    const std::string text = kernel(R"(
    S2R R5, SR_WARPID;
    ISETP.EQ.AND P0, PT, R5, RZ, PT;
    @P0 BRA.U first;
    MOV R4, 0x10;
first:
    WARPSYNC 0xffffffff;
    NANOSLEEP 0x64;
    SHL R6, R5, 0x5;
    BRX R6, 0x0;
    IADD3 R4, R4, 0x1, RZ;
    BRA join;
    IADD3 R4, R4, 0x2, RZ;
    BRA join;
join:
    LOP3 R7, R0, 0x1, RZ, 0xc0;
    SETRPC joined;
    VBEQ R7, RZ, joined;
    WARPSYNC 0xffffffff;
joined:
    JOIN;
)");
    const KernelRun ran = run(text, 64);
    EXPECT_EQ(wrong(ran, [](std::uint32_t tid) { return tid < 32 ? 1U : 18U; }), "");
    EXPECT_EQ(ran.counter("warpsync_partial"), 2U) << "of one side in each warp";
    EXPECT_EQ(ran.result.stats.bru.sleeps, 2U);
    EXPECT_EQ(ran.result.stats.bru.warp_sleeps, 2U);
}

// The holder waits at the JOIN of the loop for the spinning threads, and they wait for the holder.
TEST(SimtStackKernel, ASpinLockBetweenThreadsOfAWarpEndsInTheWatchdog) {
    const std::string text = kernel(R"(
    MOV R8, c[0x0][0x160];
    MOV R9, c[0x0][0x164];
    MOV R6, 0x1;
acquire:
    ATOMG.CAS R5, [R[8:9]], RZ, R6;
    SETRPC got;
    VBNE R5, RZ, acquire;
got:
    JOIN;
    ATOMG.EXCH R5, [R[8:9]], RZ;
)");
    const KernelRun ran = run(text, 32, {"sm.watchdog_cycles=50000"});
    EXPECT_EQ(ran.result.fault, Fault::kWatchdog);
    EXPECT_THAT(ran.result.exception, HasSubstr("active 0xfffffffe")) << ran.result.exception;
}

TEST(SimtStackKernel, OfAnotherEngineIsRefused) {
    const Config config;
    const Program program = assemble(kIfElse, "k.sasm", timing::SchedulingModel(config));
    session::Session session(config);
    launch::Launch what;
    what.path = "test";
    EXPECT_THAT(
        [&] { session.launch(program, program.kernels.at(0), what, {}); },
        testing::ThrowsMessage<InputError>(HasSubstr("its program 'k.sasm' is for the reconvergence engine simt_stack; "
                                                     "this SM has convergence_barrier (bru.engine)")));
}

} // namespace
} // namespace smsim

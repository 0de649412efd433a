// Kernels for the engine token_stack, end to end: what each thread computes, whichever group of a divergence runs
// first and however small the stack is. Each thread stores one number, which is compared with the result of a loop on
// the host.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/support/child_process.h"
#include "tb/system/engine_run.h"
#include "tb/system/token_stack_kernels.h"

namespace smsim {
namespace {

using test::KernelRun;
using test::token_stack::Kernel;
using ::testing::HasSubstr;

KernelRun run(const std::string &text, unsigned threads, const std::vector<std::string> &settings = {}) {
    return test::run_for_engine("token_stack", text, threads, settings);
}

std::string wrong(const KernelRun &ran, const Kernel &kernel) {
    return test::wrong_numbers(ran, kernel.expected);
}

class TokenStackKernels : public testing::TestWithParam<Kernel> {};

TEST_P(TokenStackKernels, GiveTheirNumbersUnderEveryOrderAndDepth) {
    const Kernel &kernel = GetParam();
    for (const char *order : {"fallthrough_first", "taken_first"}) {
        for (const char *depth : {"32", "1"}) {
            for (const char *pipelines : {"4", "1"}) {
                std::vector<std::string> settings = kernel.settings;
                settings.insert(settings.end(), {fmt::format("bru.token_stack.order={}", order),
                                                 fmt::format("bru.token_stack.depth={}", depth),
                                                 fmt::format("bru.pipelines={}", pipelines)});
                EXPECT_TRUE(test::run_in_child([&] {
                    if (const std::string what = wrong(run(kernel.text, 64, settings), kernel); !what.empty()) {
                        throw std::runtime_error(what);
                    }
                })) << order
                    << ", depth " << depth << ", pipelines " << pipelines;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, TokenStackKernels, testing::ValuesIn(test::token_stack::kernels()),
                         [](const auto &one) { return std::string(one.param.name); });

const Kernel &named(std::string_view name) {
    static const std::vector<Kernel> all = test::token_stack::kernels();
    return *std::ranges::find(all, name, &Kernel::name);
}

TEST(TokenStackRun, CountsADivergenceAndItsReconvergence) {
    const KernelRun ran = run(named("IfElse").text, 32);
    ASSERT_EQ(wrong(ran, named("IfElse")), "");
    const BranchStats &branch = ran.result.stats.bru.branches.begin()->second;
    EXPECT_EQ(branch.diverged, 1U);
    EXPECT_EQ(branch.reconverged, 1U);
    EXPECT_EQ(ran.counter("stack_pushes"), 2U);
    EXPECT_EQ(ran.counter("stack_depth"), 2U);
    EXPECT_EQ(ran.counter("tokens_spilled"), 0U);
}

TEST(TokenStackRun, SpillingKeepsThePipelineForItsCyclesEachWay) {
    const Kernel &kernel = named("Recursion");
    const KernelRun ran = run(kernel.text, 32, {"bru.token_stack.depth=2", "bru.token_stack.spill_cycles=50"});
    ASSERT_EQ(wrong(ran, kernel), "");
    EXPECT_EQ(ran.counter("stack_depth"), 5U);
    EXPECT_EQ(ran.counter("tokens_spilled"), 3U);
    EXPECT_EQ(ran.counter("tokens_filled"), 3U);
    const BruStats &bru = ran.result.stats.bru;
    EXPECT_EQ(bru.busy_cycles, bru.instructions + 6 * std::uint64_t{50});
}

TEST(TokenStackRun, ALoopClosedByABranchNeedsATokenPerThreadWhenThoseThatJumpGoFirst) {
    const Kernel &kernel = named("LoopClosedByABranch");
    EXPECT_TRUE(test::run_in_child([&] {
        if (const std::uint64_t depth = run(kernel.text, 32).counter("stack_depth"); depth != 2) {
            throw std::runtime_error(fmt::format("depth {}", depth));
        }
    }));
    const KernelRun ran = run(kernel.text, 32, {"bru.token_stack.order=taken_first"});
    EXPECT_EQ(wrong(ran, kernel), "");
    EXPECT_EQ(ran.counter("stack_depth"), 32U); // SYNC and 31 times DIV
}

TEST(TokenStackRun, WithoutSpillingADeepStackIsStackOverflow) {
    const KernelRun ran = run(named("Recursion").text, 32, {"bru.token_stack.depth=2", "bru.token_stack.spill=false"});
    EXPECT_THAT(ran.result.exception, HasSubstr("StackOverflow"));
    EXPECT_THAT(ran.result.exception, HasSubstr("1 token on a stack of 2, which holds 2"));
}

TEST(TokenStackRun, CallsBeyondTheLimitAreSkippedAndCounted) {
    const KernelRun ran = run(named("Recursion").text, 32, {"bru.token_stack.call_limit=3"});
    ASSERT_TRUE(ran.result.completed()) << ran.result.exception;
    for (std::uint32_t tid = 0; tid < 32; ++tid) {
        const std::uint32_t n = tid % 4 + 2;
        EXPECT_EQ(ran.numbers[tid], n + (n - 1) + (n > 2 ? n - 2 : 0)) << tid;
    }
    EXPECT_EQ(ran.counter("calls_at_limit"), 1U);
}

TEST(TokenStackRun, PretAtTheLimitMakesTheNextBranchANop) {
    const KernelRun ran = run(named("ConditionalCall").text, 32, {"bru.token_stack.call_limit=1"});
    ASSERT_TRUE(ran.result.completed()) << ran.result.exception;
    for (std::uint32_t tid = 0; tid < 32; ++tid) {
        EXPECT_EQ(ran.numbers[tid], 7U) << tid; // the inner function is not called
    }
    EXPECT_EQ(ran.counter("calls_at_limit"), 1U);
}

TEST(TokenStackRun, ASpinLockBetweenThreadsOfAWarpIsSeenToHang) {
    const KernelRun ran = run(test::token_stack::spin_lock(), 32, {"sm.watchdog_cycles=20000"});
    EXPECT_EQ(ran.result.fault, Fault::kWatchdog);
    EXPECT_THAT(ran.result.exception,
                HasSubstr("slot 0: threads 0x00000001 wait for 0xfffffffe, which run from 0x0070 on: 0x00000001 in "
                          "token 0 of the stack, BRK to 0x00b0"));
}

} // namespace
} // namespace smsim

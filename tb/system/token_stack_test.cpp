// Kernels for the engine token_stack, end to end: what each thread computes, whatever group of a divergence runs first
// and however small the stack is. Each thread stores one number, which is compared with that of a loop on the host.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/assembler/assembler.h"
#include "model/config/loader.h"
#include "session/session.h"
#include "tb/support/child_process.h"
#include "tb/system/token_stack_kernels.h"

namespace smsim {
namespace {

using test::token_stack::Kernel;
using ::testing::HasSubstr;

constexpr std::uint64_t kBuffer = 0x10000000;

struct KernelRun {
    session::LaunchResult result;
    std::vector<std::uint32_t> numbers;

    std::uint64_t counter(std::string_view name) const {
        for (const EngineCounter &one : result.stats.bru.engine) {
            if (one.name == name) {
                return one.value;
            }
        }
        throw std::out_of_range(std::string(name));
    }
};

/// Runs the one CTA of a kernel with `threads` threads; hazards are exceptions.
KernelRun run(const std::string &text, unsigned threads, std::vector<std::string> settings = {}) {
    settings.insert(settings.begin(), {"bru.engine=token_stack", "sm.hazard_check=true", "sm.hazard_fatal=true"});
    const Config config = load_config(std::nullopt, settings);
    const Program program = assemble(text, "k.sasm", timing::SchedulingModel(config));
    session::Session session(config);
    session.map(kBuffer, std::uint64_t{threads} * 4, "numbers");
    launch::Launch what;
    what.path = "test";
    what.block = {threads, 1, 1};
    what.arguments.resize(1);
    what.arguments[0].is_buffer = true;
    const std::array<std::uint64_t, 1> addresses{kBuffer};
    KernelRun ran;
    ran.result = session.launch(program, program.kernels.at(0), what, addresses);
    std::vector<std::uint8_t> bytes(std::size_t{threads} * 4);
    session.read(kBuffer, bytes);
    ran.numbers.resize(threads);
    std::memcpy(ran.numbers.data(), bytes.data(), bytes.size());
    return ran;
}

std::string wrong(const KernelRun &ran, const Kernel &kernel) {
    if (!ran.result.completed()) {
        return ran.result.exception;
    }
    for (std::uint32_t tid = 0; tid < ran.numbers.size(); ++tid) {
        if (ran.numbers[tid] != kernel.expected(tid)) {
            return fmt::format("thread {} gives {}; expected {}", tid, ran.numbers[tid], kernel.expected(tid));
        }
    }
    return {};
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

TEST(TokenStackRun, PretAtTheLimitMakesTheBranchBehindItANop) {
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
                HasSubstr("slot 0: threads 0x00000001 do not run before 0xfffffffe have left: BRK "
                          "0xffffffff at"));
}

} // namespace
} // namespace smsim

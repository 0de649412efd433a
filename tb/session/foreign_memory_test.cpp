// Kernels on memories as users could write them (docs/memory.md "What a global memory must do"): all checks pass where
// `global.atomics` fits the memory, and the requests of the SM follow that page.
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "tb/support/example_kernels.h"
#include "tb/support/foreign_memories.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string path_of(const std::string &launch) {
    return test::example_file(launch + ".yaml");
}

session::SimulationResult run_on(session::MemoryBackend &memory, const test::KernelLaunch &loaded) {
    session::Options options;
    options.memory = &memory;
    return session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
}

class OnForeignMemory : public testing::TestWithParam<std::tuple<const char *, bool>> {
  protected:
    template <typename Memory> void expect_right_results() {
        test::KernelLaunch loaded;
        test::load(loaded, path_of(std::get<0>(GetParam())),
                   {"global.atomics=read_write", std::get<1>(GetParam()) ? "l1.enabled=true" : "l1.enabled=false"});
        tb::ForeignBackend<Memory> memory;
        test::expect_checked(loaded, run_on(memory, loaded));
        EXPECT_THAT(memory.checker.violations(), testing::IsEmpty());
        EXPECT_GT(memory.checker.transactions(), 0U);
    }
};

TEST_P(OnForeignMemory, OfFourPhasesAndNoUnknownCommand) {
    expect_right_results<tb::FourPhaseMemory>();
}
TEST_P(OnForeignMemory, OfBlockingTransport) {
    expect_right_results<tb::BlockingMemory>();
}
TEST_P(OnForeignMemory, WithAProcessThatNeverEnds) {
    expect_right_results<tb::RefreshedMemory>();
}
TEST_P(OnForeignMemory, ThatTakesEverythingForAWrite) {
    expect_right_results<tb::CarelessMemory>();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, OnForeignMemory,
    testing::Combine(testing::Values("vector_add/launch", "matmul/launch_small", "histogram/launch", "bfs_step/launch",
                                     "spin_lock_yield/launch", "cuda_spmv/launch", "cuda_hash_table/launch"),
                     testing::Bool()),
    [](const auto &one) {
        std::string name = std::get<0>(one.param);
        std::ranges::replace(name, '/', '_');
        return name + (std::get<1>(one.param) ? "_with_l1" : "_without_l1");
    });

// --- a memory without atomics that claims to have them -------------------------------------------------------------

template <typename Memory> void expect_memory_error() {
    test::KernelLaunch loaded;
    test::load(loaded, path_of("histogram/launch"), {});
    tb::ForeignBackend<Memory> memory;
    const session::SimulationResult result = run_on(memory, loaded);
    EXPECT_EQ(result.fault, Fault::kMemoryError);
    EXPECT_THAT(result.exception, AllOf(HasSubstr("MemoryError"), HasSubstr("global.atomics=read_write")));
}
class FunctionalRunsOnForeignMemory : public testing::TestWithParam<const char *> {};

TEST_P(FunctionalRunsOnForeignMemory, HostAccessesGiveTheSameResults) {
    test::KernelLaunch loaded;
    test::load(loaded, path_of(GetParam()), {"global.atomics=read_write"});
    tb::ForeignBackend<tb::FourPhaseMemory> memory;
    session::Options options;
    options.memory = &memory;
    options.timed = session::TimedCtas::none();
    test::expect_checked(loaded,
                         session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options));
    EXPECT_EQ(memory.checker.transactions(), 0U) << "none of the SM";
}

TEST_P(FunctionalRunsOnForeignMemory, LaunchesContinueInTimeFromMidFlight) {
    test::KernelLaunch loaded;
    test::load(loaded, path_of(GetParam()), {"global.atomics=read_write"});
    tb::ForeignBackend<tb::FourPhaseMemory> memory;
    session::Options options;
    options.memory = &memory;
    options.timed = session::TimedCtas::from_instruction(1000);
    const session::SimulationResult result =
        session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
    test::expect_checked(loaded, result);
    EXPECT_EQ(result.untimed.instructions, 1000U);
    EXPECT_GT(memory.checker.transactions(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Kernels, FunctionalRunsOnForeignMemory,
                         testing::Values("matmul/launch_small", "histogram/launch", "cuda_spmv/launch",
                                         "cuda_interpreter/launch", "cuda_hash_table/launch"),
                         [](const auto &one) {
                             const std::string name = one.param;
                             return name.substr(0, name.find('/'));
                         });

TEST(NativeAtomics, OnAMemoryThatRefusesThemAreAMemoryError) {
    expect_memory_error<tb::FourPhaseMemory>();
}
TEST(NativeAtomics, OnAMemoryThatTakesThemForWritesAreAMemoryError) {
    expect_memory_error<tb::CarelessMemory>();
}

// --- requests that are lost ----------------------------------------------------------------------------------------

TEST(ForeignMemory, ThatLosesARequestEndsTheLaunchAtTheWatchdog) {
    test::KernelLaunch loaded;
    test::load(loaded, path_of("vector_add/launch"), {"sm.watchdog_cycles=5000"});
    tb::ForeignBackend<tb::RefreshedMemory> memory;
    memory.memory.loses_requests = true;
    const session::SimulationResult result = run_on(memory, loaded);
    EXPECT_EQ(result.fault, Fault::kWatchdog);
    EXPECT_THAT(result.exception, HasSubstr("\n  the memory has neither accepted nor answered a read of "))
        << "the process of the memory runs forever";
}

class ForeignMemoryThatForgets : public testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(ForeignMemoryThatForgets, IsNamedWithTheRequestAndWhoWaitsForIt) {
    const auto [with_l1, accepts] = GetParam();
    test::KernelLaunch loaded;
    test::load(loaded, path_of("vector_add/launch"), {with_l1 ? "l1.enabled=true" : "l1.enabled=false"});
    tb::ForeignBackend<tb::ForgetfulMemory> memory;
    memory.memory.forgets = 3;
    memory.memory.accepts = accepts;
    const session::SimulationResult result = run_on(memory, loaded);
    EXPECT_EQ(result.fault, Fault::kNoResponse);
    EXPECT_THAT(result.exception,
                AllOf(testing::StartsWith("NoResponse: kernel 'vector_add', CTA "), HasSubstr("vector_add.sasm:"),
                      HasSubstr(fmt::format("the memory has {} a read of {} bytes at {:#x} ('",
                                            accepts ? "accepted and not answered" : "neither accepted nor answered",
                                            memory.memory.lost_bytes, memory.memory.lost)),
                      HasSubstr("sent in cycle "), HasSubstr(" cycles ago")));
    ASSERT_TRUE(result.raised && result.raised->place);
    EXPECT_THAT(result.raised->place->instruction, HasSubstr("LDG"));
    EXPECT_LT(result.raised->place->issued, result.raised->cycle);
}

INSTANTIATE_TEST_SUITE_P(Requests, ForeignMemoryThatForgets, testing::Combine(testing::Bool(), testing::Bool()));

// --- what reaches the memory ---------------------------------------------------------------------------------------

struct Sent {
    const char *launch;
    unsigned line_bytes;       ///< 0: no L1
    unsigned sector_bytes = 0; ///< 0: whole lines
};

class Requests : public testing::TestWithParam<Sent> {};

TEST_P(Requests, KeepToCommandsSizesAndAddressesThatAreWritten) {
    const char *launch = GetParam().launch;
    const std::uint32_t line_bytes = GetParam().line_bytes;
    test::KernelLaunch loaded;
    test::load(loaded, path_of(launch),
               {"global.atomics=read_write", line_bytes == 0 ? "l1.enabled=false" : "l1.enabled=true",
                fmt::format("l1.line_bytes={}", line_bytes == 0 ? 128 : line_bytes),
                fmt::format("l1.sector_bytes={}", GetParam().sector_bytes)});
    const std::uint64_t sector = GetParam().sector_bytes == 0 ? line_bytes : GetParam().sector_bytes;
    const std::uint64_t row = line_bytes == 0 ? 128 : std::min(line_bytes, 128U);
    tb::ForeignBackend<tb::RefreshedMemory> memory;
    std::uint64_t requests = 0;
    memory.memory.on_request = [&](const tlm::tlm_generic_payload &payload) {
        ++requests;
        const std::uint64_t address = payload.get_address();
        const std::uint64_t bytes = payload.get_data_length();
        EXPECT_TRUE(payload.is_read() || payload.is_write());
        EXPECT_EQ(payload.get_streaming_width(), bytes);
        EXPECT_FALSE(payload.is_read() && payload.get_byte_enable_ptr() != nullptr);
        const bool fill = payload.is_read() && line_bytes != 0 && bytes % sector == 0 && address % sector == 0 &&
                          address / line_bytes == (address + bytes - 1) / line_bytes;
        EXPECT_TRUE(fill || (bytes <= row && address / row == (address + bytes - 1) / row))
            << bytes << " bytes at " << address;
        const bool of_the_program = address >= kGlobalDataBase;
        EXPECT_TRUE(of_the_program ? address - kGlobalDataBase < loaded.program.global_data_bytes
                                   : address >= 0x1000'0000 && address < loaded.config.global.bytes);
    };
    test::expect_checked(loaded, run_on(memory, loaded));
    EXPECT_GT(requests, 0U);
}
INSTANTIATE_TEST_SUITE_P(Kernels, Requests,
                         testing::Values(Sent{"cuda_spmv/launch", 0}, Sent{"cuda_spmv/launch", 32},
                                         Sent{"cuda_spmv/launch", 128}, Sent{"cuda_spmv/launch", 256},
                                         Sent{"cuda_spmv/launch", 256, 64}, Sent{"cuda_hash_table/launch", 0},
                                         Sent{"cuda_hash_table/launch", 128}, Sent{"histogram/launch", 0},
                                         Sent{"spin_lock_yield/launch", 128}),
                         [](const auto &one) {
                             std::string name = fmt::format("{}_{}_{}", one.param.launch, one.param.line_bytes,
                                                            one.param.sector_bytes);
                             std::ranges::replace(name, '/', '_');
                             return name;
                         });

} // namespace
} // namespace smsim

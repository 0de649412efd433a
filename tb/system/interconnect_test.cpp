// The SM and global memory with an interconnect between them that changes the address of every request and does not
// restore it: kernels give their results, with and without an L1, including reads that bypass it (.CG).
#include <ostream>

#include <gtest/gtest.h>

#include "memory/global_memory.h"
#include "model/config/config.h"
#include "model/launch/layout.h"
#include "model/protocol/clock.h"
#include "sm/streaming_multiprocessor.h"
#include "tb/support/address_router.h"
#include "tb/support/base_protocol_checker.h"
#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

constexpr std::uint64_t kOffset = 0x7000'0000'0000;

void fill(LaunchContext &context, const test::KernelLaunch &loaded, const launch::BufferLayout &layout) {
    context.program = &loaded.program;
    context.kernel = loaded.kernel;
    context.grid = {loaded.launch.grid[0], loaded.launch.grid[1], loaded.launch.grid[2]};
    context.block = {loaded.launch.block[0], loaded.launch.block[1], loaded.launch.block[2]};
    for (const auto &[number, bytes] : loaded.program.constants) {
        context.set_bank(number, bytes);
    }
    context.set_bank(0, launch::constant_bank0_bytes(loaded.launch, *loaded.kernel, layout.addresses));
    context.local_base = layout.end;
    context.local_bytes = (loaded.kernel->local_bytes + 15) / 16 * 16;
}

sm::Grid grid_of(const test::KernelLaunch &loaded) {
    sm::Grid grid;
    grid.ctas = loaded.launch.grid;
    grid.threads = loaded.launch.block;
    grid.entry = loaded.kernel->entry;
    grid.demand.threads = grid.threads[0] * grid.threads[1] * grid.threads[2];
    grid.demand.registers_per_thread = loaded.kernel->registers;
    grid.demand.shared_bytes = launch::shared_bytes(loaded.launch, *loaded.kernel);
    return grid;
}

struct Case {
    const char *kernel;
    bool l1;

    friend std::ostream &operator<<(std::ostream &out, const Case &one) {
        return out << one.kernel << (one.l1 ? "_with_l1" : "_without_l1");
    }
};

class Interconnect : public testing::TestWithParam<Case> {};

TEST_P(Interconnect, MayChangeAddresses) {
    test::KernelLaunch loaded;
    test::load(loaded, test::example_file(std::string(GetParam().kernel) + "/launch.yaml"),
               {GetParam().l1 ? "l1.enabled=true" : "l1.enabled=false"});
    const launch::BufferLayout layout = launch::lay_out_buffers(loaded.launch);
    LaunchContext context;
    fill(context, loaded, layout);
    sm::GridDistributor distributor("distributor");
    sm::StreamingMultiprocessor unit("sm", loaded.config, distributor);
    context.code_base = unit.place(loaded.program);
    tb::BaseProtocolChecker checker("checker");
    tb::AddressRouter router("router", kOffset);
    memory::GlobalMemory memory("memory", loaded.config.global, protocol::Clock(loaded.config).period());
    unit.global.bind(checker.from_initiator);
    checker.to_target.bind(router.from_initiator);
    router.to_target.bind(memory.socket);
    for (std::size_t i = 0; i < loaded.launch.arguments.size(); ++i) {
        if (const launch::Argument &argument = loaded.launch.arguments[i]; argument.is_buffer) {
            memory.map_anywhere(layout.addresses[i] + kOffset, argument.bytes(), argument.name);
            memory.write(layout.addresses[i] + kOffset, launch::initial_bytes(argument));
        }
    }
    if (context.local_bytes != 0) {
        memory.map_anywhere(layout.end + kOffset, context.local_window() * loaded.config.warps(), "local memory");
    }
    distributor.on_end([] { sc_core::sc_pause(); });
    unit.dispatch().on_fault([] { sc_core::sc_pause(); });
    sm::Grid grid = grid_of(loaded);
    grid.launch = &context;
    distributor.begin(grid);
    sc_core::sc_start();

    session::SimulationResult result{};
    if (const auto &fault = unit.dispatch().fault()) {
        result.fault = fault->report.fault;
        result.exception = fault->report.detail;
    }
    for (std::size_t i = 0; i < loaded.launch.arguments.size(); ++i) {
        result.buffers.emplace_back(loaded.launch.arguments[i].bytes());
        if (loaded.launch.arguments[i].is_buffer) {
            memory.read(layout.addresses[i] + kOffset, result.buffers.back());
        }
    }
    test::expect_checked(loaded, result);
    EXPECT_TRUE(checker.violations().empty()) << checker.violations().front();
}

// spin_lock_yield reads with .CG and has atomics; cuda_spmv gathers, and its buffers end within a line.
INSTANTIATE_TEST_SUITE_P(Kernels, Interconnect,
                         testing::Values(Case{"spin_lock_yield", true}, Case{"spin_lock_yield", false},
                                         Case{"cuda_spmv", true}, Case{"cuda_spmv", false}),
                         testing::PrintToStringParamName());

} // namespace
} // namespace smsim

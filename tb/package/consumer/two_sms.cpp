#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "assembler/assembler.h"
#include "memory/global_memory.h"
#include "memory/memory_arbiter.h"
#include "model/config/loader.h"
#include "model/launch/layout.h"
#include "model/protocol/clock.h"
#include "model/state/launch_context.h"
#include "sm/dispatch/grid_distributor.h"
#include "sm/streaming_multiprocessor.h"

namespace {

/// Each CTA stores the number of the SM that it runs on.
constexpr const char *kKernel = ".kernel where\n"
                                "    S2R R0, SR_SMID;\n"
                                "    S2R R4, SR_CTAID.X;\n"
                                "    MOV R1, 0x4;\n"
                                "    IMAD.WIDE.U32 R[2:3], R4, R1, c[0x0][0x160];\n"
                                "    STG [R[2:3]], R0;\n"
                                "    EXIT;\n";
constexpr unsigned kSms = 2;

/// SMs that take their CTAs from one distributor and share a memory through an arbiter.
struct Gpu {
    explicit Gpu(const smsim::Config &config)
        : memory("memory", config.global, smsim::protocol::Clock(config).period()),
          arbiter("arbiter", kSms, smsim::protocol::Clock(config).period()) {
        for (unsigned i = 0; i < kSms; ++i) {
            sms.push_back(std::make_unique<smsim::sm::StreamingMultiprocessor>(("sm" + std::to_string(i)).c_str(),
                                                                               config, distributor, smsim::SmId(i)));
            sms.back()->global.bind(arbiter.port(i));
            sms.back()->dispatch().on_fault([] { sc_core::sc_pause(); });
        }
        arbiter.memory.socket.bind(memory.socket);
        distributor.on_end([] { sc_core::sc_pause(); });
    }

    smsim::memory::GlobalMemory memory;
    smsim::memory::MemoryArbiter arbiter;
    smsim::sm::GridDistributor distributor{"distributor"};
    std::vector<std::unique_ptr<smsim::sm::StreamingMultiprocessor>> sms;
};

} // namespace

int sc_main(int, char **) {
    const smsim::Config config = smsim::load_config(std::nullopt, std::vector<std::string>{"sm.max_ctas=2"});
    const smsim::Program program = smsim::assemble(kKernel, "where.sasm", smsim::timing::SchedulingModel(config));
    const smsim::Kernel &kernel = program.kernels.at(0);
    Gpu gpu(config);

    smsim::launch::Launch launch;
    launch.grid = {8, 1, 1};
    launch.block = {32, 1, 1};
    launch.arguments.resize(1);
    launch.arguments[0].is_buffer = true;
    const std::vector<std::uint64_t> addresses = {0x10000000};
    gpu.memory.map(addresses[0], 32, "numbers");

    smsim::LaunchContext context; // what all warps of the launch share
    context.program = &program;
    context.kernel = &kernel;
    context.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
    context.block = {launch.block[0], launch.block[1], launch.block[2]};
    context.set_bank(0, smsim::launch::constant_bank0_bytes(launch, kernel, addresses));
    for (const auto &sm : gpu.sms) {
        context.code_base = sm->place(program);
    }
    smsim::sm::Grid grid;
    grid.ctas = launch.grid;
    grid.threads = launch.block;
    grid.entry = kernel.entry;
    grid.demand = {32, kernel.registers, 0}; // threads, registers of each, bytes of shared memory
    grid.launch = &context;
    gpu.distributor.begin(grid);
    sc_core::sc_start();

    unsigned ctas = 0;
    for (const auto &sm : gpu.sms) {
        if (const auto &fault = sm->dispatch().fault()) {
            std::printf("%s\n", fault->report.detail.c_str());
            return 1;
        }
        const smsim::RunStats stats = sm->collect(program, false);
        std::printf("%s: %llu CTAs\n", sm->name(), static_cast<unsigned long long>(stats.ctas));
        ctas += static_cast<unsigned>(stats.ctas);
    }
    std::vector<std::uint8_t> numbers(32);
    gpu.memory.read(addresses[0], numbers);
    std::printf("CTAs by number ran on");
    for (unsigned i = 0; i < 8; ++i) {
        std::printf(" %u", numbers[4 * i]);
    }
    std::printf("\n");
    return ctas == 8 ? 0 : 1;
}

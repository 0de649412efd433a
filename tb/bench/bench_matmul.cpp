// Speed of the whole model on the matrix multiplication: warp instructions per second of one core, full timing, no
// trace. SystemC elaborates once in a process, so there is exactly one iteration; run the program several times and
// compare ratios, not seconds.
#include <benchmark/benchmark.h>
#include <systemc>

#include "assembler/assembler.h"
#include "assembler/load_program.h"
#include "model/config/loader.h"
#include "model/launch/launch.h"
#include "session/simulation.h"

namespace {

void matmul(benchmark::State &state) {
    using namespace smsim;
    const Config config = load_config(std::nullopt, {});
    const launch::Launch launch =
        launch::load_launch(std::string(SMSIM_SOURCE_DIR) + "/kernels/memory/matmul/launch.yaml");
    const Program program = load_program(launch.program, timing::SchedulingModel(config));
    session::Options options;
    options.ahead = true; // as `smsim run`
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
    for ([[maybe_unused]] auto _ : state) {
        const session::SimulationResult result =
            session::simulate(config, program, program.kernels.front(), launch, options);
        if (result.fault) {
            state.SkipWithError(result.exception.c_str());
            return;
        }
        for (const WarpStats &warp : result.stats.warps) {
            instructions += warp.instructions;
        }
        cycles += result.stats.cycles;
    }
    state.counters["warp_instructions"] = static_cast<double>(instructions);
    state.counters["warp_instructions_per_s"] =
        benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
    state.counters["cycles_per_s"] = benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
}
BENCHMARK(matmul)->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace

int sc_main(int argc, char **argv) {
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

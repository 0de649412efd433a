// Connects the command line with the library's simulation: trace file and progress line.
#include "sm/program/simulate.h"

#include <fstream>

#include <fmt/format.h>

#include "sm/simulation.h"

namespace smsim::program {

SimulationResult simulate(const SimulationInput &input, Progress &progress) {
    sm::SimulationOptions options;
    std::ofstream trace;
    if (!input.trace.empty()) {
        trace.open(input.trace);
        if (!trace) {
            throw InputError(fmt::format("{}: cannot be opened for writing the trace", input.trace));
        }
        options.trace = &trace;
    }
    options.progress = [&progress](Cycle cycles, std::uint64_t ctas) { progress.update(cycles, ctas); };
    sm::SimulationResult run = sm::simulate(input.config, input.program, *input.kernel, input.launch, options);
    if (trace.is_open()) {
        trace.close();
        if (!trace) {
            throw InputError(fmt::format("{}: the trace could not be written completely", input.trace));
        }
    }
    return {std::move(run.stats), run.fault, std::move(run.exception), std::move(run.buffers)};
}

} // namespace smsim::program

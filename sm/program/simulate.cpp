// Connects the command line with the library's simulation: trace, timeline and waveform files, and the progress line.
#include "sm/program/simulate.h"

#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/config/config_json.h"
#include "sm/simulation.h"

namespace smsim::program {
namespace {

sm::timeline::Subject subject_of(const SimulationInput &input) {
    return {input.config, input.program, input.kernel->name, config_to_json(input.config).dump()};
}

} // namespace

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
    std::optional<sm::timeline::Timeline> timeline;
    if (input.timeline) {
        options.parts = &timeline.emplace(*input.timeline, subject_of(input));
    }
    options.waveforms = input.waveforms;
    options.max_instructions = input.max_instructions;
    options.stop = input.stop;
    options.progress = [&progress](Cycle cycles, std::uint64_t ctas) { progress.update(cycles, ctas); };
    sm::SimulationResult run = sm::simulate(input.config, input.program, *input.kernel, input.launch, options);
    std::vector<std::string> errors = std::move(run.file_errors);
    if (timeline && !timeline->error().empty()) {
        errors.push_back(timeline->error());
    }
    if (trace.is_open()) {
        trace.close();
        if (!trace) {
            errors.push_back(fmt::format("{}: the trace could not be written completely", input.trace));
        }
    }
    return {std::move(run.stats),   run.fault,        run.early_end, std::move(run.exception),
            std::move(run.buffers), std::move(errors)};
}

} // namespace smsim::program

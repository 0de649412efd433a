// Connects the command line with the library's simulation: trace, timeline and waveform files, and the progress line.
#include "app/simulate.h"

#include <nlohmann/json.hpp>

#include "app/recording.h"
#include "model/config/config_json.h"
#include "session/observers.h"
#include "session/simulation.h"

namespace smsim::app {
namespace {

views::timeline::Subject subject_of(const SimulationInput &input) {
    return {input.config, input.program, input.kernel->name, config_to_json(input.config).dump()};
}

} // namespace

session::SimulationResult simulate(const SimulationInput &input, Progress &progress) {
    session::Options options;
    std::optional<views::timeline::Subject> subject;
    if (input.timeline) {
        subject.emplace(subject_of(input));
    }
    Recording recording(input.trace, input.state, input.timeline, subject ? &*subject : nullptr);
    options.trace = recording.trace.stream();
    options.trace_form = input.trace_form;
    options.trace_fields = input.trace_fields;
    options.state = recording.state.stream();
    std::optional<views::critical_path::Observer> path;
    if (input.critical_path) {
        path.emplace(*input.critical_path);
    }
    session::PartObservers parts;
    parts.add(recording.timeline ? &*recording.timeline : nullptr);
    parts.add(path ? &*path : nullptr);
    options.parts = parts.as_one();
    options.waveforms = input.waveforms;
    options.transactions = input.transactions;
    options.memory = input.memory;
    options.memory_check = input.memory_check;
    options.block_waveforms = input.block_waveforms;
    options.max_instructions = input.max_instructions;
    options.warp_records = input.warp_records.value_or(options.warp_records);
    options.cta_ends = input.cta_ends;
    options.stop = [&] { return (input.stop && input.stop()) || recording.failed(); };
    options.timed = input.timed;
    options.ahead = true;
    options.progress = [&progress](Cycle cycles, std::uint64_t ctas) { progress.update(cycles, ctas); };
    session::SimulationResult result = session::simulate(input.config, input.program, *input.kernel, input.launch,
                                                         options, session::BufferWish::kMemory);
    if (result.early_end == EarlyEnd::kInterrupted && recording.failed()) {
        result.early_end = EarlyEnd::kFileError;
    }
    if (path) {
        result.critical_path = path->path();
    }
    for (std::string &error : recording.close()) {
        result.file_errors.push_back(std::move(error));
    }
    return result;
}

} // namespace smsim::app

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

/// A file that the simulation writes lines to.
class OutputStream {
  public:
    /// `path` empty: none. Throws InputError when the file cannot be opened.
    OutputStream(std::string path, std::string what) : path_(std::move(path)), what_(std::move(what)) {
        if (!path_.empty()) {
            file_.open(path_);
            if (!file_) {
                throw InputError(fmt::format("{}: cannot be opened for writing {}", path_, what_));
            }
        }
    }
    /// Null: none.
    std::ostream *stream() { return file_.is_open() ? &file_ : nullptr; }
    /// Ends the file; adds a message to `errors` when it is not complete.
    void close(std::vector<std::string> &errors) {
        if (file_.is_open()) {
            file_.close();
            if (!file_) {
                errors.push_back(fmt::format("{}: {} could not be written completely", path_, what_));
            }
        }
    }

  private:
    std::string path_;
    std::string what_;
    std::ofstream file_;
};

} // namespace

SimulationResult simulate(const SimulationInput &input, Progress &progress) {
    sm::SimulationOptions options;
    OutputStream trace(input.trace, "the trace");
    OutputStream state(input.state, "the state");
    options.trace = trace.stream();
    options.trace_fields = input.trace_fields;
    options.state = state.stream();
    std::optional<sm::timeline::Timeline> timeline;
    if (input.timeline) {
        options.parts = &timeline.emplace(*input.timeline, subject_of(input));
    }
    options.waveforms = input.waveforms;
    options.memory_check = input.memory_check;
    options.max_instructions = input.max_instructions;
    options.stop = input.stop;
    options.progress = [&progress](Cycle cycles, std::uint64_t ctas) { progress.update(cycles, ctas); };
    sm::SimulationResult run = sm::simulate(input.config, input.program, *input.kernel, input.launch, options);
    std::vector<std::string> errors = std::move(run.file_errors);
    if (timeline && !timeline->error().empty()) {
        errors.push_back(timeline->error());
    }
    trace.close(errors);
    state.close(errors);
    return {std::move(run.stats),   run.fault,         run.early_end,        std::move(run.exception),
            std::move(run.buffers), std::move(errors), std::move(run.raised)};
}

} // namespace smsim::program

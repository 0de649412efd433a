// The interface between the command line and the model: what a simulation gets and what it returns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/progress.h"
#include "model/config/config.h"
#include "model/launch/launch.h"
#include "model/program/program.h"
#include "model/stats/memory_check.h"
#include "session/simulation_result.h"
#include "session/timed_ctas.h"
#include "views/critical_path/observer.h"
#include "views/timeline/timeline.h"
#include "views/trace/trace_fields.h"
#include "views/waveforms/request.h"

namespace smsim::session {
class MemoryBackend;
}

namespace smsim::app {

/// Everything that determines a run; loaded and checked.
struct SimulationInput {
    Config config;
    launch::Launch launch;
    Program program;
    const Kernel *kernel = nullptr;           ///< of `program`
    std::string trace;                        ///< file for the instruction trace; empty: none
    session::MemoryBackend *memory = nullptr; ///< null: the model's own
    MemoryCheck memory_check = MemoryCheck::kStrict;
    std::string block_waveforms; ///< folder; empty: none
    views::TraceForm trace_form = views::TraceForm::kJson;
    views::TraceFields trace_fields{};
    std::string state; ///< file for registers and shared memory at the end; empty: none
    std::optional<views::timeline::Request> timeline;
    std::optional<views::waveforms::Request> waveforms;
    std::optional<views::critical_path::Choice> critical_path; ///< empty: no path
    std::string transactions;                                  ///< file to record transactions to; empty: none
    std::uint64_t max_instructions = 0;                        ///< 0: no limit
    std::optional<std::uint64_t> warp_records;                 ///< as session::Options; empty: its default
    bool cta_ends = false;                                     ///< likewise
    session::TimedCtas timed;
    std::function<bool()> stop{}; ///< true: the run must end at the next opportunity

    SimulationInput() = default;
    SimulationInput(const SimulationInput &) = delete; // `kernel` points into `program`
    SimulationInput &operator=(const SimulationInput &) = delete;
};

/// Runs a launch to its end; reports its progress to `progress` as often as it likes.
using Simulation = std::function<session::SimulationResult(const SimulationInput &input, Progress &progress)>;

/// The simulation of this build. Buffers are SimulationResult::memory. A run that ends because a file can take no more
/// data has EarlyEnd::kFileError.
session::SimulationResult simulate(const SimulationInput &input, Progress &progress);

} // namespace smsim::app

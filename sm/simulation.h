// One run from start to end: builds the SM and its global memory, loads the launch, simulates, and returns what came of
// it. The door of the library for programs that want a result and not the parts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/error.h"
#include "model/launch/launch.h"
#include "model/observation/observer.h"
#include "model/program/program.h"
#include "model/stats/early_end.h"
#include "model/stats/memory_check.h"
#include "model/stats/raised_exception.h"
#include "model/stats/statistics.h"
#include "sm/execution_observer.h"
#include "sm/trace_fields.h"
#include "sm/waveforms/request.h"

namespace smsim::sm {

/// What a caller may want beside the result.
struct SimulationOptions {
    std::ostream *trace = nullptr;               ///< one JSON line per executed warp instruction
    TraceFields trace_fields{};                  ///< what the trace holds beside its usual members
    std::ostream *state = nullptr;               ///< registers and shared memory at the ends of warps and CTAs
    ExecutionObserver *observer = nullptr;       ///< told of every executed warp instruction and of every warp's end
    observation::Observer *parts = nullptr;      ///< told of what happens inside the parts, and when
    std::optional<waveforms::Request> waveforms; ///< VCD of states and sockets
    /// Called now and then with the present cycle and the number of completed CTAs.
    std::function<void(Cycle, std::uint64_t)> progress;
    /// What becomes of accesses outside every buffer that stay in a page of one (docs/memory.md "Bounds").
    MemoryCheck memory_check = MemoryCheck::kStrict;
    /// Asked as often as `progress` is called; true ends the run at the cycle boundary that it has reached.
    std::function<bool()> stop;
    /// The run ends with the cycle in which so many warp instructions have been executed; 0: no limit.
    std::uint64_t max_instructions = 0;
    bool reverse_order = false; ///< construct the parts in reverse order; results do not change
};

/// What a run left behind.
struct SimulationResult {
    RunStats stats;
    std::optional<Fault> fault;        ///< empty: every CTA has completed, or the run has ended early
    std::optional<EarlyEnd> early_end; ///< never together with a fault
    std::string exception;             ///< the full message of the fault: where, what, masks, and who waits for whom
    std::vector<std::vector<std::uint8_t>> buffers; ///< final bytes of each buffer, index = argument
    /// Files that could not be written to their end, each as a message with path and cause.
    std::vector<std::string> file_errors{};
    std::optional<RaisedException> raised{}; ///< the fault as fields
};

/// Runs `kernel` of `program` as `launch` says. Statistics, traces and buffers are complete up to the last cycle also
/// when the run ends with a fault or early. Throws InputError when the launch cannot run on this configuration (too
/// many threads, registers or bytes of shared memory for one CTA) or gives other arguments than the kernel expects
/// (launch::check_parameters).
///
/// SystemC elaborates once in a process: a second call in the same process ends in a SystemC error.
SimulationResult simulate(const Config &config, const Program &program, const Kernel &kernel,
                          const launch::Launch &launch, const SimulationOptions &options = {});

} // namespace smsim::sm

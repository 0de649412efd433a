// One launch from start to end: a session with its buffers, and what came of it. The door of the library for programs
// that want one result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/session.h"

namespace smsim::session {

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
                          const launch::Launch &launch, const Options &options = {});

} // namespace smsim::session

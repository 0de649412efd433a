// One launch from start to end: a session with its buffers, and the outcome. The entry point of the library for
// programs that want one result.
#pragma once

#include "session/session.h"
#include "session/simulation_result.h"

namespace smsim::session {

/// How the result provides the final bytes of buffers.
enum class BufferWish : std::uint8_t {
    kCopies, ///< SimulationResult::buffers
    kMemory, ///< SimulationResult::memory: the session lives on with it; what `options` points to is no longer used
};

/// Runs `kernel` of `program` according to `launch`. Statistics, traces and buffers are complete up to the last cycle
/// also when the run ends with a fault or early. Throws InputError when the launch cannot run on this configuration
/// (too many threads, registers or bytes of shared memory for one CTA) or gives other arguments than the kernel
/// expects (launch::check_parameters).
///
/// SystemC elaborates once in a process: a second call in the same process throws InputError.
SimulationResult simulate(const Config &config, const Program &program, const Kernel &kernel,
                          const launch::Launch &launch, const Options &options = {},
                          BufferWish wish = BufferWish::kCopies);

} // namespace smsim::session

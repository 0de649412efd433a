// What a kernel has printed and asserted, read from global memory after a launch.
#pragma once

#include "model/program/program.h"
#include "session/memory_backend.h"
#include "session/session.h"

namespace smsim::session {

/// Adds what a launch of `program` has printed, and why its assertions failed, to `result`, and empties the area for
/// the next launch. Does nothing for programs that print nothing.
void take_output(MemoryBackend &memory, const Program &program, LaunchResult &result);

} // namespace smsim::session

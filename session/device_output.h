// What a kernel has printed and asserted, taken out of global memory behind a launch.
#pragma once

#include "model/program/program.h"
#include "session/memory_backend.h"
#include "session/session.h"

namespace smsim::session {

/// Adds what a launch of `program` has printed, and why its assertions have failed, to `result`. The area is empty for
/// the next launch afterwards. Does nothing for programs that print nothing.
void take_output(MemoryBackend &memory, const Program &program, LaunchResult &result);

} // namespace smsim::session

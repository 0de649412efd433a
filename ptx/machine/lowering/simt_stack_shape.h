// Transforms control flow into a form that the SIMT stack supports: one end, no threads that end in other places, no
// branch to more than two places for threads that differ, one callee at a time, and no barrier of the CTA that the
// sides of a branch reach one after the other (engines.md Lowering).
#pragma once

#include <cstddef>

#include "ptx/machine/lowering/lowering.h"

namespace smsim::ptx::machine {

/// Changes `function` without changing what it computes. The last block of a kernel without code ends its threads.
/// Throws InputError, with the line, for ends of threads in called functions and functions that never return.
void shape_for_simt_stack(const Module &module, Function &function, const CallsSync &calls_sync);

} // namespace smsim::ptx::machine

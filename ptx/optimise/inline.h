// Replaces calls by the bodies of device functions: nothing is passed through fixed registers any more, values can be
// tracked into the function and out of it, and its frame is part of the caller's.
#pragma once

#include <functional>

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// The function that replaces a CALL; null where the call stays.
using BodyOf = std::function<const machine::Function *(const machine::Instruction &call)>;

/// Replaces calls by functions; returns how many. `function` and the bodies must be as instruction selection created
/// them: arguments, results and the frame in their fixed registers (machine/abi.h), the frame's read only by addresses
/// and sums with a number. Calls of functions with alloca stay. Calls in the bodies are not examined.
unsigned inline_calls(machine::Function &function, const BodyOf &body_of);

} // namespace smsim::ptx::optimise

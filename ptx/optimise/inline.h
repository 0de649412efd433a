// Bodies of device functions in the place of calls: nothing is passed through fixed registers any more, values are
// followed into the function and out of it, and its frame is part of the caller's.
#pragma once

#include <functional>

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// The function that takes the place of a CALL; null where the call stays.
using BodyOf = std::function<const machine::Function *(const machine::Instruction &call)>;

/// Puts functions in the place of calls; returns how many. `function` and the bodies must be as instruction selection
/// made them: arguments, results and the frame in their fixed registers (machine/abi.h), the frame's read by nothing
/// but addresses and sums with a number. Calls of functions with alloca stay. Calls in the bodies are not looked at.
unsigned inline_calls(machine::Function &function, const BodyOf &body_of);

} // namespace smsim::ptx::optimise

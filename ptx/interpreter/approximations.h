// The approximations of PTX: exact values rounded to nearest, and the errors that the PTX ISA allows around them.
#pragma once

#include <string_view>

#include "ptx/interpreter/operation.h"

namespace smsim::ptx::interpreter {

/// The handler of an approximation; null for other operations.
Handler approximation_handler(std::string_view opcode, const Operation &operation);

} // namespace smsim::ptx::interpreter

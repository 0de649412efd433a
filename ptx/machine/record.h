// Counts what a function is made of, for the compiler's log.
#pragma once

#include <string_view>

#include "ptx/compile_log.h"
#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// Appends the statistics of `function` after `pass` to the log, with its text if that was requested.
void record(CompileLog &log, std::string_view pass, const Function &function, unsigned changes = 0);

} // namespace smsim::ptx::machine

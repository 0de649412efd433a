// Counts what a function is made of, for the compiler's log.
#pragma once

#include <string_view>

#include "ptx/compile_log.h"
#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// Appends what `function` is behind `pass` to the log, with its text when that was asked for.
void record(CompileLog &log, std::string_view pass, const Function &function, unsigned changes = 0);

} // namespace smsim::ptx::machine

// Code on registers without number as text, for who looks at what a pass has done.
#pragma once

#include <string>

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// A function block by block. `v7` is register 7, `v7.1` its second word, `p3` predicate 3; what an instruction writes
/// stands where the assembly has it. Ends of blocks are written as `go`, `if` and `table`.
std::string print(const Function &function);

} // namespace smsim::ptx::machine

// Code on virtual registers as text, to inspect the effect of a pass.
#pragma once

#include <string>

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// A function block by block. `v7` is register 7, `v7.1` its second word, `p3` predicate 3; results are where the
/// assembly has them. Ends of blocks are written as `go`, `if` and `table`.
std::string print(const Function &function);

} // namespace smsim::ptx::machine

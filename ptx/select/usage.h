// Which functions a kernel may call, and the shared variables that it uses through them.
#pragma once

#include <vector>

#include "ptx/ast.h"
#include "ptx/machine/module.h"

namespace smsim::ptx::select {

/// For each kernel of the module (in the order of the functions), which shared variables it or anything it can reach
/// names. A name counts wherever it appears, so that addresses of functions count as calls.
std::vector<std::vector<bool>> used_shared(const ptx::Module &source, const machine::Module &module);

} // namespace smsim::ptx::select

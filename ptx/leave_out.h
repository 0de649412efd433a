// Modules of which something is not covered: keeps what does not need it.
#pragma once

#include <string>
#include <vector>

#include "ptx/left_out.h"
#include "ptx/refusal.h"

namespace smsim::ptx {

/// Removes the functions of `refusals`, and those that `also` names with their messages, from the module, and all
/// functions and variables that name them, directly or through others. Returns the kernels among them. Throws
/// InputError with all messages when no kernel is left, or there was none.
std::vector<LeftOut> leave_out(Module &module, const std::vector<Refusal> &refusals, const std::vector<LeftOut> &also,
                               const std::string &file);

} // namespace smsim::ptx

// Modules of which something is not covered: what does not need it stays.
#pragma once

#include <string>
#include <vector>

#include "ptx/left_out.h"
#include "ptx/refusal.h"

namespace smsim::ptx {

/// Takes the functions of `refusals`, and those that `also` names with their messages, out of the module, and all
/// functions and variables that name them, directly or through others. Gives the kernels among them. Throws InputError
/// with all messages when no kernel is left, or there was none.
std::vector<LeftOut> leave_out(Module &module, const std::vector<Refusal> &refusals, const std::vector<LeftOut> &also,
                               const std::string &file);

} // namespace smsim::ptx

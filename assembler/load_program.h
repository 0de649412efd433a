// Programs from files: binary programs and assembly text.
#pragma once

#include <string>

#include "model/program/program.h"
#include "model/timing/dependence.h"

namespace smsim {

/// Reads a file of either kind: a binary program, recognised by its name (.smbin) or its content, or assembly text,
/// which is assembled for `model`. Throws InputError when it cannot be read or is invalid.
Program load_program(const std::string &path, const timing::SchedulingModel &model);

} // namespace smsim

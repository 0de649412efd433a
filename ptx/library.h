// Functions that CUDA programs call and the device's runtime defines: vprintf, which implements printf, and
// __assertfail, which implements assert. They get bodies in PTX that write records to global memory
// (model/program/device_output.h).
#pragma once

#include <string>

#include "ptx/ast.h"

namespace smsim::ptx {

/// Adds bodies to the functions of the library that `module` declares and does not define, with the places of the
/// declarations. Throws InputError for a function declared with the wrong parameters.
void add_library(Module &module, const std::string &file);

} // namespace smsim::ptx

// Functions that CUDA programs call and the device's runtime defines: vprintf, which printf becomes, and __assertfail,
// which assert becomes. They get bodies in PTX that leave records in global memory (model/program/device_output.h).
#pragma once

#include <string>

#include "ptx/ast.h"

namespace smsim::ptx {

/// Gives the functions of the library that `module` declares and does not define their bodies, with the places of the
/// declarations. Throws InputError for one that is declared with other parameters than it has.
void add_library(Module &module, const std::string &file);

} // namespace smsim::ptx

// Reads `compile` of a launch file.
#pragma once

#include <span>
#include <string>

#include "model/launch/code_options.h"
#include "model/text/yaml.h"

namespace smsim::launch {

/// The map `compile`. `programs` are those of the launches. Throws InputError "file:line:column: cause" at the wrong
/// node, for options when no program is compiled, and for macros when none is CUDA C++.
CodeOptions read_compile(const yaml::Node &map, std::span<const std::string> programs);

} // namespace smsim::launch

// A file of one launch, read from the tree of its text; separate from launch.h so that only the readers know YAML.
#pragma once

#include <string>

#include "model/launch/launch.h"
#include "model/text/yaml.h"

namespace smsim::launch {

/// Whether the file has steps (plan.h), which a file of one launch does not have.
bool has_several_launches(const yaml::Node &root);

/// As load_launch, from the root of the file's tree; paths inside are resolved against the folder of `file`.
Launch read_launch(const yaml::Node &root, const std::string &file);

} // namespace smsim::launch

// A file of one launch, read from the tree of its text; apart from launch.h so that the readers alone know YAML.
#pragma once

#include <string>

#include "model/launch/launch.h"
#include "model/text/yaml.h"

namespace smsim::launch {

/// True when the file has steps of its own (plan.h), which a file of one launch has not.
bool has_several_launches(const yaml::Node &root);

/// As load_launch, from the root of the file's tree; paths inside are resolved against the folder of `file`.
Launch read_launch(const yaml::Node &root, const std::string &file);

} // namespace smsim::launch

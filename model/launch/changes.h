// Changes to a launch file before it is read: `--launch KEY=VALUE`, so that one file serves many launches.
#pragma once

#include <span>
#include <string>

#include "model/text/yaml.h"

namespace smsim::launch {

/// Sets members of the map `root`, in order. A key is a path with dots: names of members, and in a list of maps the
/// value of their `name` (or, in a list without names, a number from 0): "block", "arguments.n.value", "check". The
/// value is YAML and replaces what is there; the last name of a path may be new, and so may the maps
/// `compile` and `compile.define`. What is set has the place "--launch KEY=VALUE". Throws InputError for a change
/// without '=', a path that leads nowhere (the message names what there is) and a value that is no YAML.
void apply_changes(yaml::Node &root, std::span<const std::string> changes);

} // namespace smsim::launch

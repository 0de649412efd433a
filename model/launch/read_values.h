// Readers of what every kind of launch file contains: element types and their values. Each throws InputError
// "file:line:column: cause" at the wrong node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/launch/launch.h"
#include "model/text/yaml.h"

namespace smsim::launch {

/// The value of key `key` of a map; `what` describes the map in the message ("an argument").
const yaml::Node &need(const yaml::Node &map, std::string_view key, const std::string &what);

/// The entries of a list; `name` is its name in the message.
const std::vector<yaml::Node> &need_list(const yaml::Node &node, const std::string &name);

/// A type by its name; the error message suggests the nearest one.
ElementType read_type(const yaml::Node &node);

/// A value in the range of `type`: integers of unsigned types as uint64, of signed types as int64, floats as double. An
/// f32 is rounded once, from the text.
Value read_value(const yaml::Node &node, ElementType type, const std::string &name);

/// The increment per element or round. As read_value, but unsigned types may also decrease: a negative step is in the
/// range of the signed type of the same width, and is stored modulo 2^64.
Value read_step(const yaml::Node &node, ElementType type);

/// A list of at least one value.
std::vector<Value> read_values(const yaml::Node &node, ElementType type);

/// 0 as a value of `type`.
Value zero_of(ElementType type);

} // namespace smsim::launch

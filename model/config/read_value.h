// The value of one key from a scalar of YAML, checked by the table of keys.
#pragma once

#include "model/config/config.h"
#include "model/config/schema.h"
#include "model/text/yaml.h"

namespace smsim {

/// Sets `key` of `config` to the value that `node` holds. Throws InputError with the place of `node` for a wrong type
/// or a value outside the range of `range_text`.
void read_value(Config &config, const ConfigKey &key, const yaml::Node &node);

} // namespace smsim

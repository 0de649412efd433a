// The effective configuration as JSON, for reports and tools.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "model/config/config.h"

namespace smsim {

/// All keys as nested objects in the order of `Config`: {"sm": {"sub_partitions": 4, ...}, ...}.
nlohmann::ordered_json config_to_json(const Config &config);

} // namespace smsim

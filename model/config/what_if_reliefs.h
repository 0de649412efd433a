// What could be made cheaper in a configuration, one thing at a time: for experiments that show what a kernel is bound
// by (`smsim run --what-if`). A relief is a few settings; only a run shows whether it helps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/config/config.h"

namespace smsim {

struct Relief {
    std::string_view name;             ///< one word for tables: "memory_latency"
    std::string_view meaning;          ///< what it makes free, in a few words
    bool changes_results = false;      ///< results are then not those of the program: checks are meaningless
    std::vector<std::string> settings; ///< "key=value"
};

/// All reliefs that change something in `config`, in a fixed order.
std::vector<Relief> reliefs_of(const Config &config);

/// The relief of that name; null: there is none that changes something.
const Relief *find_relief(const std::vector<Relief> &reliefs, std::string_view name);

} // namespace smsim

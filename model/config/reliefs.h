// What could be made cheaper in a configuration, one thing at a time: for experiments that tell what a kernel is bound
// by (`smsim run --what-if`). A relief is a few settings; whether it is of use only a run can say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/config/config.h"

namespace smsim {

struct Relief {
    std::string_view name;             ///< one word for tables: "memory_latency"
    std::string_view meaning;          ///< what it gives away, in a few words
    bool changes_results = false;      ///< results are then not those of the program: no check is worth anything
    std::vector<std::string> settings; ///< "key=value"
};

/// All reliefs that change something in `config`, in a fixed order.
std::vector<Relief> reliefs_of(const Config &config);

/// The relief by that name; null: there is none that changes something.
const Relief *find_relief(const std::vector<Relief> &reliefs, std::string_view name);

} // namespace smsim

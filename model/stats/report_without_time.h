// What of the report of a launch needs cycles: it is left out where nothing was simulated in time.
#pragma once

#include <nlohmann/json.hpp>

namespace smsim::report {

/// Takes out of `json`, a whole report of one launch, what would have to be invented: members that need cycles are
/// gone, `cycles` and the cycles of single events are null. docs/report-without-timing.schema.json describes the rest.
void leave_out_times(nlohmann::ordered_json &json);

} // namespace smsim::report

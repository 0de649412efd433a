// The parts of a launch's report that need cycles: left out if nothing was simulated in time.
#pragma once

#include <nlohmann/json.hpp>

namespace smsim::report {

/// Removes from `json`, a whole report of one launch, everything that would have to be invented: members that need
/// cycles are removed, `cycles` and the cycles of single events are null. docs/report-without-timing.schema.json
/// describes the rest.
void leave_out_times(nlohmann::ordered_json &json);

} // namespace smsim::report

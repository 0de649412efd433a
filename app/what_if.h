// `smsim run --what-if`: finds by experiment what bounds a kernel. The launch is run again with each relief of the
// configuration (model/config/what_if_reliefs.h), and the reliefs are ranked by what they gain.
#pragma once

#include "app/options.h"
#include "app/simulate.h"

namespace smsim::app {

/// Runs and reports the launch as without --what-if, then the reliefs, `options.jobs` at a time, each in a separate
/// process. Prints the ranking, as text after the report or as JSON in its place, and writes it as what_if.json to the
/// directory that -o names. The exit status is that of the launch itself; when it has not completed, nothing else is
/// run.
int what_if(const RunOptions &options, const Simulation &simulation);

} // namespace smsim::app

// Estimates the time of a large launch from a sample of its CTAs: which are simulated in time, and how long the whole
// launch would have taken (model/stats/sampled_time.h explains how).
//
//     const SamplePlan plan = session::sample_of(config, kernel, what, 0.1);
//     options.timed = session::timed_ctas(plan);
//     options.cta_ends = true;
//     ... launch ...
//     const std::optional<SampledTime> time = session::sampled_time(plan, result.stats);
#pragma once

#include <optional>

#include "model/launch/launch.h"
#include "model/program/program.h"
#include "model/stats/sampled_time.h"
#include "model/stats/statistics.h"
#include "session/timed_ctas.h"

namespace smsim {
struct Config;
}

namespace smsim::session {

/// The sample of about `fraction` (more than 0, at most 1) of the CTAs of the launch `what` of `kernel`. Throws
/// InputError when a CTA does not fit into the SM.
SamplePlan sample_of(const Config &config, const Kernel &kernel, const launch::Launch &what, double fraction);

/// The CTAs of the plan; the others are executed functionally, so that the results of the launch are complete.
TimedCtas timed_ctas(const SamplePlan &plan);

/// How long the whole launch would have taken, from the statistics of its CTAs in time, with their ends
/// (Options::cta_ends); nothing when one of them has not ended.
std::optional<SampledTime> sampled_time(const SamplePlan &plan, const RunStats &stats);

} // namespace smsim::session

#include "session/sampling.h"

#include <algorithm>
#include <map>
#include <vector>

#include "model/error.h"
#include "session/cta_demand.h"

namespace smsim::session {

SamplePlan sample_of(const Config &config, const Kernel &kernel, const launch::Launch &what, double fraction) {
    const sm::CtaDemand demand = cta_demand(kernel, what);
    const sm::CtaAllocator allocator(config);
    if (const std::string reason = allocator.impossible(demand); !reason.empty()) {
        throw InputError(reason);
    }
    const std::uint64_t grid = std::uint64_t{what.grid[0]} * what.grid[1] * what.grid[2];
    return plan_sample(grid, allocator.max_resident(demand), fraction);
}

TimedCtas timed_ctas(const SamplePlan &plan) {
    if (plan.length == 0) {
        return {};
    }
    std::vector<TimedCtas::Range> ranges;
    for (const SamplePlan::Window &window : plan.windows) {
        ranges.emplace_back(window.first, window.last);
    }
    return TimedCtas::of(std::move(ranges));
}

std::optional<SampledTime> sampled_time(const SamplePlan &plan, const RunStats &stats) {
    if (stats.ctas != plan.timed()) { // the run was cut short
        return std::nullopt;
    }
    return smsim::sampled_time(plan, stats.cta_ends, stats.cycles);
}

} // namespace smsim::session

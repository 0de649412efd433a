// The issue policies by name: the place where one is added.
#include "ibuffer/issue_policy.h"

#include <algorithm>

#include "ibuffer/policies/barrier_aware.h"
#include "ibuffer/policies/cache_conscious.h"
#include "ibuffer/policies/criticality_aware.h"
#include "ibuffer/policies/divergent_first.h"
#include "ibuffer/policies/greedy.h"
#include "ibuffer/policies/loose_round_robin.h"
#include "ibuffer/policies/two_level.h"

namespace smsim::ibuffer {

std::unique_ptr<IssuePolicy> make_issue_policy(const IBufferConfig &config, unsigned warps) {
    using namespace policies;
    if (config.policy.is_library()) {
        return load_policy<IssuePolicy>("ibuffer.policy", config.policy, "smsim_issue_policy", {.warps = warps});
    }
    switch (config.policy.own()) {
    case IssuePolicyKind::kGreedyThenYoungest:
        return std::make_unique<Greedy<youngest>>();
    case IssuePolicyKind::kGreedyThenOldest:
        return std::make_unique<Greedy<oldest>>();
    case IssuePolicyKind::kGreedyThenLeastRecent:
        return std::make_unique<GreedyThenLeastRecent>(warps);
    case IssuePolicyKind::kLooseRoundRobin:
        return std::make_unique<LooseRoundRobin>();
    case IssuePolicyKind::kTwoLevel:
        return std::make_unique<TwoLevel>(std::min(config.two_level_active, warps));
    case IssuePolicyKind::kCacheConscious:
        return std::make_unique<CacheConscious>(warps);
    case IssuePolicyKind::kCriticalityAware:
        return std::make_unique<CriticalityAware>(warps);
    case IssuePolicyKind::kBarrierAware:
        return std::make_unique<BarrierAware>();
    case IssuePolicyKind::kDivergentFirst:
        return std::make_unique<DivergentFirst>();
    }
    return std::make_unique<LooseRoundRobin>();
}

} // namespace smsim::ibuffer

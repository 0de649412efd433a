// The distributions by name: the place where one is added.
#include "sm/dispatch/cta_distribution.h"

#include "sm/dispatch/policies/blocked.h"
#include "sm/dispatch/policies/by_column.h"
#include "sm/dispatch/policies/by_tile.h"
#include "sm/dispatch/policies/last_first.h"

namespace smsim::sm {

std::unique_ptr<CtaDistribution> make_cta_distribution(const SmConfig &config) {
    using namespace policies;
    if (config.cta_distribution.is_library()) {
        return load_policy<CtaDistribution>("sm.cta_distribution", config.cta_distribution, "smsim_cta_distribution",
                                            {});
    }
    switch (config.cta_distribution.own()) {
    case CtaDistributionKind::kInOrder:
        return nullptr;
    case CtaDistributionKind::kBlocked:
        return std::make_unique<Blocked>();
    case CtaDistributionKind::kByColumn:
        return std::make_unique<ByColumn>();
    case CtaDistributionKind::kByTile:
        return std::make_unique<ByTile>();
    case CtaDistributionKind::kLastFirst:
        return std::make_unique<LastFirst>();
    }
    return nullptr;
}

} // namespace smsim::sm

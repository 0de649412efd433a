// Warps of the CTA of which most already wait at a barrier go first, so that the barrier completes and all can go on;
// among them greedy, then oldest. After Liu et al., "Barrier-Aware Warp Scheduling for Throughput Processors", ICS 2016
// (BAWS), the part that the authors call most-waiting-first. Their critical-fetch-first is a policy of the fetch unit.
//
// A scheduler sees the warps of its own sub-partition, and counts those.
#pragma once

#include <bit>

#include "ibuffer/policies/choice.h"

namespace smsim::ibuffer::policies {

class BarrierAware final : public IssuePolicy {
  public:
    unsigned select(const PolicyView &view) override {
        const WarpSet set = willing(view.ready, view);
        const WarpSet waiting = view.warps->at_barrier();
        if (waiting == 0) {
            return greedy_then_oldest(set, view);
        }
        const auto arrived = [&](unsigned warp) { return std::popcount(view.warps->of_cta(warp) & waiting); };
        return greedy_then_oldest(greatest(set, arrived), view);
    }
};

} // namespace smsim::ibuffer::policies

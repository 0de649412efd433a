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
        WarpSet best = 0;
        int most = -1;
        for (WarpSet rest = set; rest != 0; rest &= rest - 1) {
            const unsigned warp = first_of(rest);
            const int count = std::popcount(view.warps->of_cta(warp) & waiting);
            best = count > most ? only(warp) : count == most ? best | only(warp) : best;
            most = std::max(most, count);
        }
        return greedy_then_oldest(best, view);
    }
};

} // namespace smsim::ibuffer::policies

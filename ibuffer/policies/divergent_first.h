// Warps with most threads parked on other paths go first: their paths run one after the other, so they have most left
// to do. On a tie greedy, then oldest. No publication proposes it alone; it shows a policy that looks at divergence.
#pragma once

#include "ibuffer/policies/choice.h"

namespace smsim::ibuffer::policies {

class DivergentFirst final : public IssuePolicy {
  public:
    unsigned select(const PolicyView &view) override {
        const WarpSet set = willing(view.ready, view);
        WarpSet best = 0;
        unsigned most = 0;
        for (WarpSet rest = set; rest != 0; rest &= rest - 1) {
            const unsigned warp = first_of(rest);
            const unsigned parked = view.warps->parked(warp).count();
            best = best == 0 || parked > most ? only(warp) : parked == most ? best | only(warp) : best;
            most = std::max(most, parked);
        }
        return greedy_then_oldest(best, view);
    }
};

} // namespace smsim::ibuffer::policies

// Warps with most threads parked on other paths go first: their paths run one after the other, so they have most left
// to do. On a tie greedy, then oldest. No publication proposes it alone; it shows a policy that looks at divergence.
#pragma once

#include "ibuffer/policies/choice.h"

namespace smsim::ibuffer::policies {

class DivergentFirst final : public IssuePolicy {
  public:
    unsigned select(const PolicyView &view) override {
        const auto parked = [&](unsigned warp) { return view.warps->parked(warp).count(); };
        return greedy_then_oldest(greatest(willing(view.ready, view), parked), view);
    }
};

} // namespace smsim::ibuffer::policies

// Two levels: a small active set is served round robin; a warp that begins a long wait leaves it for the oldest ready
// one. After Gebhart et al., "Energy-Efficient Mechanisms for Managing Thread Context in Throughput Processors", ISCA
// 2011, and Narasiman et al., "Improving GPU Performance via Large Warps and Two-Level Warp Scheduling", MICRO 2011.
#pragma once

#include <bit>

#include "ibuffer/policies/choice.h"

namespace smsim::ibuffer::policies {

class TwoLevel final : public IssuePolicy {
  public:
    /// `active`: size of the active set, warps.
    explicit TwoLevel(unsigned active) : limit_(active) {}

    unsigned select(const PolicyView &view) override {
        active_ &= ~view.long_stalled;
        for (WarpSet waiting = view.ready & ~active_;
             waiting != 0 && static_cast<unsigned>(std::popcount(active_)) < limit_; waiting = view.ready & ~active_) {
            active_ |= only(oldest(waiting, view.ages));
        }
        WarpSet set = willing(view.ready, view) & active_;
        if (set == 0) {
            // Every active warp is in a short stall: leaving the issue slot idle would be worse than an exchange.
            const unsigned in = oldest(willing(view.ready, view), view.ages);
            if (active_ != 0) {
                active_ &= ~only(oldest(active_, view.ages));
            }
            active_ |= only(in);
            set = only(in);
        }
        return next_of(set, view.last);
    }

  private:
    unsigned limit_;
    WarpSet active_ = 0;
};

} // namespace smsim::ibuffer::policies

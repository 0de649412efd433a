// Greedy policies: stay on the warp that issued last while it is ready. Greedy then oldest is from Rogers et al.,
// "Cache-Conscious Wavefront Scheduling", MICRO 2012, where it is the base that is compared to.
#pragma once

#include <vector>

#include "ibuffer/policies/choice.h"

namespace smsim::ibuffer::policies {

/// Then the youngest or the oldest.
template <auto Fallback> class Greedy final : public IssuePolicy {
  public:
    unsigned select(const PolicyView &view) override {
        const WarpSet set = willing(view.ready, view);
        if (stays(set, view)) {
            return view.last;
        }
        return Fallback(set, view.ages);
    }
};

/// Then the one with the least recent issue. Warps that have never issued go first; on a tie the lowest.
class GreedyThenLeastRecent final : public IssuePolicy {
  public:
    explicit GreedyThenLeastRecent(unsigned warps) : warps_(warps) {}

    unsigned select(const PolicyView &view) override {
        if (view.last != kNoWarp) {
            warps_[view.last] = {view.ages[view.last], ++issues_};
        }
        const WarpSet set = willing(view.ready, view);
        if (stays(set, view)) {
            return view.last;
        }
        return extreme(
            set, [&](unsigned warp) { return last_issue(view, warp); }, std::less<>{});
    }

  private:
    struct Warp {
        std::uint64_t age = 0;
        std::uint64_t issue = 0; ///< number of its last issue, updated at the next choice; 0: none
    };

    /// A warp that has replaced another in its slot has not issued.
    std::uint64_t last_issue(const PolicyView &view, unsigned warp) const {
        return warps_[warp].age == view.ages[warp] ? warps_[warp].issue : 0;
    }

    std::vector<Warp> warps_;
    std::uint64_t issues_ = 0;
};

} // namespace smsim::ibuffer::policies

#include "ibuffer/issue_policy.h"

#include <bit>
#include <vector>

namespace smsim::ibuffer {
namespace {

/// The ready warps without the one that yielded, unless it is the only one.
WarpSet willing(const PolicyView &view) {
    if (view.last == kNoWarp || !view.last_yields) {
        return view.ready;
    }
    const WarpSet others = view.ready & ~only(view.last);
    return others != 0 ? others : view.ready;
}

template <typename Better> unsigned extreme_age(WarpSet set, std::span<const std::uint64_t> ages, Better better) {
    auto best = static_cast<unsigned>(std::countr_zero(set));
    for (WarpSet rest = set & (set - 1); rest != 0; rest &= rest - 1) {
        const auto warp = static_cast<unsigned>(std::countr_zero(rest));
        if (better(ages[warp], ages[best])) {
            best = warp;
        }
    }
    return best;
}

unsigned oldest(WarpSet set, std::span<const std::uint64_t> ages) {
    return extreme_age(set, ages, std::less<>{});
}
unsigned youngest(WarpSet set, std::span<const std::uint64_t> ages) {
    return extreme_age(set, ages, std::greater<>{});
}

/// Stays on the warp that issued last while it is ready; then the youngest or the oldest.
template <auto Fallback> class Greedy final : public IssuePolicy {
  public:
    unsigned select(const PolicyView &view) override {
        const WarpSet set = willing(view);
        if (view.last != kNoWarp && (set & only(view.last)) != 0) {
            return view.last;
        }
        return Fallback(set, view.ages);
    }
};

/// Stays on the warp that issued last while it is ready; then the one with the least recent issue. Warps that have
/// never issued go first; on a tie the lowest.
class GreedyThenLeastRecent final : public IssuePolicy {
  public:
    explicit GreedyThenLeastRecent(unsigned warps) : warps_(warps) {}

    unsigned select(const PolicyView &view) override {
        if (view.last != kNoWarp) {
            warps_[view.last] = {view.ages[view.last], ++issues_};
        }
        const WarpSet set = willing(view);
        if (view.last != kNoWarp && (set & only(view.last)) != 0) {
            return view.last;
        }
        unsigned best = first_of(set);
        for (WarpSet rest = set & (set - 1); rest != 0; rest &= rest - 1) {
            const unsigned warp = first_of(rest);
            best = last_issue(view, warp) < last_issue(view, best) ? warp : best;
        }
        return best;
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

/// Cyclic order, skipping those that are not ready.
class LooseRoundRobin final : public IssuePolicy {
  public:
    unsigned select(const PolicyView &view) override { return next_of(willing(view), view.last); }
};

/// A small active set is served round robin; a warp that begins a long wait leaves it for the oldest ready one.
class TwoLevel final : public IssuePolicy {
  public:
    explicit TwoLevel(unsigned active) : limit_(active) {}

    unsigned select(const PolicyView &view) override {
        active_ &= ~view.long_stalled;
        for (WarpSet waiting = view.ready & ~active_;
             waiting != 0 && static_cast<unsigned>(std::popcount(active_)) < limit_; waiting = view.ready & ~active_) {
            active_ |= only(oldest(waiting, view.ages));
        }
        WarpSet set = willing(view) & active_;
        if (set == 0) {
            // Every active warp is in a short stall: leaving the issue slot idle would be worse than an exchange.
            const unsigned in = oldest(willing(view), view.ages);
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

} // namespace

std::unique_ptr<IssuePolicy> make_issue_policy(const IBufferConfig &config, unsigned warps) {
    switch (config.policy) {
    case IssuePolicyKind::kGreedyThenYoungest:
        return std::make_unique<Greedy<youngest>>();
    case IssuePolicyKind::kGreedyThenOldest:
        return std::make_unique<Greedy<oldest>>();
    case IssuePolicyKind::kGreedyThenLeastRecent:
        return std::make_unique<GreedyThenLeastRecent>(warps);
    case IssuePolicyKind::kLooseRoundRobin:
        return std::make_unique<LooseRoundRobin>();
    case IssuePolicyKind::kTwoLevel:
        return std::make_unique<TwoLevel>(config.two_level_active < warps ? config.two_level_active : warps);
    }
    return std::make_unique<LooseRoundRobin>();
}

} // namespace smsim::ibuffer

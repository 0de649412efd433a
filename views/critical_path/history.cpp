// Walks the critical path backwards.
#include "views/critical_path/history.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace smsim::views::critical_path {
namespace {

/// What is charged together.
using Key = std::tuple<Pc, StallReason, std::uint8_t, Pc>; // pc, reason, scoreboard, producer

class WayBack {
  public:
    explicit WayBack(const CtaHistory &cta) : cta_(cta) {}

    CriticalPath walk() {
        path_.cta = cta_.number;
        path_.begin = cta_.begin();
        const auto last = std::ranges::max_element(cta_.warps, {}, &WarpHistory::end);
        path_.end = last->end;
        warp_ = static_cast<std::uint32_t>(last - cta_.warps.begin());
        now_ = path_.end;
        open_stretch({});
        while (step()) {
        }
        close_stretch();
        path_.before = now_ - path_.begin;
        std::ranges::reverse(path_.stretches);
        for (const auto &[key, cost] : costs_) {
            const auto &[pc, reason, scoreboard, producer] = key;
            path_.costs.push_back({.pc = pc, .reason = reason, .cycles = cost.cycles, .times = cost.times});
            if (scoreboard != isa::kNoScoreboard) {
                path_.costs.back().producer = producer;
                path_.costs.back().scoreboard = scoreboard;
            }
        }
        std::ranges::stable_sort(path_.costs, std::ranges::greater{}, &CriticalPath::Cost::cycles);
        return std::move(path_);
    }

  private:
    struct Sum {
        Cycle cycles = 0;
        std::uint64_t times = 0;
    };

    /// One step back from `now_` on the current warp; false at its beginning.
    bool step() {
        const WarpHistory &warp = cta_.warps[warp_];
        const auto behind = std::ranges::lower_bound(warp.changes, now_, {}, &Change::at);
        if (behind == warp.changes.begin()) {
            return false;
        }
        const Change &change = *(behind - 1);
        if (change.reason == StallReason::kBarrier) {
            const auto later = std::ranges::lower_bound(warp.releases, now_, {}, &Release::at);
            if (later != warp.releases.begin() && (later - 1)->at >= change.at) {
                hand_back(change, *(later - 1));
                return true;
            }
        }
        charge(change, change.at);
        return true;
    }

    /// The barrier was complete at `release.at`: until then its last warp is on the path.
    void hand_back(const Change &change, const Release &release) {
        charge(change, release.at);
        close_stretch();
        warp_ = release.last;
        open_stretch(release.barrier);
        if (const Cycle end = cta_.warps[warp_].end; end < now_) {
            charge(change, end); // it ended, which completed the barrier some time later
        }
    }

    void charge(const Change &change, Cycle from) {
        const Cycle cycles = now_ - from;
        path_.reasons[static_cast<std::size_t>(change.reason)] += cycles;
        Sum &sum = costs_[{change.pc, change.reason, change.scoreboard, change.producer}];
        sum.cycles += cycles;
        ++sum.times;
        in_stretch_[change.pc] += cycles;
        now_ = from;
    }

    void open_stretch(std::optional<std::uint8_t> barrier) {
        path_.stretches.push_back({.warp = warp_, .begin = now_, .end = now_, .barrier = barrier});
        in_stretch_.clear();
    }
    void close_stretch() {
        CriticalPath::Stretch &stretch = path_.stretches.back();
        stretch.begin = now_;
        if (!in_stretch_.empty()) {
            stretch.pc =
                std::ranges::max_element(in_stretch_, {}, [](const auto &entry) { return entry.second; })->first;
        }
        if (stretch.begin == stretch.end && path_.stretches.size() > 1) {
            path_.stretches.pop_back();
        }
    }

    const CtaHistory &cta_;
    std::uint32_t warp_ = 0;
    Cycle now_ = 0; ///< everything after it has been charged
    CriticalPath path_;
    std::map<Key, Sum> costs_;
    std::map<Pc, Cycle> in_stretch_;
};

} // namespace

CriticalPath path_of(const CtaHistory &cta) {
    return WayBack(cta).walk();
}

} // namespace smsim::views::critical_path

// The choice of a warp, and the warp that has been passed over for too long.
#include "ibuffer/issue_selection.h"

#include <algorithm>

#include <fmt/format.h>

namespace smsim::ibuffer {

// Greedy policies starve warps as long as other warps spin, and the starved warp may be the one that the others wait
// for.
unsigned IssueSelection::starved(WarpSet ready, Cycle now) {
    if (limit_ == 0 || now < starvation_check_) {
        return kNoWarp;
    }
    unsigned longest = kNoWarp;
    Cycle earliest = now;
    for (WarpSet set = passed_over_; set != 0; set &= set - 1) {
        const unsigned warp = first_of(set);
        const Cycle since = passed_over_since_[warp];
        earliest = std::min(earliest, since);
        const bool is_longest = longest == kNoWarp || since < passed_over_since_[longest];
        if (since + limit_ <= now && (ready & only(warp)) != 0 && is_longest) {
            longest = warp;
        }
    }
    starvation_check_ = earliest + limit_;
    return longest;
}

void IssueSelection::reach_long_stalls(Cycle now) {
    for (WarpSet set = stalled_later_; set != 0; set &= set - 1) {
        const unsigned warp = first_of(set);
        if (stalled_from_[warp] <= now) {
            stalled_later_ &= ~only(warp);
            long_stalled_ |= only(warp);
        }
    }
}

unsigned IssueSelection::choose(WarpSet ready, Cycle now) {
    if (events_ != nullptr) [[unlikely]] {
        events_->deliver(now, *policy_);
    }
    if (const unsigned warp = starved(ready, now); warp != kNoWarp) {
        return warp;
    }
    reach_long_stalls(now);
    view_.ready = ready;
    view_.long_stalled = long_stalled_;
    view_.now = now;
    const unsigned chosen = policy_->select(view_);
    if (chosen < kMostWarps && (ready & only(chosen)) != 0) [[likely]] {
        return chosen;
    }
    return no_warp(chosen);
}

unsigned IssueSelection::no_warp(unsigned chosen) {
    if (chosen != kNoWarp) {
        fail_for_policy("ibuffer.policy", fmt::format("chosen warp {}, which cannot issue", chosen));
    }
    return kNoWarp;
}

} // namespace smsim::ibuffer

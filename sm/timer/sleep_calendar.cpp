// The calendar of the sleep timers.
#include "sm/timer/sleep_calendar.h"

#include <algorithm>
#include <functional>

namespace smsim::sm {

namespace {

/// `a + b`, or kNever when that does not fit.
Cycle add(Cycle a, Cycle b) {
    return b > kNever - a ? kNever : a + b;
}

Cycle round_up(Cycle cycle, Cycle granularity) {
    const Cycle past = cycle % granularity;
    return past == 0 ? cycle : add(cycle, granularity - past);
}

} // namespace

SleepCalendar::SleepCalendar(std::uint32_t warps, Cycle granularity)
    : latest_(warps), granularity_(std::max<Cycle>(granularity, 1)) {}

Cycle SleepCalendar::request(WarpSlot warp, Cycle now, Cycle cycles) {
    Cycle &latest = latest_.at(warp.value());
    const Cycle wanted = round_up(add(now, std::max<Cycle>(cycles, 1)), granularity_);
    if (latest > now) { // runs at `now`
        if (latest <= wanted) {
            return latest;
        }
        std::erase(expiries_, Expiry(latest, warp));
    }
    // The calendar of all warps is short and keeps its storage: inserting costs less than in a tree with nodes.
    const Expiry expiry(wanted, warp);
    expiries_.insert(std::ranges::lower_bound(expiries_, expiry, std::ranges::greater()), expiry);
    latest = wanted;
    return wanted;
}

void SleepCalendar::stop(WarpSlot warp, Cycle at) {
    Cycle &latest = latest_.at(warp.value());
    if (latest <= at) {
        return;
    }
    std::erase_if(expiries_, [&](const auto &entry) { return entry.second == warp && entry.first > at; });
    latest = 0;
}

const std::vector<WarpSlot> &SleepCalendar::take(Cycle until) {
    taken_.clear();
    while (!expiries_.empty() && expiries_.back().first <= until) {
        taken_.push_back(expiries_.back().second);
        expiries_.pop_back();
    }
    return taken_;
}

} // namespace smsim::sm

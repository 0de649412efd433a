// The calendar of the sleep timers.
#include "sm/timer/sleep_calendar.h"

#include <algorithm>

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
        expiries_.erase({latest, warp});
    }
    expiries_.emplace(wanted, warp);
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

std::vector<WarpSlot> SleepCalendar::take(Cycle until) {
    std::vector<WarpSlot> expired;
    while (!expiries_.empty() && expiries_.begin()->first <= until) {
        expired.push_back(expiries_.begin()->second);
        expiries_.erase(expiries_.begin());
    }
    return expired;
}

} // namespace smsim::sm

#include "ibuffer/policy_events.h"

#include <algorithm>
#include <tuple>

namespace smsim::ibuffer {

void PolicyEvents::deliver_due(Cycle now, IssuePolicy &policy) {
    const auto later = std::ranges::stable_partition(pending_, [now](const Event &event) { return event.at <= now; });
    std::vector<Event> due(std::make_move_iterator(pending_.begin()), std::make_move_iterator(later.begin()));
    pending_.erase(pending_.begin(), later.begin());
    next_ = kNever;
    for (const Event &event : pending_) {
        next_ = std::min(next_, event.at);
    }
    // Two loads that one warp has issued in different cycles may be answered in one; it issues one in a cycle.
    std::ranges::sort(due, {},
                      [](const Event &event) { return std::tuple(event.at, event.warp, event.kind, event.issued); });
    for (const Event &event : due) {
        switch (event.kind) {
        case Kind::kStarted:
            policy.started(event.warp, event.start, event.at);
            break;
        case Kind::kLoaded:
            policy.loaded(event.warp, event.found, event.issued, event.at);
            break;
        case Kind::kWoken:
            policy.woken(event.warp, event.at);
            break;
        case Kind::kEnded:
            policy.ended(event.warp, event.at);
            break;
        }
    }
}

} // namespace smsim::ibuffer

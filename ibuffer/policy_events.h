// The events that an issue policy has asked for (IssuePolicy::wants_events), kept until their cycle is reached: answers
// are known before they take effect, and in an order that depends on the order of processes.
#pragma once

#include <cstdint>
#include <vector>

#include "ibuffer/issue_policy.h"

namespace smsim::ibuffer {

class PolicyEvents {
  public:
    void started(unsigned warp, const WarpStart &start, Cycle at) { add({at, warp, Kind::kStarted, at, start, {}}); }
    /// A load that the warp issued at `issued`.
    void loaded(unsigned warp, const CacheAnswer &found, Cycle issued, Cycle at) {
        add({at, warp, Kind::kLoaded, issued, {}, found});
    }
    void woken(unsigned warp, Cycle at) { add({at, warp, Kind::kWoken, at, {}, {}}); }
    void ended(unsigned warp, Cycle at) { add({at, warp, Kind::kEnded, at, {}, {}}); }

    /// Reports to `policy` what has happened up to `now`, in order of cycle, warp, kind and cycle of issue.
    void deliver(Cycle now, IssuePolicy &policy) {
        if (!pending_.empty() && next_ <= now) {
            deliver_due(now, policy);
        }
    }

  private:
    enum class Kind : std::uint8_t { kLoaded, kWoken, kEnded, kStarted };
    struct Event {
        Cycle at;
        unsigned warp;
        Kind kind;
        Cycle issued;
        WarpStart start;
        CacheAnswer found;
    };

    void add(Event event) {
        next_ = event.at < next_ ? event.at : next_;
        pending_.push_back(std::move(event));
    }
    void deliver_due(Cycle now, IssuePolicy &policy);

    std::vector<Event> pending_;
    Cycle next_ = kNever; ///< not later than the earliest of them
};

} // namespace smsim::ibuffer

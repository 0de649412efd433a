// The order in which the load/store unit serves the memory instructions of its sub-partitions. Plain C++.
//
// One queue per sub-partition. The unit serves one instruction after the other, the queues in rotation; the first of a
// queue waits until it has arrived, and, if it needs room among the global transactions, for that too. Those behind it
// in its queue wait with it, other queues do not.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "model/types.h"

namespace smsim::sm {

/// `Item` is what is queued; it is kept, never looked at.
template <typename Item> class ServiceQueues {
  public:
    /// `queues` queues that are full with `depth` (at least 1) instructions each.
    ServiceQueues(unsigned queues, std::size_t depth) : queues_(queues), depth_(depth) {}

    /// Puts an instruction that can be served from cycle `arrival` on behind those of its queue. Returns the cycle in
    /// which the unit may serve it at the earliest.
    Cycle push(unsigned queue, Item item, Cycle arrival, bool needs_room) {
        queues_[queue].push_back({std::move(item), arrival, needs_room});
        return std::max(arrival, free_at_);
    }
    /// The queue takes no more: the instruction that made it full is the last before one is taken from it.
    bool is_full(unsigned queue) const { return queues_[queue].size() >= depth_; }

    struct Served {
        unsigned queue;
        Item item;
    };
    /// Takes the instruction that is served in cycle `now`, if there is one; `room`: there is room for one that needs
    /// it.
    std::optional<Served> take(Cycle now, bool room) {
        if (now < free_at_) {
            return std::nullopt;
        }
        const auto count = static_cast<unsigned>(queues_.size());
        for (unsigned i = 0; i < count; ++i) {
            const unsigned number = (rotate_ + i) % count;
            auto &queue = queues_[number];
            if (queue.empty() || queue.front().arrival > now || (queue.front().needs_room && !room)) {
                continue;
            }
            std::optional<Served> served = Served{number, std::move(queue.front().item)};
            queue.pop_front();
            rotate_ = (number + 1) % count;
            return served;
        }
        return std::nullopt;
    }
    /// What was taken keeps the unit busy: nothing is served before cycle `until`.
    void occupy(Cycle until) { free_at_ = until; }

    struct Next {
        Cycle at;        ///< kNever: nothing is queued, or all waits for room
        bool wants_room; ///< some queue does
    };
    /// The first cycle after `now` in which something can be served when there is room from cycle `room_at` on (0:
    /// there is room, kNever: not known).
    Next next(Cycle now, Cycle room_at) const {
        Next next{kNever, false};
        for (const auto &queue : queues_) {
            if (queue.empty()) {
                continue;
            }
            Cycle at = queue.front().arrival;
            if (queue.front().needs_room && room_at != 0) {
                next.wants_room = true;
                at = std::max(at, room_at);
            }
            next.at = std::min(next.at, at);
        }
        if (next.at != kNever) {
            next.at = std::max({next.at, free_at_, now + 1});
        }
        return next;
    }

  private:
    struct Entry {
        Item item;
        Cycle arrival;
        bool needs_room;
    };

    std::vector<std::deque<Entry>> queues_;
    std::size_t depth_;
    unsigned rotate_ = 0; ///< the queue that is asked first
    Cycle free_at_ = 0;
};

} // namespace smsim::sm

// The order in which the memory instructions of the sub-partitions leave their queues for the load/store unit, and how
// long each has an entry there. Plain C++.
//
// One queue per sub-partition. Each unit serves one instruction after the other, the queues in rotation; the first of a
// queue waits until it has arrived, until the queue may send again, and, if it needs room among the global
// transactions, for that too. Those after it in its queue wait with it, other queues do not. An instruction that does
// not use the unit after the queues waits only for its place in its queue. A queue may be kept back as a whole.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "model/ring.h"
#include "model/stats/busy_time.h"
#include "model/types.h"

namespace smsim::sm {

/// `Item` is what is queued; it is stored, never examined.
template <typename Item> class ServiceQueues {
  public:
    /// What an instruction needs to be served.
    struct Needs {
        bool unit = true;  ///< the unit after the queues
        bool room = false; ///< room among the global transactions
    };

    /// `queues` queues of `depth` (at least 1) entries, served by `units` (at least 1) that are all alike. An
    /// instruction keeps its entry for `stay` cycles (at least 1) from the cycle in which it is taken; an instruction
    /// issued in the last of these cycles may use the entry.
    ServiceQueues(unsigned queues, std::size_t depth, Cycle stay = 1, unsigned units = 1)
        : count_(queues), fronts_(queues), queues_(queues), depth_(depth), stay_(stay), busy_(units, 0) {}

    /// Where to build the item of the instruction that is pushed next. It holds the item that was there last.
    Item &place(unsigned number) { return queues_[number].entries.next().item; }
    /// Appends the instruction whose item has been built in `place`, and which can be served from cycle `arrival` on,
    /// to its queue. Returns the earliest cycle in which it may be served.
    Cycle push(unsigned number, Cycle arrival, Needs needs) {
        Queue &queue = queues_[number];
        Entry &entry = queue.entries.next();
        entry.arrival = arrival;
        entry.needs = needs;
        queue.entries.push_next();
        if (queue.entries.size() == 1) {
            look(number);
        }
        const Cycle from = std::max(arrival, queue.next_take);
        return needs.unit ? std::max(from, free_at_) : from;
    }
    /// When the queue takes the next instruction: cycle `now` + 1 at the earliest; kNever when no instruction that has
    /// an entry has been taken yet.
    Cycle room_at(unsigned number, Cycle now) {
        Queue &queue = queues_[number];
        while (!queue.leaving.empty() && queue.leaving.front() <= now + 1) {
            queue.leaving.pop_front();
        }
        if (queue.entries.size() + queue.leaving.size() < depth_) {
            return now + 1;
        }
        return queue.leaving.empty() ? kNever : queue.leaving.front();
    }

    /// An instruction that was taken.
    struct Served {
        unsigned queue;
        Item item;
        Cycle arrival; ///< as passed to `push`
    };
    /// Takes an instruction that is served in cycle `now`, if there is one; `room`: there is room for one that needs
    /// it. Call until there is none; valid until the next call.
    const Served *take(Cycle now, bool room) {
        if (free_at_ > now && without_unit_ == 0) {
            return nullptr;
        }
        for (unsigned i = 0, number = rotate_; i < count_; ++i, number = number + 1 == count_ ? 0 : number + 1) {
            const Front &front = fronts_[number];
            if (front.from <= now && (!front.needs.unit || free_at_ <= now) && (!front.needs.room || room)) {
                take_from(number, now);
                return &served_;
            }
        }
        return nullptr;
    }
    /// The taken instruction keeps a unit busy until cycle `until`; nothing that needs a unit is served while all are
    /// busy. Returns the number of the unit, one that was free.
    unsigned occupy(Cycle until) {
        if (busy_.size() == 1) [[likely]] {
            free_at_ = until;
            return 0;
        }
        const auto free = std::ranges::min_element(busy_);
        *free = until;
        free_at_ = std::ranges::min(busy_);
        return static_cast<unsigned>(free - busy_.begin());
    }
    /// Nothing is taken from this queue before `release`.
    void keep(unsigned number) {
        queues_[number].kept = true;
        look(number);
    }
    void release(unsigned number) {
        queues_[number].kept = false;
        look(number);
    }
    /// Nothing is taken from this queue before cycle `until`.
    void hold(unsigned number, Cycle until) {
        queues_[number].next_take = std::max(queues_[number].next_take, until);
        if (Front &front = fronts_[number]; front.from != kNever) {
            front.from = std::max(front.from, until);
        }
    }

    /// Occupied entries of queue `number`, cycle by cycle, up to cycle `end`.
    UseSeries entry_use(unsigned number, Cycle end) const {
        const Queue &queue = queues_[number];
        UseSeries use = queue.use;
        for (std::size_t i = 0; i < queue.entries.size(); ++i) {
            use.put(queue.entries[i].arrival, std::max(queue.entries[i].arrival, end));
        }
        // Taken instructions have been counted to the end of their stay.
        if (stay_ == 1) {
            use.take_back(end, end, queue.last_leave);
        } else {
            for (std::size_t i = 0; i < queue.leaving.size(); ++i) {
                use.take_back(end, end, queue.leaving[i]);
            }
        }
        return use;
    }
    /// Restarts these counts for a launch whose first cycle is `first`; nothing may be queued.
    void clear_use(Cycle first) {
        for (Queue &queue : queues_) {
            queue.use = UseSeries(first);
            queue.last_leave = 0;
            for (std::size_t i = 0; i < queue.leaving.size(); ++i) { // it still has its entry
                queue.use.put(first, std::max(first, queue.leaving[i]));
            }
        }
    }

    struct Next {
        Cycle at;        ///< kNever: nothing is queued, or everything waits for room or for `release`
        bool wants_room; ///< some queue waits for room
    };
    /// The first cycle after `now` in which something can be served when there is room from cycle `room_at` on (0:
    /// there is room, kNever: not known).
    Next next(Cycle now, Cycle room_at) const {
        Next next{kNever, false};
        if (room_at == 0 && without_unit_ == 0) { // the usual case
            for (const Front &front : fronts_) {
                next.at = std::min(next.at, front.from);
            }
            next.at = next.at == kNever ? kNever : std::max(next.at, free_at_);
        } else {
            for (const Front &front : fronts_) {
                next = earlier(next, front, room_at);
            }
        }
        if (next.at != kNever) {
            next.at = std::max(next.at, now + 1);
        }
        return next;
    }

  private:
    struct Entry {
        Item item{};
        Cycle arrival = 0;
        Needs needs{};
    };
    /// The first of a queue: all data examined in search of the next one to serve.
    struct Front {
        Cycle from = kNever; ///< when it can be served, as far as its queue decides it; kNever: not known, or none
        Needs needs;
    };
    struct Queue {
        Ring<Entry> entries;
        Ring<Cycle> leaving; ///< when the entries of taken instructions become free, in order
        Cycle next_take = 0;
        bool kept = false;
        UseSeries use;        ///< of its entries, by taken instructions
        Cycle last_leave = 0; ///< of the last of these entries
    };

    /// Updates the front of a queue.
    void look(unsigned number) {
        const Queue &queue = queues_[number];
        Front &front = fronts_[number];
        without_unit_ -= front.from != kNever && !front.needs.unit ? 1 : 0;
        if (queue.entries.empty() || queue.kept) {
            front.from = kNever;
        } else {
            const Entry &entry = queue.entries.front();
            front = {std::max(entry.arrival, queue.next_take), entry.needs};
            without_unit_ += front.needs.unit ? 0 : 1;
        }
    }
    /// The earlier of `next` and `front`.
    Next earlier(Next next, const Front &front, Cycle room_at) const {
        if (front.from == kNever) {
            return next;
        }
        Cycle at = front.needs.unit ? std::max(front.from, free_at_) : front.from;
        if (front.needs.room && room_at != 0) {
            next.wants_room = true;
            at = std::max(at, room_at);
        }
        next.at = std::min(next.at, at);
        return next;
    }
    /// Puts the first of a queue into `served_`.
    void take_from(unsigned number, Cycle now) {
        Queue &queue = queues_[number];
        Entry &entry = queue.entries.front();
        served_.queue = number;
        served_.item = std::move(entry.item);
        served_.arrival = entry.arrival;
        queue.use.put(entry.arrival, now + stay_);
        queue.last_leave = now + stay_;
        if (entry.needs.unit) {
            rotate_ = (number + 1) & (0U - static_cast<unsigned>(number + 1 != count_)); // wraps without a branch
        }
        queue.entries.pop_front();
        if (stay_ > 1) {
            queue.leaving.push_back(now + stay_);
        }
        look(number);
    }

    unsigned count_; ///< of queues
    std::vector<Front> fronts_;
    std::vector<Queue> queues_;
    std::size_t depth_;
    Cycle stay_;
    unsigned rotate_ = 0;       ///< the queue to check first
    std::vector<Cycle> busy_;   ///< by unit, if there are several: until when
    Cycle free_at_ = 0;         ///< when the first of them is free
    unsigned without_unit_ = 0; ///< fronts that do not need the unit
    Served served_{};           ///< the last
};

} // namespace smsim::sm

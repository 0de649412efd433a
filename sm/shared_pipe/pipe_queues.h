// Chooses which instruction enters a pipe that several sub-partitions share. Plain C++.
//
// One queue per sub-partition; the pipe takes one instruction at a time, from the queues in rotation.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "model/types.h"

namespace smsim::sm {

/// `Item` is what is queued; it is stored, never examined.
template <typename Item> class PipeQueues {
  public:
    /// `queues` queues of `depth` (at least 1) instructions each.
    PipeQueues(unsigned queues, std::size_t depth) : queues_(queues), depth_(depth) {}

    /// Appends an instruction that can enter from cycle `arrival` on to its queue. Returns the earliest cycle in which
    /// it may enter.
    Cycle push(unsigned queue, Item item, Cycle arrival) {
        queues_[queue].push_back({std::move(item), arrival});
        return std::max(arrival, free_at_);
    }
    /// Whether the queue takes no more instructions before one leaves it.
    bool is_full(unsigned queue) const { return queues_[queue].size() >= depth_; }

    struct Taken {
        unsigned queue;
        Item item;
    };
    /// Takes the instruction that enters in cycle `now`, if there is one.
    std::optional<Taken> take(Cycle now) {
        const auto count = static_cast<unsigned>(queues_.size());
        for (unsigned i = 0; i < count && free_at_ <= now; ++i) {
            const unsigned number = (rotate_ + i) % count;
            auto &queue = queues_[number];
            if (!queue.empty() && queue.front().arrival <= now) {
                std::optional<Taken> taken = Taken{number, std::move(queue.front().item)};
                queue.pop_front();
                rotate_ = (number + 1) % count;
                return taken;
            }
        }
        return std::nullopt;
    }
    /// Nothing enters before cycle `until`.
    void occupy(Cycle until) { free_at_ = until; }
    /// The first cycle after `now` in which something can enter; kNever when nothing is queued.
    Cycle next(Cycle now) const {
        Cycle next = kNever;
        for (const auto &queue : queues_) {
            next = queue.empty() ? next : std::min(next, std::max({queue.front().arrival, free_at_, now + 1}));
        }
        return next;
    }

  private:
    struct Entry {
        Item item;
        Cycle arrival;
    };

    std::vector<std::deque<Entry>> queues_;
    std::size_t depth_;
    unsigned rotate_ = 0; ///< the queue to check first
    Cycle free_at_ = 0;
};

} // namespace smsim::sm

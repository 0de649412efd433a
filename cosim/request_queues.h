// Requests on their way to a block, in one queue per sub-partition: the first is offered on its channel from its
// arrival until the block takes it (docs/pins.md "Channels").
#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include <tlm>

#include "cosim/handshakes.h"
#include "cosim/pin.h"
#include "model/types.h"

namespace smsim::cosim {

/// `Payload` is the payload type of the link.
template <typename Payload> class RequestQueues {
  public:
    explicit RequestQueues(unsigned sub_partitions) : queues_(sub_partitions), offered_(sub_partitions) {}

    /// Adds a request of a sub-partition that may be offered from cycle `arrival` on.
    void push(unsigned sub_partition, Payload &payload, Cycle arrival) {
        queues_[sub_partition].push_back({&payload, arrival});
    }
    /// Offers in cycle `now` what has arrived: sets the pins `valid`, and calls `drive(sub_partition, payload)` for
    /// each request that was not offered before and for which `may(sub_partition, payload)` holds. `pins` is the number
    /// of these pins for `handshakes`.
    template <typename May, typename Drive>
    void offer(const Handshakes &handshakes, unsigned pins, const Pin &valid, Cycle now, May may, Drive drive) {
        for (unsigned sub = 0; sub < queues_.size(); ++sub) {
            const bool due = !queues_[sub].empty() && queues_[sub].front().arrival <= now;
            if (due && !offered_[sub] && may(sub, *queues_[sub].front().payload) && !handshakes.hold(pins, sub, now)) {
                offered_[sub] = true;
                drive(sub, *queues_[sub].front().payload);
            }
            valid.put(offered_[sub] ? 1 : 0, sub);
        }
    }
    /// Takes requests that have arrived and are not on offer, and that the block must not see: from each sub-partition
    /// the first one, if `mine(sub_partition, payload)`. Calls `taken(sub_partition, payload, arrival)`.
    template <typename Mine, typename Taken> void take_first(Cycle now, Mine mine, Taken taken) {
        for (unsigned sub = 0; sub < queues_.size(); ++sub) {
            auto &queue = queues_[sub];
            if (!queue.empty() && queue.front().arrival <= now && !offered_[sub] && mine(sub, *queue.front().payload)) {
                const Request request = queue.front();
                queue.pop_front();
                taken(sub, *request.payload, request.arrival);
            }
        }
    }
    /// Hands over what the block takes in this cycle: calls `taken(sub_partition, payload, arrival)`.
    template <typename Taken> void take(const Pin &valid, const Pin &ready, Taken taken) {
        for (unsigned sub = 0; sub < queues_.size(); ++sub) {
            if (valid.get(sub) != 0 && ready.get(sub) != 0) {
                const Request request = queues_[sub].front();
                queues_[sub].pop_front();
                offered_[sub] = false;
                taken(sub, *request.payload, request.arrival);
            }
        }
    }
    /// Calls `untaken(sub_partition, payload, arrival)` for each request that has been on offer since cycle `before`
    /// or longer.
    template <typename Untaken> void on_offer(Cycle before, Untaken untaken) const {
        for (unsigned sub = 0; sub < queues_.size(); ++sub) {
            if (offered_[sub] && queues_[sub].front().arrival <= before) {
                untaken(sub, *queues_[sub].front().payload, queues_[sub].front().arrival);
            }
        }
    }
    /// The first cycle after `now` in which there is something to offer; kNever: none.
    Cycle next(Cycle now) const {
        Cycle next = kNever;
        for (const auto &queue : queues_) {
            next = queue.empty() ? next : std::min(next, std::max(queue.front().arrival, now + 1));
        }
        return next;
    }

  private:
    struct Request {
        Payload *payload;
        Cycle arrival;
    };
    std::vector<std::deque<Request>> queues_;
    std::vector<bool> offered_; ///< the first one of the queue is on the pins
};

} // namespace smsim::cosim

#include "views/timeline/event_order.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace smsim::views::timeline {
namespace {

/// What distinguishes events of one kind, warp and cycle; events without it keep their order of arrival, because a
/// single part reports them.
std::uint64_t identity(const observation::Event &event) {
    return std::visit(
        [](const auto &e) -> std::uint64_t {
            if constexpr (requires { e.ticket; }) {
                return e.ticket;
            } else if constexpr (requires { e.number; }) {
                return e.number;
            } else if constexpr (requires { e.sequence; }) {
                return e.sequence;
            } else if constexpr (requires { e.barrier; }) {
                return e.barrier.value();
            } else {
                return 0;
            }
        },
        event);
}

} // namespace

void EventOrder::observe(Cycle now, const observation::Event &event) {
    if (now > now_) {
        release(now);
        now_ = now;
    }
    auto [place, is_new] = held_.try_emplace(observation::at(event));
    if (is_new && !spare_.empty()) {
        place->second = std::move(spare_.back());
        spare_.pop_back();
    }
    place->second.push_back(event);
}

void EventOrder::release(Cycle before) {
    while (!held_.empty() && held_.begin()->first < before) {
        auto &[cycle, events] = *held_.begin();
        std::ranges::stable_sort(events, {}, [](const observation::Event &event) {
            return std::tuple(observation::warp_of(event), event.index(), identity(event));
        });
        reader_.cycle(cycle, events);
        events.clear();
        spare_.push_back(std::move(events));
        held_.erase(held_.begin());
    }
}

void EventOrder::end(Cycle end) {
    release(end + 1);
    held_.clear();
    reader_.end(end);
}

} // namespace smsim::views::timeline

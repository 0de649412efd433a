#include "cosim/sleep_reference.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace smsim::cosim {
namespace {

constexpr const char *kSleepRule = "docs/pins.md, Branch unit, Sleep";

} // namespace

void SleepReference::start(WarpSlot slot) {
    Warp &warp = warps_.at(slot.value());
    warp.expected = kNever;
    warp.slept.reset();
    warp.wake.reset();
}

void SleepReference::executed(WarpSlot slot, Cycle due, Outcome outcome, std::optional<Cycle> sleep) {
    Warp &warp = warps_.at(slot.value());
    if (sleep && warp.expected > due + *sleep) {
        warp.expected = due + *sleep;
        warp.earlier = 0;
        warp.requests.push_back({due, *sleep, false});
    }
    if (outcome == Outcome::kExited) {
        warp.expected = kNever;
    }
    if (outcome == Outcome::kSleep) {
        warp.slept = due;
    }
}

bool SleepReference::expired(WarpSlot slot, Cycle told) {
    Warp &warp = warps_.at(slot.value());
    if (warp.expected == kNever) {
        return false;
    }
    const Cycle at = expected(slot);
    if (told + 1 < at) {
        // One such request is enough, however long it waits.
        if (std::ranges::none_of(warp.requests, &Request::again)) {
            const Cycle from = told + 2;
            warp.requests.push_back({from, at > from ? at - from : 1, true});
        }
        return false;
    }
    warp.expected = kNever;
    if (const auto slept = std::exchange(warp.slept, std::nullopt)) {
        warp.wake = std::max(told + 1, *slept + 1);
    }
    return true;
}

SleepReference::Comparison SleepReference::asked(WarpSlot slot, Cycle cycles, Cycle at) {
    Warp &warp = warps_.at(slot.value());
    auto &requests = warp.requests;
    if (requests.empty()) {
        return {fmt::format("warp slot {}: timer request: model none, RTL of {} cycles ({})", slot.value(), cycles,
                            kSleepRule),
                std::nullopt};
    }
    // pins.md does not define which of several waiting requests goes first.
    auto one = std::ranges::find(requests, cycles, &Request::cycles);
    const bool equal = one != requests.end();
    one = equal ? one : requests.begin();
    const Request request = *one;
    requests.erase(one);
    if (at < request.due && request.due + request.cycles == warp.expected) {
        warp.earlier = request.due - at;
    }
    if (equal) {
        return {std::nullopt, request.due};
    }
    return {fmt::format("warp slot {}: timer request: model of {} cycles, RTL of {} ({})", slot.value(), request.cycles,
                        cycles, kSleepRule),
            request.due};
}

std::optional<Cycle> SleepReference::woken(WarpSlot slot) {
    return std::exchange(warps_.at(slot.value()).wake, std::nullopt);
}

std::optional<std::string> SleepReference::missing(WarpSlot slot, Cycle due) const {
    const Warp &warp = warps_.at(slot.value());
    for (const Request &request : warp.requests) {
        if (request.due <= due) {
            return fmt::format("warp slot {}: model asks the timer for {} cycles in cycle {}, RTL has not ({})",
                               slot.value(), request.cycles, request.due, kSleepRule);
        }
    }
    if (warp.wake && *warp.wake <= due) {
        return fmt::format("warp slot {}: model wakes it in cycle {}, RTL has not ({})", slot.value(), *warp.wake,
                           kSleepRule);
    }
    return std::nullopt;
}

} // namespace smsim::cosim

#include "cosim/timer_reference.h"

#include <utility>

#include <fmt/format.h>

namespace smsim::cosim {
namespace {

constexpr const char *kTimerRule = "docs/pins.md, Sleep timer";

} // namespace

TimerReference::TimerReference(unsigned warps, Cycle granularity) : calendar_(warps, granularity), timers_(warps) {}

void TimerReference::request(WarpSlot warp, Cycle now, Cycle cycles) {
    Timer &timer = timers_[warp.value()];
    timer.expected = calendar_.request(warp, now, cycles);
    timer.missing.reset();
}

void TimerReference::stop(WarpSlot warp, Cycle at) {
    calendar_.stop(warp, at);
    timers_[warp.value()] = {};
}

void TimerReference::advance(Cycle until) {
    for (const WarpSlot warp : calendar_.take(until)) {
        Timer &timer = timers_[warp.value()];
        timer.missing = std::exchange(timer.expected, std::nullopt);
    }
}

TimerReference::Comparison TimerReference::expired(WarpSlot warp, Cycle at) {
    Timer &timer = timers_[warp.value()];
    if (timer.missing) {
        return {std::nullopt, std::exchange(timer.missing, std::nullopt)};
    }
    if (timer.expected) {
        calendar_.stop(warp, at);
        return {std::nullopt, std::exchange(timer.expected, std::nullopt)};
    }
    return {fmt::format("the timer of warp slot {}: model does not run, RTL expires in cycle {} ({})", warp.value(), at,
                        kTimerRule),
            std::nullopt};
}

std::optional<std::string> TimerReference::running(WarpSlot warp, Cycle now, Cycle there) const {
    const Timer &timer = timers_[warp.value()];
    if (timer.expected && *timer.expected > now + 1 && there == kNever) {
        return fmt::format("the timer of warp slot {}: model expires in cycle {}, RTL does not run ({})", warp.value(),
                           *timer.expected, kTimerRule);
    }
    if (!timer.expected && !timer.missing && there != kNever) {
        return fmt::format("the timer of warp slot {}: model does not run, RTL expires in cycle {} ({})", warp.value(),
                           there, kTimerRule);
    }
    return std::nullopt;
}

std::optional<std::string> TimerReference::missing(Cycle due) const {
    for (unsigned slot = 0; slot < timers_.size(); ++slot) {
        if (timers_[slot].missing && *timers_[slot].missing <= due) {
            return fmt::format("the timer of warp slot {}: model expires in cycle {}, RTL has not ({})", slot,
                               *timers_[slot].missing, kTimerRule);
        }
    }
    return std::nullopt;
}

std::optional<std::string> TimerReference::none_runs(Cycle now) const {
    for (unsigned slot = 0; slot < timers_.size(); ++slot) {
        const Timer &timer = timers_[slot];
        if (timer.missing || (timer.expected && *timer.expected > now + 1)) {
            return fmt::format("the timer of warp slot {}: model expires in cycle {}, RTL does not run ({})", slot,
                               timer.missing ? *timer.missing : *timer.expected, kTimerRule);
        }
    }
    return std::nullopt;
}

} // namespace smsim::cosim

// The process of a calendar.
#include "model/protocol/calendar.h"

#include <algorithm>
#include <bit>
#include <string>

#include "model/error.h"

namespace smsim::protocol {

Calendar::Calendar(const sc_core::sc_module_name &name) : sc_module(name) {
    SC_HAS_PROCESS(Calendar);
    SC_METHOD(run);
    sensitive << event_;
    dont_initialize();
}

unsigned Calendar::enter(Step step, void *part) {
    if (entries_.size() == kMost) {
        throw InputError("calendar " + std::string(name()) + ": it has " + std::to_string(kMost) +
                         " entries already; expected no further one");
    }
    entries_.push_back({step, part});
    due_.resize(static_cast<unsigned>(entries_.size()));
    return static_cast<unsigned>(entries_.size() - 1);
}

void Calendar::notify() {
    const Time now = kernel_time_.value();
    const Time at = std::max(next_, local_.now.value()); // time does not go back before the time to which this has led
    event_.notify(spans_.of(at > now ? at - now : 0));
    time_.comes(at);
}

void Calendar::run() {
    local_.now = kernel_time_;
    local_.alone_until = 0; // the kernel has been at work since
    running_ = true;
    do {
        call_due(local_.now.value());
    } while (lead());
    running_ = false;
    if (next_ != kNot) {
        notify();
    } else if (local_.now > kernel_time_) {
        event_.notify(spans_.of(local_.now.value() - kernel_time_.value())); // the kernel must catch up
    }
}

inline void Calendar::call_due(Time now) {
    // Entries requested during the calls are called in the next delta cycle, as with events.
    auto [who, next] = due_.at(now);
    for (std::uint64_t rest = who; rest != 0; rest &= rest - 1) {
        due_.set(static_cast<unsigned>(std::countr_zero(rest)), kNot);
    }
    next_ = next;
    for (; who != 0; who &= who - 1) {
        const Entry &entry = entries_[static_cast<unsigned>(std::countr_zero(who))];
        entry.step(entry.part);
    }
}

inline bool Calendar::lead() {
    if (next_ >= lead_end_ || kernel_.pending_activity_at_current_time()) {
        return false;
    }
    const Time now = local_.now.value();
    const Time next = std::max(next_, now);
    if (next >= local_.alone_until) {
        local_.alone_until = kernel_calls();
        if (next >= local_.alone_until) {
            return false;
        }
    }
    local_.now += spans_.of(next - now);
    return true;
}

Calendar::Time Calendar::kernel_calls() const {
    const Time span = sc_core::sc_time_to_pending_activity(&kernel_).value();
    return span < kNot - kernel_time_.value() ? kernel_time_.value() + span : kNot;
}

} // namespace smsim::protocol

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
    const Time at = std::max(next_, local_.value()); // time does not go back where this has led
    event_.notify(spans_.of(at > now ? at - now : 0));
}

void Calendar::run() {
    local_ = kernel_time_;
    running_ = true;
    do {
        call_due(local_.value());
    } while (lead());
    running_ = false;
    if (next_ != kNot) {
        notify();
    } else if (local_ > kernel_time_) {
        event_.notify(spans_.of(local_.value() - kernel_time_.value())); // the kernel is to come up
    }
}

inline void Calendar::call_due(Time now) {
    // Those that are called for during the calls come in the next delta cycle, as with events.
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
    if (next_ >= lead_end_) {
        return false;
    }
    const Time now = local_.value();
    const Time next = std::max(next_, now);
    // Zero where somebody is to be called at the kernel's present time.
    if (sc_core::sc_time_to_pending_activity(&kernel_).value() <= next - kernel_time_.value()) {
        return false;
    }
    local_ += spans_.of(next - now);
    return true;
}

} // namespace smsim::protocol

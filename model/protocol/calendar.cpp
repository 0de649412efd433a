// The process of a calendar.
#include "model/protocol/calendar.h"

#include <algorithm>

namespace smsim::protocol {

Calendar::Calendar(const sc_core::sc_module_name &name) : sc_module(name) {
    SC_HAS_PROCESS(Calendar);
    SC_METHOD(run);
    sensitive << event_;
    dont_initialize();
}

unsigned Calendar::enter(Step step, void *part) {
    entries_.push_back({step, part});
    due_.push_back(kNot);
    called_.resize(entries_.size());
    return static_cast<unsigned>(entries_.size() - 1);
}

void Calendar::notify() {
    const Time now = time_.raw();
    const Time span = next_ > now ? next_ - now : 0;
    if (span != span_) [[unlikely]] {
        span_ = span;
        as_time_ = sc_core::sc_time::from_value(span);
    }
    event_.notify(as_time_);
}

void Calendar::run() {
    const Time now = time_.raw();
    // Who is due by now; those that are called for during the calls come in the next delta cycle, as with events. Who
    // is due is hard to foretell: what can be said without a branch is.
    unsigned count = 0;
    const auto entries = static_cast<unsigned>(due_.size());
    Time *const due = due_.data();
    unsigned *const called = called_.data();
    Time next = kNot;
    for (unsigned i = 0; i < entries; ++i) {
        const auto is_due = static_cast<unsigned>(due[i] <= now);
        called[count] = i;
        count += is_due;
        const Time later = due[i] | (Time{0} - is_due); // kNot when it is
        due[i] = later;
        next = later < next ? later : next;
    }
    next_ = next;
    running_ = true;
    for (unsigned n = 0; n < count; ++n) {
        const Entry &entry = entries_[called[n]];
        entry.step(entry.part);
    }
    running_ = false;
    if (next_ != kNot) {
        notify();
    }
}

} // namespace smsim::protocol

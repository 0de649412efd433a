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

void Calendar::arrange(Time at) {
    next_ = at;
    const Time now = time_.raw();
    const Time span = at > now ? at - now : 0;
    if (span != span_) {
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
    for (unsigned i = 0; i < due_.size(); ++i) {
        const auto is_due = static_cast<unsigned>(due_[i] <= now);
        called_[count] = i;
        count += is_due;
        due_[i] |= Time{0} - is_due; // kNot
    }
    next_ = 0;
    for (unsigned n = 0; n < count; ++n) {
        const Entry &entry = entries_[called_[n]];
        entry.step(entry.part);
    }
    next_ = kNot;
    Time next = kNot;
    for (const Time due : due_) {
        next = due < next ? due : next;
    }
    if (next != kNot) {
        arrange(next);
    }
}

} // namespace smsim::protocol
